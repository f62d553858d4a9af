// The log marginal likelihood and the leave-one-out score of a kernel on data, with their gradients.
//
//   L = log N(y; m, K + noise), the trend m at its estimate (normal_evidence.h)
//
// The kernel's derivatives are contracted tile by tile: one n x n matrix is all that is kept, and n^3 flops.
#pragma once
#include "covary/inference/normal_evidence.h"
#include "covary/inference/objective.h"
#include "covary/kernels/on_device.h"
#include "covary/process/process.h"

namespace covary {

namespace internal {
/// The observations and the trend's basis of an objective.
struct Target {
  MergedRows data;
  Matrix basis;              // m x p of the trend
  bool learn_noise = false;  // then data.noise is 1/repeats, to be multiplied by the variance
};
}  // namespace internal

/// Value, and gradient unless told not to, for the covariance `gram` and a learned noise variance.
Evaluation evaluate(internal::NormalEvidence& evidence, const internal::Gram& gram,
                    const internal::Target& target, double noise_variance, ObjectiveKind kind, bool gradient,
                    int threads);

/// A kernel, trend and noise on data, as a function of theta = (kernel's theta, log noise if it is learned).
/// Copies share the data; each has a scratch of its own.
template <class X>
class Evidence final : public Objective {
 public:
  Evidence(Kernel<X> kernel, Mean<X> mean, const Noise& noise, Batch<X> x, const Vector& y,
           ObjectiveKind kind = ObjectiveKind::evidence, std::shared_ptr<const internal::Place> place = {});

  Index parameters() const { return data_->kernel.theta().size() + (data_->target.learn_noise ? 1 : 0); }
  Index size() const { return data_->target.data.y.size(); }  // rows after merging
  const internal::Target& target() const { return data_->target; }
  Batch<X> points() const { return Batch<X>(data_->x); }
  Evaluation at(const Vector& theta, bool gradient = true, int threads = 1) override;

 private:
  struct Data {
    Kernel<X> kernel;
    ObjectiveKind kind;
    Points<X> x;  // distinct
    internal::Target target;
    std::shared_ptr<const internal::Place> place;  // of the covariance matrix; null: here
  };
  std::shared_ptr<const Data> data_;
  internal::NormalEvidence evidence_;
};

template <class X>
Evidence<X>::Evidence(Kernel<X> kernel, Mean<X> mean, const Noise& noise, Batch<X> x, const Vector& y,
                      ObjectiveKind kind, std::shared_ptr<const internal::Place> place) {
  internal::check_sizes(count(x), y.size());
  std::vector<Index> alike = internal::first_alike(x);
  const bool exact = noise.is_exact();
  if (kind == ObjectiveKind::leave_one_out && !exact)
    alike = internal::all_indices(y.size());  // one row at a time; exact repeats together
  Data data{std::move(kernel), kind, {}, {}, std::move(place)};
  internal::Target& target = data.target;
  target.learn_noise = noise.is_learned();
  const Vector variances = target.learn_noise ? Vector(Vector::Ones(y.size())) : noise.variances(y.size());
  target.data = internal::merge(alike, y - mean.known_at(x), variances);
  data.x = pick(x, target.data.rows);
  target.basis = mean.centered_on(Batch<X>(data.x)).basis_at(Batch<X>(data.x));
  data_ = std::make_shared<const Data>(std::move(data));
}

template <class X>
Evaluation Evidence<X>::at(const Vector& theta, bool gradient, int threads) {
  const Index p = data_->kernel.theta().size();
  const double noise = data_->target.learn_noise ? std::exp(theta[p]) : 0;
  return evaluate(evidence_, internal::gram_at<X>(data_->place, data_->kernel.with(theta.head(p)), points()),
                  data_->target, noise, data_->kind, gradient, threads);
}

extern template class Evidence<Row>;

}  // namespace covary
