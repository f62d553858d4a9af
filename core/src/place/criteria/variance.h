// The remaining sum of variances at the targets: a criterion, and the measure of the baseline designs.
#pragma once
#include "place/shared.h"

namespace covary::placing {

inline constexpr const char* variance_certificate =
    "no k readings explain more of the variance than the k largest principal components";

/// F(A) = sum_t var f_t - sum_t var(f_t | A), over the given targets; without any, over all places, where
/// those with a sensor count as known. Keeps cov(f_t, f_y | A), targets x n: 4 n |T| flops a sensor.
class Variance : public Criterion {
 public:
  Variance(const PlacementProblem& problem, const Field& field, int threads);
  std::unique_ptr<Criterion> clone() const override { return std::make_unique<Variance>(*this); }
  /// No j readings explain more of a sum of variances than the j largest principal components do.
  Vector most(const Allowed& start) const override;
  double most_beyond(const Allowed& rest, double enough) const override;

 protected:
  Vector computed_gains() const override;
  void added(Index place, double before) override;
  bool everywhere() const { return targets_.empty(); }
  /// cov(f_t, f_y | A): targets x n; 0 where a target has a sensor and counts as known.
  const Matrix& covariances() const { return covariance_; }
  /// targets: what is left of their variances; 0 where they count as known.
  const Vector& left() const { return left_; }
  /// The sum of the j largest eigenvalues of the targets' covariance as it is now; infinite if there are too
  /// many targets to know.
  double most_explained(Index j) const;
  /// The same at the start, for as many sensors as it allows.
  Vector components_at_start(const Allowed& start) const;

 private:
  const Vector& components() const;
  void take_off(Index place, const Vector& column);
  std::vector<Index> targets_;
  Matrix covariance_;                    // targets x n
  Vector squares_;                       // n: of its columns
  Vector left_;                          // targets
  mutable Vector components_;            // sums of eigenvalues; empty: not known yet
  Vector earlier_;                       // those of fewer sensors, which are no smaller
  std::shared_ptr<const Vector> start_;  // sums of eigenvalues before the first
  int threads_;
};

}  // namespace covary::placing
