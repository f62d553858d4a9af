// Draws of a kernel's parameters from a normal (Laplace) approximation of their posterior.
//
//   log p(theta | y) ~ -1/2 (theta - best)' H (theta - best),  H minus the second derivatives of the evidence
//
// Approximate: good near the optimum that was found, blind to others. Every log parameter is taken to be
// known to within a factor of e^3 beforehand.
#pragma once
#include "covary/inference/evidence.h"

namespace covary {

namespace internal {
/// p x draws from N(best, H^-1), H from differences of the gradient of a log density. 2 p gradients.
Matrix laplace_draws(const std::function<Vector(const Vector&)>& gradient, const Vector& best, Index draws,
                     std::uint64_t seed);

/// Parameters drawn from a proposal q; importance weights for a density p are proportional to p / q.
struct ImportanceDraws {
  Matrix theta;         // p x draws
  Vector log_proposal;  // draws: log q
};
/// Independent normals.
struct NormalPrior {
  Vector mean, sd;                                // p
  double log_density(const Vector& theta) const;  // with its constant
};
/// q = 3/4 t + 1/4 prior: a defensive mixture [hesterberg1995], so that no weight exceeds 4 times the
/// likelihood, whatever p looks like away from its mode. t: Student's of 5 degrees of freedom around `best`,
/// its scale from differences of the gradient of log p as in laplace_draws. Every fourth draw is the prior's. 2 p
/// gradients.
ImportanceDraws importance_draws(const std::function<Vector(const Vector&)>& gradient, const Vector& best,
                                 const NormalPrior& prior, Index draws, std::uint64_t seed);

/// exp(v - max v), scaled to sum to 1; -infinity counts nothing. Throws Problem::numerical if all do.
Vector normalized_weights(const Vector& log_weights);

/// The mode of the log density and the prior above, from `start`; `start` itself if a Newton step from there
/// would gain less than 1/2. 2 p + 1 gradients, and some 30 more to search.
Vector posterior_mode(const std::function<Evaluation(const Vector&)>& log_density, const Vector& start);

/// Throws Problem::usage if there are none.
void check_drawable(Index parameters);
}  // namespace internal

struct DrawOptions {
  bool noise_known = false;  // the noise is not drawn
  bool find_mode = false;    // the parameters of the process may be far from the mode: it is searched for
};

/// Priors like `process`, each with a kernel and a noise drawn given y (n x c: c functions of the same
/// parameters) at x. Throws Problem::usage if every parameter is fixed.
template <class X>
std::vector<Process<X>> parameter_draws(const Process<X>& process, Batch<X> x, const Matrix& y, Index draws,
                                        std::uint64_t seed, const DrawOptions& options = {}) {
  const Noise& known = process.noise();
  const bool learn_noise = known.is_given() && known.variance > 0 && !options.noise_known;
  const Noise noise = learn_noise ? Noise::learn(known.variance) : known;
  std::vector<Evidence<X>> each;
  for (Index c = 0; c < y.cols(); ++c)
    each.emplace_back(process.kernel(), process.trend(), noise, x, Vector(y.col(c)));
  const Vector kernel = process.kernel().theta();
  Vector best = internal::concat(kernel, noise.theta());
  internal::check_drawable(best.size());
  const auto log_density = [&](const Vector& t) {
    Evaluation sum{0, Vector::Zero(t.size())};
    for (Evidence<X>& e : each) {
      Evaluation one = e.at(t);
      if (one.gradient.size() != t.size()) return one;
      sum.value += one.value, sum.gradient += one.gradient;
    }
    return sum;
  };
  if (options.find_mode) best = internal::posterior_mode(log_density, best);
  const Matrix theta =
      internal::laplace_draws([&](const Vector& t) { return log_density(t).gradient; }, best, draws, seed);
  std::vector<Process<X>> out;
  for (Index i = 0; i < draws; ++i)
    out.emplace_back(process.kernel().with(theta.col(i).head(kernel.size())), process.trend(),
                     noise.with(theta.col(i).tail(theta.rows() - kernel.size())).known());
  return out;
}

namespace internal {
/// A prior with parameters that were drawn; log_weight: log prior - log proposal, up to a constant.
template <class X>
struct WeightedPrior {
  Process<X> prior;
  double log_weight;
};

/// Priors like `process`, their theta drawn where N(theta of the process, spread^2) and the evidence of y (n x 1) at
/// x put it; from the former alone where n = 0. With evidence(theta) their posterior weights are proportional to
/// exp(log_weight) evidence. Throws Problem::usage if every parameter is fixed.
template <class X>
std::vector<WeightedPrior<X>> weighted_priors(const Process<X>& process, Batch<X> x, const Matrix& y,
                                              Index draws, double spread, std::uint64_t seed,
                                              bool noise_known) {
  const Noise& known = process.noise();
  const bool learn_noise = known.is_given() && known.variance > 0 && !noise_known;
  const Noise noise = learn_noise ? Noise::learn(known.variance) : known;
  const Vector kernel = process.kernel().theta(), center = concat(kernel, noise.theta());
  check_drawable(center.size());
  const NormalPrior normal{center, Vector::Constant(center.size(), spread)};
  Matrix theta = spread * Random(seed).normal(center.size(), draws);
  theta.colwise() += center;
  Vector log_weights = Vector::Zero(draws);
  if (y.rows() > 0) {
    Evidence<X> evidence(process.kernel(), process.trend(), noise, x, Vector(y.col(0)));
    const auto log_density = [&](const Vector& t) {
      Evaluation e = evidence.at(t);
      const Vector off = (t - center) / (spread * spread);
      e.value -= 0.5 * off.dot(t - center);
      if (e.gradient.size() == t.size()) e.gradient -= off;
      return e;
    };
    const Vector best = posterior_mode(log_density, center);
    const ImportanceDraws drawn =
        importance_draws([&](const Vector& t) { return log_density(t).gradient; }, best, normal, draws, seed);
    theta = drawn.theta;
    for (Index i = 0; i < draws; ++i)
      log_weights[i] = normal.log_density(theta.col(i)) - drawn.log_proposal[i];
  }
  std::vector<WeightedPrior<X>> out;
  for (Index i = 0; i < draws; ++i) {
    const Vector t = theta.col(i);
    out.push_back({Process<X>(process.kernel().with(t.head(kernel.size())), process.trend(),
                              noise.with(t.tail(t.size() - kernel.size())).known()),
                   log_weights[i]});
  }
  return out;
}
}  // namespace internal

}  // namespace covary
