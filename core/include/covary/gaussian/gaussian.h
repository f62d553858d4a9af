// The multivariate normal distribution as a value: N(mean, covariance), and its operations.
//
//   Gaussian g(mean, covariance);
//   Gaussian posterior = g.conditional({0, 1}, observed);     // of the other components
//   double h = g.entropy(), kl = divergence(posterior, prior);
//
// The covariance may be singular: a direction without variance is certain, not an error. Densities, entropies
// and divergences are then those on the support (see each).
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "covary/gaussian/canonical_form.h"

namespace covary {

class Gaussian;
namespace internal {
double log_determinant(const Gaussian& g);
Gaussian gaussian_difference(Vector, Matrix, const Vector&, double);
}  // namespace internal

class Gaussian {
 public:
  /// Throws Problem::usage unless sizes fit and everything is finite, and Problem::numerical with the
  /// eigenvalue that shows it if the covariance is not symmetric and positive semi-definite to rounding.
  Gaussian(Vector mean, const Matrix& covariance);

  /// Throws Problem::numerical if the precision is not positive definite: some direction would have no finite
  /// variance.
  explicit Gaussian(const CanonicalForm& form);
  /// Throws Problem::numerical if the covariance is singular: some direction is certain.
  CanonicalForm information() const;

  Index size() const { return mean_.size(); }
  const Vector& mean() const& { return mean_; }
  Vector mean() && { return std::move(mean_); }
  const Matrix& covariance() const& { return covariance_; }
  Matrix covariance() && { return std::move(covariance_); }
  Vector sd() const { return covariance_.diagonal().cwiseMax(0).cwiseSqrt(); }
  /// Number of directions with variance: eigenvalues at the rounding level of the variances count as 0, and so
  /// do those at the rounding level of the prior's if this was conditioned.
  Index rank() const;
  /// Rounding error of the entries of the covariance; above 0 if it is a difference of larger ones.
  double rounding() const { return rounding_; }

  /// The marginal of the components `which`, in that order.
  Gaussian marginal(const std::vector<Index>& which) const;
  /// The conditional of the other components, in their order, given these values of those in `known`:
  ///   mean_b + S_ba S_aa^+ (x - mean_a),  S_bb - S_ba S_aa^+ S_ab  (the Schur complement)
  /// Conditional variance below the rounding of that difference counts as 0.
  /// Throws Problem::data if the values are impossible: off the support of a singular S_aa.
  Gaussian conditional(const std::vector<Index>& known, const Vector& values) const;
  /// The distribution of A x + b: m x n, m.
  Gaussian affine(const Matrix& a, const Vector& b) const;
  /// The distribution of x + e, e ~ N(0, noise) independent.
  Gaussian plus(const Matrix& noise) const;

  /// log density at x with respect to the support: -infinity off it. O(n rank)
  double log_density(const Vector& x) const;
  /// Differential entropy in nats; -infinity if a direction is certain.
  double entropy() const;
  /// Mutual information of the components `a` and the components `b`, in nats; infinity if one determines the
  /// other in some direction.
  double mutual_information(const std::vector<Index>& a, const std::vector<Index>& b) const;

  Matrix sample(Index draws, std::uint64_t seed) const;  // n x draws

  /// For two components: points (2 x count, the last is the first) of the ellipse that holds so many percent.
  Matrix ellipse(double percent, Index count = 101) const;

 private:
  friend double internal::log_determinant(const Gaussian& g);
  friend double divergence(const Gaussian& p, const Gaussian& q);
  friend double wasserstein(const Gaussian& p, const Gaussian& q);
  friend Gaussian internal::gaussian_difference(Vector, Matrix, const Vector&, double);
  struct Root;
  /// For a symmetric covariance that is a difference: its entries are off by `rounding`. Nothing is
  /// factorized before it is needed.
  Gaussian(Vector mean, Matrix covariance, double rounding);
  /// Removes directions without variance from the covariance.
  Gaussian settled() &&;
  const Root& root() const;
  double level() const;
  /// root^+ d: rank x columns; and how far d lies off the support.
  Matrix whitened(const Matrix& d, double& off) const;
  /// What counts as off the support for such a difference from the mean.
  double tolerance(const Vector& x) const;

  Vector mean_;
  Matrix covariance_;
  double rounding_ = 0;
  std::shared_ptr<Root> root_;  // shared by copies; made once, by the first thread that needs it
};

namespace internal {
/// Of the covariance, on its support.
double log_determinant(const Gaussian& g);
}  // namespace internal

/// The normalized product of two densities, and the logarithm of what it was divided by: log N(m1; m2, S1 +
/// S2). O(n^3)
struct DensityProduct {
  Gaussian density;
  double log_scale = 0;
};
DensityProduct product(const Gaussian& a, const Gaussian& b);

/// Kullback-Leibler: sum p log(p/q), in nats. Infinity where p has variance and q has none.
double divergence(const Gaussian& p, const Gaussian& q);

/// The 2-Wasserstein distance: how far mass must be moved, in the units of x.
double wasserstein(const Gaussian& p, const Gaussian& q);

}  // namespace covary
