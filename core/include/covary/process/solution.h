// The dense algebra of a conditioned process: trend, weights, predictions, leave-one-out. Not a template: it
// sees the kernel as matrices only.
//
//   y = F beta + f + e,  K = cov(f + e) = L L',  P = K^-1 - K^-1 F (F'K^-1F)^-1 F'K^-1
//   beta = (F'K^-1F)^-1 F'K^-1 y  (generalized least squares),  alpha = K^-1 (y - F beta) = P y
//
// The first columns of F may be `proper`: their coefficients are N(0, 1) beforehand, the others flat. They
// are rows (I 0) below L^-1 F and 0 below L^-1 y, so F'K^-1F gains a 1 for each, and the rest stays as it is.
#pragma once
#include <limits>

#include "covary/algebra/factor.h"
#include "covary/gaussian/gaussian.h"
#include "covary/process/marginals.h"
#include "covary/process/repeats.h"

namespace covary {

/// Predictions of each observation from all others.
struct LeaveOneOut {
  Vector mean,
      variance;  // n, of the observation y_i; NaN and infinity where the others cannot tell the trend
  double rmse = 0;
  double nlpd = 0;                                           // mean negative log predictive density
  double freedom = std::numeric_limits<double>::infinity();  // finite: each is a t of scale sqrt(variance)
};

namespace internal {
struct Solution {
  Factor factor;
  Index proper = 0;          // columns, the first ones
  Matrix basis, half_basis;  // F and L^-1 F, n x p; flat columns that depend on others are left out
  std::vector<Index> kept;   // p: which columns of the given basis these are
  Matrix r;                  // p x p upper: F'K^-1F (+ 1 for proper ones) = R'R
  Vector beta;               // p
  Vector alpha;              // n
  double log_evidence = 0;   // log N(y; F beta, K), flat beta at their estimate, proper ones integrated out

  /// alpha and beta for other observations of the same points.
  std::pair<Vector, Vector> weights(const Vector& y) const;
  /// L'alpha = L^-1 (y - F beta), and beta. n^2 flops.
  std::pair<Vector, Vector> half_weights(const Vector& y) const;
};

/// n^2 p flops given the factor. The first `proper` columns of the basis are so.
Solution solve(Factor factor, const Vector& y, const Matrix& basis, Index proper = 0);

/// What log_evidence gains if the only proper column is higher by `level` than the basis says, which was left
/// to the first flat column, of ones: only the determinant tells.
double level_gain(const Solution& s, double level);

/// The columns of a basis that do not depend on those before them.
std::vector<Index> independent_columns(const Matrix& basis);

/// From k (n x m: K(X, x*)), the prior variances (m) and the basis there (m x p). n^2 m flops.
Marginals predict(const Solution& s, const Matrix& k, const Vector& prior, const Matrix& basis);

/// The same at points (m x d, as the program of a remote factor reads them). `columns`: k for some of them.
Marginals predict_remote(const Solution& s, const Matrix& points, const Vector& prior, const Matrix& basis,
                         const std::function<Matrix(const std::vector<Index>&)>& columns);
Gaussian predict_joint_remote(const Solution& s, const Matrix& points, Matrix prior, const Matrix& basis,
                              const Vector& known);

/// The mean alone: n m flops.
Vector predict_mean(const Solution& s, const Matrix& k, const Matrix& basis);

/// From k, the prior covariance (m x m) and the basis; plus the known part of the mean (m). It knows that its
/// covariance is off by the rounding of the prior's.
Gaussian predict_joint(const Solution& s, const Matrix& k, Matrix prior, const Matrix& basis,
                       const Vector& known, int threads);

/// Of a covariance that is a difference, its entries off by `rounding`, plus independent noise (m).
Gaussian gaussian_difference(Vector mean, Matrix covariance, const Vector& noise, double rounding);

/// Closed form, with the trend estimated anew for each; rows that were merged are left out one at a time, or
/// together where they have no noise: there each determines the others.
/// n^3/3 flops. `variances` (n): the noise of each observation.
LeaveOneOut leave_one_out(const Solution& s, const MergedRows& data, const Vector& y, const Vector& variances,
                          int threads);
}  // namespace internal

/// The same from the means (m) and precisions c (m; 0: unknown) of each distinct input's mean observation,
/// predicted from all other inputs.
LeaveOneOut left_out(const Vector& means, const Vector& c, const internal::MergedRows& data, const Vector& y,
                     const Vector& variances);

namespace internal {
/// rmse and nlpd of predictions: normal, or a t of scale sqrt(variance).
LeaveOneOut scored(Vector mean, Vector variance, const Vector& y,
                   double freedom = std::numeric_limits<double>::infinity());
}  // namespace internal

}  // namespace covary
