#include "select/scores/mixture_scores.h"

#include <cmath>
#include <numbers>

#include "covary/gaussian/normal_mixture.h"

namespace covary::select {
using namespace internal;
namespace {

constexpr double least_share = 1e-4;  // weights below it count nothing in an average

template <class F>
Vector of_mixtures(const ParameterMixture& mixture, const PoolPosterior& belief, const F& of) {
  const Matrix means = mixture.mean(), sds = mixture.sd();
  Vector out(means.rows());
  belief.runs("scores", [&](Range r) {
    for (Index i = r.first; i < r.end(); ++i) {
      const Vector mean = means.row(i), sd = sds.row(i);
      out[i] = of(NormalMixture{mixture.weights(), mean, sd});
    }
  });
  return out;
}

}  // namespace

Vector parameter_information(const ParameterMixture& mixture, const PoolPosterior& belief) {
  return of_mixtures(mixture, belief, [](const NormalMixture& y) { return y.information(); });
}

Vector entropy_power(const ParameterMixture& mixture, const PoolPosterior& belief) {
  return of_mixtures(mixture, belief, [](const NormalMixture& y) {
    return std::exp(2 * y.entropy() - 1) / (2 * std::numbers::pi);
  });
}

Vector MixtureInformation::of(const PoolPosterior& belief) {
  mixture_.follow(belief);
  const std::vector<PoolPosterior>& members = mixture_.members();
  if (generation_ != mixture_.generation()) {
    gains_.assign(members.size(), InformationGains(most_));
    generation_ = mixture_.generation();
  }
  Vector out = Vector::Zero(belief.pool().size);
  for (size_t s = 0; s < members.size(); ++s)
    if (const double w = mixture_.weights()[Index(s)]; w >= least_share) out += w * gains_[s].of(members[s]);
  return out;
}

}  // namespace covary::select
