// The algebra of inducing points: the collapsed bound, its slopes, and predictions. Not templates: they see the
// kernel as matrices only.
#pragma once
#include <limits>
#include <optional>

#include "covary/algebra/factor.h"
#include "covary/process/solution.h"

namespace covary::internal {

/// The kernel between inducing points Z (m) and points X (n), as the algebra sees it.
struct LowRank {
  Index points = 0, size = 0;                                     // m, n
  std::function<Matrix()> inducing;                               // m x m: k(Z, Z)
  std::function<Matrix(Range)> cross;                             // m x r: k(Z, X_r)
  std::function<Vector(Range)> diagonal;                          // r: k(x_i, x_i)
  std::function<Vector(const Matrix&)> pullback_inducing;         // sum w_ij dk(Z, Z)_ij/dtheta
  std::function<Vector(Range, const Matrix&)> pullback_cross;     // sum w_ij dk(Z, X_r)_ij/dtheta
  std::function<Vector(Range, const Vector&)> pullback_diagonal;  // sum w_i dk(x_i, x_i)/dtheta
  // m x d, where points have coordinates; otherwise empty, as where Z is not moved.
  std::function<Matrix(const Matrix&)> inputs_inducing = {};      // sum w_ij dk(Z, Z)_ij/dZ, w symmetric
  std::function<Matrix(Range, const Matrix&)> inputs_cross = {};  // sum w_ij dk(Z, X_r)_ij/dZ
};

/// The matrices that the bound and the posterior are computed from.
struct InducingSolution {
  Factor of_inducing;                           // K + jitter = L L', m x m
  Factor of_rows;                               // B = L_B L_B', m x m
  Vector w, alpha;                              // m: alpha = L'^-1 w
  Matrix half_basis;                            // m x p: L_B^-1 A S^-1 F
  Vector half_targets;                          // m: L_B^-1 A S^-1 y
  std::vector<Index> kept;                      // p: columns of the basis that do not depend on others
  Matrix r;                                     // p x p upper: F'(Q + S)^-1 F = R'R
  Vector beta;                                  // p
  double bound = 0, misfit = 0, shortfall = 0;  // shortfall: sum_i (k_ii - q_ii)/s_i, of the trace term
  double jitter = 0;
};

/// Observations (n) less the known part of the trend, their noise variances (n, positive) and the basis
/// (n x p). Nothing where K or B is not positive definite.
std::optional<InducingSolution> solve_inducing(const LowRank& k, const Vector& y, const Vector& noise,
                                               const Matrix& basis, int threads);

/// The bound and, if asked for, its slopes: in theta of the kernel, in the logarithm of a common factor of the
/// noise, and in Z if the kernel has the derivatives.
struct BoundSlopes {
  double value = -std::numeric_limits<double>::infinity(), misfit = 0;
  Vector kernel;
  double log_noise = 0;
  Matrix inputs;  // m x d
};
BoundSlopes inducing_bound(const LowRank& k, const Vector& y, const Vector& noise, const Matrix& basis,
                           bool slopes, int threads);

/// Means and variances from k(Z, at) (m x q), k(at, at) (q) and the basis there (q x p).
Marginals predict(const InducingSolution& s, const Matrix& cross, const Vector& prior, const Matrix& basis);
Vector predict_mean(const InducingSolution& s, const Matrix& cross, const Matrix& basis);
Gaussian predict_joint(const InducingSolution& s, const Matrix& cross, Matrix prior, const Matrix& basis,
                       const Vector& known, int threads);
/// Leave-one-out predictions with the inducing points kept.
LeaveOneOut leave_one_out(const InducingSolution& s, const LowRank& k, const internal::MergedRows& merged,
                          const Matrix& basis, const Vector& y, const Vector& variances, int threads);

/// Throws Problem::usage unless every variance is positive.
void check_inducing_noise(const Vector& variances);

/// Throws Problem::numerical: no factor of the covariance of the inducing points.
[[noreturn]] void inducing_failed(Index points);

}  // namespace covary::internal
