// The dense algebra of a posterior that grows: Solution's sibling, over a factor that is edited in place. Not
// a template: it sees the kernel as matrices only.
//
// n measured points, then q pending ones, which have no observation yet. With B = L^-1 K(X, pending):
//
//   [K  K_p; K_p'  K_pp] = [L 0; B' C] [L 0; B' C]',   C C' = K_pp - B'B
//
// The variance sees all rows. The mean sees the first n: the others' innovations are 0. B is carried by the
// factor like any right-hand side, so whatever happens to measured points happens to it in O(n q).
#pragma once
#include "covary/algebra/editable_factor.h"
#include "covary/process/solution.h"

namespace covary::internal {

/// 0, ..., n - 1 without i.
std::vector<Index> all_but(Index n, Index i);

struct EditableSolution {
  explicit EditableSolution(Index terms = 0) : factor(1 + terms), basis(0, terms), pending_basis(0, terms) {}

  EditableFactor factor;      // carries y (less what is known of the trend), F and K(X, pending)
  Matrix basis;               // n x p: F
  Matrix pending_basis;       // q x p
  Matrix pending_covariance;  // q x q: K_pp, noise included

  Index measured() const { return factor.size(); }
  Index pending() const { return pending_basis.rows(); }
  Index terms() const { return basis.cols(); }
  Vector half_targets() const { return factor.halves().row(0).transpose(); }                 // n: L^-1 y
  Matrix half_basis() const { return factor.halves().middleRows(1, terms()).transpose(); }   // n x p
  Matrix half_pending() const { return factor.halves().bottomRows(pending()).transpose(); }  // n x q: B

  /// Measured points, each with its covariance with those before (n x m), among each other (m x m, noise
  /// included) and with the pending ones (m x q). False unless positive definite; then nothing has changed.
  bool add(const Matrix& b, const Matrix& s, const Vector& y, const Matrix& basis, const Matrix& pending,
           int threads);
  void remove(Index i);
  /// Points to come, with their covariance with measured ones (n x m), pending ones (q x m) and among each
  /// other (noise included).
  void pend(const Matrix& b, const Matrix& with_pending, const Matrix& s, const Matrix& basis, int threads);
  void withdraw(Index j);
  /// Pending point j is the last of the measured ones from now on: O(n (p + q)). False as above.
  bool tell(Index j, double y);
};

/// The trend of the mean: which columns it has, its coefficients, and what it leaves.
struct EditableTrend {
  std::vector<Index> kept;
  Vector beta;
  Vector half;              // n: L^-1 (y - F beta)
  double log_evidence = 0;  // log N(y; F beta, K)
};
/// n p^2 flops.
EditableTrend trend(const EditableSolution& s);

/// What variances need besides the factor.
struct EditableSpread {
  Matrix pending_half;  // n x q: B
  Matrix corner;        // q x q: C
  std::vector<Index> kept;
  Matrix half_basis, r;  // (n + q) x p, p x p
};
/// n (p + q)^2 flops. Throws a numerical Error if the pending points' covariance is not positive definite.
EditableSpread spread(const EditableSolution& s);

/// [L 0; B' C]^-1 k: (n + q) x m, from the covariance with measured, then pending points. n^2 m flops.
Matrix half(const EditableSolution& s, const EditableSpread& spread, const Matrix& k, int threads);

/// Variances at m points from half(...), the prior's (m) and the basis there; and how many were clamped.
std::pair<Vector, Index> variance(const EditableSpread& s, const Matrix& half, const Vector& prior,
                                  const Matrix& basis);

/// Their joint distribution, plus independent noise (m).
Gaussian joint(const EditableSpread& s, Vector mean, const Matrix& half, Matrix prior, const Matrix& basis,
               const Vector& noise, int threads);

/// n x n, measured points alone: P = K^-1 - K^-1 F (F'K^-1 F)^-1 F'K^-1; 1/P_ii is the variance of y_i from
/// all others, and taking point j away leaves P - P_j P_j'/P_jj. 2n^3/3 + 2 n^2 p flops.
Matrix precision(const EditableSolution& s, int threads);

/// How far L L' is from K in the columns `which` (n x k, noise included), in units of the standard deviations
/// of the two points; and how far L z is from y, in those units times |z|. The larger one. O(n^2 k)
double residual(const EditableSolution& s, const std::vector<Index>& which, const Matrix& columns,
                const Vector& diagonal, const Vector& y);

}  // namespace covary::internal
