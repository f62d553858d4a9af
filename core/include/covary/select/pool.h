// A pool of candidates as strategies see it: the covariances of its points, never the points themselves, so
// that strategies apply to rows, strings and graphs alike.
#pragma once
#include <functional>

#include "covary/learn/parameter_draws.h"
#include "covary/svm/classifier.h"

namespace covary {

namespace internal {
/// The classifier of some candidates' classes, over all of them.
struct PoolClassifier {
  std::function<Matrix(Range)> decision = {};  // as Classifier has it, for a run of candidates
  std::vector<bool> machines = {};             // for each column of it, whether there is a separator
  std::vector<double> margins = {};            // and how wide its margin is; 0: there is none
  std::shared_ptr<const void> self = {};       // the Classifier<X>
};
}  // namespace internal

/// The covariances k(x_i, x_j) of m candidates, and the rest of their prior.
struct Pool : Covariances {
  Vector known;  // m: the known part of the trend
  Matrix basis;  // m x p: of its unknown part
  Vector noise;  // m: the variance of a label there
  /// The same candidates under parameters drawn from their posterior given labels (n x c) at some of them, one
  /// pool for each draw. Fixed parameters and a known noise stay.
  std::function<std::vector<Pool>(const std::vector<Index>& at, const Matrix& labels, bool noise_known,
                                  Index draws, std::uint64_t seed)>
      drawn = {};
  /// The same candidates under parameter vectors around those of the pool, each of their theta normal with this
  /// spread: drawn from that prior where `at` is empty, else wider than where labels at some candidates put them.
  /// log_weight says which; with the evidence of any labels it makes their posterior weights.
  std::function<std::vector<Pool>(const std::vector<Index>& at, const Matrix& labels, bool noise_known,
                                  Index draws, double spread, std::uint64_t seed)>
      weighted = {};
  double log_weight = 0;  // of such a pool: log prior - log proposal, up to a constant of all
  /// The Classifier of the kernel, trained on classes of some candidates. `before`: of the first of these, or
  /// nothing.
  std::function<internal::PoolClassifier(const std::vector<Index>& at, const std::vector<Index>& classes,
                                         const SvmOptions&, const internal::PoolClassifier& before)>
      classifier = {};
  bool noise_known = false;  // the noise was given, not learned
};

namespace internal {
/// The classifier of the candidates of x that stand at `at`.
template <class X>
PoolClassifier classifier_over(const Kernel<X>& k, Batch<X> x, const std::vector<Index>& at,
                               const std::vector<Index>& classes, const SvmOptions& options,
                               const PoolClassifier& before) {
  const Points<X> points = pick(x, at);
  const auto c = std::make_shared<const Classifier<X>>(Classifier<X>::train(
      k, Batch<X>(points), classes, options, static_cast<const Classifier<X>*>(before.self.get())));
  PoolClassifier out{[c, x](Range r) { return c->decision(slice(x, r), 1); }, {}, {}, c};
  for (Index i = 0; i < c->classes(); ++i) {
    out.machines.push_back(c->has_machine(i));
    out.margins.push_back(c->has_machine(i) ? c->machine(i).margin : 0);
  }
  return out;
}
}  // namespace internal

template <class X>
Pool pool_of(const Process<X>& process, Batch<X> x);

namespace internal {
/// The candidates x under draws of the parameters of a prior, given labels (n x c) at `at`.
template <class X>
std::vector<Pool> pools_drawn(const Process<X>& prior, Batch<X> x, const std::vector<Index>& at,
                              const Matrix& labels, bool noise_known, Index draws, std::uint64_t seed) {
  const Process<X> labelled(prior.kernel(), prior.trend(), prior.noise().of_rows(at));
  const Points<X> points = pick(x, at);
  std::vector<Pool> out;
  for (const Process<X>& p : parameter_draws<X>(labelled, Batch<X>(points), labels, draws, seed,
                                                {.noise_known = noise_known, .find_mode = true}))
    out.push_back(pool_of<X>(
        Process<X>(p.kernel(), p.trend(), prior.noise().per_row() ? prior.noise() : p.noise()), x));
  return out;
}
}  // namespace internal

namespace internal {
/// The candidates x under weighted draws of the parameters of a prior, as Pool::weighted has them.
template <class X>
std::vector<Pool> pools_weighted(const Process<X>& prior, Batch<X> x, const std::vector<Index>& at,
                                 const Matrix& labels, bool noise_known, Index draws, double spread,
                                 std::uint64_t seed) {
  const Points<X> points = pick(x, at);
  std::vector<Pool> out;
  for (const WeightedPrior<X>& p :
       weighted_priors<X>(Process<X>(prior.kernel(), prior.trend(), prior.noise().of_rows(at)),
                          Batch<X>(points), labels, draws, spread, seed, noise_known)) {
    out.push_back(pool_of<X>(Process<X>(p.prior.kernel(), p.prior.trend(),
                                        prior.noise().per_row() ? prior.noise() : p.prior.noise()),
                             x));
    out.back().log_weight = p.log_weight;
  }
  return out;
}
}  // namespace internal

/// The candidates x under the kernel, trend and noise of a process, whatever it was conditioned on. Borrows
/// x.
template <class X>
Pool pool_of(const Process<X>& process, Batch<X> x) {
  internal::check_given(process.kernel().parameters());
  internal::check_finite(x, "x");
  const Kernel<X>& k = process.kernel();
  const Mean<X> mean = process.trend().centered_on(x);
  Pool pool{covariances(k, x), {}, {}, {}};
  pool.known = mean.known_at(x);
  pool.basis = mean.basis_at(x);
  pool.noise = process.noise().variances(count(x));
  const Process<X> prior(k, process.trend(), process.noise());
  pool.drawn = [prior, x](const std::vector<Index>& at, const Matrix& labels, bool noise_known, Index draws,
                          std::uint64_t seed) {
    return internal::pools_drawn<X>(prior, x, at, labels, noise_known, draws, seed);
  };
  pool.weighted = [prior, x](const std::vector<Index>& at, const Matrix& labels, bool noise_known,
                             Index draws, double spread, std::uint64_t seed) {
    return internal::pools_weighted<X>(prior, x, at, labels, noise_known, draws, spread, seed);
  };
  pool.classifier = [k, x](const std::vector<Index>& at, const std::vector<Index>& classes,
                           const SvmOptions& options, const internal::PoolClassifier& before) {
    return internal::classifier_over<X>(k, x, at, classes, options, before);
  };
  return pool;
}

}  // namespace covary
