// Weights over explicit features as a process: the posterior of f(x) = phi(x)'w, in weight space.
//
// Weights with a prior are the kernel, k(x, z) = sum_j v_j phi_j(x) phi_j(z); flat ones are the trend. So
// whatever takes a process takes a regression.
#pragma once
#include "covary/linear/linear_regression.h"

namespace covary {

/// A posterior like any other (posterior.h). Where the noise was estimated, its marginals are the squared
/// scales of Student's t.
class WeightSpacePosterior {
 public:
  /// `data` are the observations the regression was made from.
  WeightSpacePosterior(Regression regression, std::shared_ptr<const Observations<Row>> data)
      : regression_(std::move(regression)), data_(std::move(data)) {}

  Vector mean(const Rows& at, int threads) const { return marginals(at, threads).mean; }
  Marginals marginals(const Rows& at, int threads) const;
  Gaussian joint(const Rows& at, int) const { return regression_.joint(at); }
  double log_evidence() const { return regression_.weights().log_evidence(); }
  InferenceReport report() const;
  LeaveOneOut leave_one_out(int threads) const {
    return regression_.leave_one_out(data_->x, data_->y, threads);
  }
  Matrix sample(const Rows& at, Index draws, std::uint64_t seed, Of of) const {
    return regression_.sample(at, draws, seed, of);
  }
  const Regression& regression() const { return regression_; }

 private:
  Regression regression_;
  std::shared_ptr<const Observations<Row>> data_;
};

namespace internal {
/// The regression as a process given the rows it was made from, the noise at its estimate.
Process<Row> process_of(Regression regression, const Rows& x, const Vector& y);

/// The regression that such a process was made of; null for any other.
const Regression* regression_of(const Process<Row>& process);
}  // namespace internal

}  // namespace covary
