// Parameters of a kernel as the data leave them open: draws from a normal approximation of their posterior.
//
//   log p(theta | y) ~ -1/2 (theta - best)' H (theta - best),  H minus the second derivatives of the evidence
//
// Approximate: good near the optimum that was found, blind to others. Every log parameter is taken to be
// known to within a factor of e^3 beforehand.
#pragma once
#include "covary/evidence.h"

namespace covary {

/// p x draws from N(best, H^-1), H from differences of the gradient of a log density. 2 p gradients.
Matrix laplace_draws(const std::function<Vector(const Vector&)>& gradient, const Vector& best, Index draws,
                     std::uint64_t seed);

/// Priors like `process`, each with a kernel and a noise drawn given y (n) at x.
template <class X>
std::vector<Process<X>> parameter_draws(const Process<X>& process, Batch<X> x, const Vector& y, Index draws,
                                        std::uint64_t seed) {
  const Noise& known = process.noise();
  const bool learn_noise = known.kind == Noise::Kind::given && known.variance > 0;
  const Noise noise = learn_noise ? Noise::learn(known.variance) : known;
  const Evidence<X> evidence(process.kernel(), process.trend(), noise, x, y);
  const Vector kernel = process.kernel().theta();
  Vector best(evidence.parameters());
  best.head(kernel.size()) = kernel;
  if (learn_noise) best[kernel.size()] = std::log(known.variance);
  Matrix work;
  const Matrix theta =
      laplace_draws([&](const Vector& t) { return evidence.at(t, work).gradient; }, best, draws, seed);
  std::vector<Process<X>> out;
  for (Index i = 0; i < draws; ++i)
    out.emplace_back(process.kernel().with(theta.col(i).head(kernel.size())), process.trend(),
                     learn_noise ? Noise::of(std::exp(theta(kernel.size(), i))) : known);
  return out;
}

}  // namespace covary
