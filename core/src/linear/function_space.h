// Weights in function space: for fewer rows than weights, at the cost of the rows.
//
// With w = m0 + B u for the weights that have a prior, u ~ N(0, I), and F the columns of the flat ones:
//   C = Phi B with F projected out,  [C'; I] = Q R,  so that  R'R = C C' + I
// is the covariance of the observations in units of the noise. It is never formed, and variances are squared
// lengths of what Q leaves over, never differences: neither an offset in the features nor a wide prior costs
// digits. That takes Q as the reflections it is made of: formed, it loses those that a wide prior leaves.
#pragma once
#include "covary/linear/weights.h"

namespace covary {

class Dual {
 public:
  /// O(n^2 (N + n)). `scale`: what takes the prior's units to those of the noise. The rows must determine the
  /// flat weights.
  Dual(const WeightPrior& prior, double scale, const Rows& phi, const Vector& y, int threads);

  const Matrix& phi() const { return phi_; }    // n x N, as given
  const Vector& y() const { return y_; }        // n
  const Vector& mean() const { return mean_; }  // N
  double rest() const { return rest_; }         // y'(C C' + I)^-1 y
  double half_log_determinant() const {
    return half_log_determinant_;
  }  // 1/2 log |C C' + I|, F not projected
  /// Columns whose inner products are the covariances of phi w, for a noise of 1: (N + n) x m.
  Matrix half(const Rows& phi) const;
  /// Draws of w - mean for a noise of 1: N x draws.
  Matrix sample(Random& rng, Index draws) const;

 private:
  Matrix spread(const Matrix& u) const;                       // B u
  Matrix gathered(const Matrix& a) const;                     // B'a
  Index proper_count() const { return std::ssize(proper_); }  // p
  Matrix half_transposed(const Matrix& b) const;
  void refine(const Vector& before);
  void turn(Matrix& a) const;       // Q'a, the whole Q: p + k rows
  void turn_back(Matrix& a) const;  // Q a

  Matrix phi_;
  Vector y_;
  std::vector<Index> proper_, flat_;  // p and q of them
  Vector sd_;
  Matrix factor_;       // B: diagonal sd, or this
  Matrix centers_;      // q x p: what F explains of the proper columns
  Matrix flat_r_;       // q x q: F = Q R
  Matrix reflections_;  // (p + k) x k: Q as blas::reflect leaves it; k = n - q
  Vector reflected_;    // k: their factors
  Vector mean_;
  double rest_ = 0, half_log_determinant_ = 0;
};

}  // namespace covary
