// Definitions of the templates of process.h.
#pragma once
#include "covary/base/checks.h"
#include "covary/process/process.h"

namespace covary {

template <class X>
Process<X>::Process(Kernel<X> kernel, Mean<X> mean, Noise noise)
    : kernel_(std::move(kernel)), mean_(std::move(mean)), noise_(std::move(noise)) {}

template <class X>
Process<X>::Process(const Process& prior, std::shared_ptr<const Observations<X>> data, Posterior<X> posterior,
                    Noise noise)
    : kernel_(prior.kernel_),
      mean_(posterior.basis_mean(prior.mean_)),
      noise_(std::move(noise)),
      data_(std::move(data)),
      posterior_(std::move(posterior)) {}

template <class X>
Process<X>::Process(const Process& prior, Observations<X> data, Posterior<X> posterior, Noise noise)
    : Process(prior, std::make_shared<const Observations<X>>(std::move(data)), std::move(posterior),
              std::move(noise)) {}

template <class X>
Process<X> Process<X>::condition(Batch<X> x, const Vector& y, int threads) const {
  return condition(x, y, noise_, threads);
}

template <class X>
Process<X> Process<X>::condition(Batch<X> x, const Vector& y, const Noise& noise, int threads) const {
  internal::check_given(kernel_.parameters());
  internal::check_sizes(count(x), y.size());
  internal::check_finite(x, "x");
  internal::check_finite(y, "y");
  const Vector variances = noise.variances(y.size());
  const int all = internal::threads_or_all(threads);
  if (!posterior_)
    return Process(*this, {Points<X>(join(x, slice(x, {0, 0}))), y, variances},
                   DensePosterior<X>(kernel_, mean_, x, y, variances, all), noise);
  return Process(*this,
                 {join(Batch<X>(data_->x), x), internal::concat(data_->y, y),
                  internal::concat(data_->variances, variances)},
                 posterior_->extended(x, y, variances, all), noise);
}

template <class X>
void Process<X>::check_proper() const {
  internal::check_given(kernel_.parameters());
  if (!posterior_ && mean_.basis)
    throw Error(Problem::usage,
                "the prior of a process whose trend is unknown has no finite variance: condition it "
                "on data first, or give the trend's coefficients");
}

template <class X>
Noise Process<X>::noise_of_new() const {
  if (!noise_.is_given())
    throw Error(Problem::usage,
                "the noise of new observations is not known: ask for f, and add their variance");
  return noise_.is_exact() ? Noise::of(report().estimated_noise) : noise_;
}

template <class X>
Vector Process<X>::noise_variances() const {
  if (!data_) return Vector(0);
  const double estimated = report().estimated_noise;
  Vector out = data_->variances;
  for (double& v : out)
    if (v == 0) v = estimated;
  return out;
}

template <class X>
Vector Process<X>::mean(Batch<X> at, int threads) const {
  check_proper();
  internal::check_finite(at, "x");
  return posterior_ ? posterior_->mean(at, internal::threads_or_all(threads)) : mean_.known_at(at);
}

template <class X>
Marginals Process<X>::predict(Batch<X> at, Of of, int threads) const {
  check_proper();
  internal::check_finite(at, "x");
  Marginals out = posterior_ ? posterior_->marginals(at, internal::threads_or_all(threads))
                             : Marginals{mean_.known_at(at), kernel_.diag(at), 0};
  return of == Of::f ? out : noise_of_new().observed(std::move(out));
}

template <class X>
Vector Process<X>::variance(Batch<X> at, Of of, int threads) const {
  return predict(at, of, threads).variance;
}

template <class X>
Gaussian Process<X>::joint(Batch<X> at, Of of, int threads) const {
  check_proper();
  internal::check_finite(at, "x");
  const Vector noise = of == Of::f ? Vector(Vector::Zero(count(at))) : noise_of_new().variances(count(at));
  if (!posterior_) {
    const auto m = double(count(at));
    internal::check_memory(24 * m * m, "the joint covariance of " + std::to_string(count(at)) + " points");
    return internal::gaussian_difference(mean_.known_at(at), kernel_.cross(at, at), noise, 0);
  }
  Gaussian f = posterior_->joint(at, internal::threads_or_all(threads));
  if (of == Of::f) return f;
  const double rounding = f.rounding();
  Vector mean = f.mean();
  return internal::gaussian_difference(std::move(mean), std::move(f).covariance(), noise, rounding);
}

template <class X>
Matrix Process<X>::sample(Batch<X> at, Index draws, std::uint64_t seed, Of of) const {
  if (posterior_) {
    if (std::optional<Matrix> own = posterior_->sample(at, draws, seed, of)) return std::move(*own);
    if (of == Of::y)
      if (std::optional<Matrix> own = posterior_->sample(at, draws, seed, Of::f)) {
        const Vector sd = noise_of_new().variances(count(at)).cwiseSqrt();
        return *own + sd.asDiagonal() * Random(Random(seed).fork()).normal(count(at), draws);
      }
  }
  const Gaussian j = joint(at, of);
  Matrix out = internal::root(j.covariance(), j.rounding()) * Random(seed).normal(j.size(), draws);
  out.colwise() += j.mean();
  return out;
}

template <class X>
LeaveOneOut Process<X>::leave_one_out(int threads) const {
  return posterior_ ? posterior_->leave_one_out(internal::threads_or_all(threads)) : LeaveOneOut{};
}

template <class X>
Path<X> Process<X>::path(std::uint64_t seed, Index features) const {
  check_proper();
  Random rng(seed);
  const FeatureMap<X> map = kernel_.features(rng, features);
  if (!map)
    throw Error(Problem::usage, "kernel '" + kernel_.text() + "' has no random features: sample at points");
  const Vector weights = rng.normal(map.columns, 1);
  const auto draw = [map, weights](Batch<X> at) -> Vector { return map(at) * weights; };
  const auto correction = posterior_ ? posterior_->pathwise(draw, rng) : typename Posterior<X>::Function();
  return Path<X>([draw, correction, mean = mean_](Batch<X> at) -> Vector {
    Vector out = draw(at) + mean.known_at(at);
    if (correction) out += correction(at);
    return out;
  });
}

}  // namespace covary
