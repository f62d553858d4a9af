// Exact inference: one Cholesky factor of the covariance of all rows.
#pragma once
#include "covary/inference/evidence.h"
#include "covary/inference/inference.h"

namespace covary {

struct Exact {
  std::string text() const { return "exact()"; }

  template <class X>
  Posterior<X> condition(const Process<X>& prior, Batch<X> x, const Vector& y, const Vector& variances,
                         int threads) const {
    return DensePosterior<X>(prior.kernel(), prior.trend(), x, y, variances, threads);
  }

  template <class X>
  Posterior<X> restore(const Process<X>& prior, Batch<X> x, const Vector& y, const Vector& variances,
                       const PosteriorState& state, int threads) const {
    return DensePosterior<X>(prior.kernel(), prior.trend(), x, y, variances, threads, state);
  }

  template <class X>
  Objectives objective(const Process<X>& prior, Batch<X> x, const Vector& y, ObjectiveKind kind) const {
    const Evidence<X> e(prior.kernel(), prior.trend(), prior.noise(), x, y, kind);
    return [e] { return std::make_unique<Evidence<X>>(e); };
  }

  /// K and its factor share one matrix; kernel values cost about ten flops for each column.
  InferenceCost cost(Index n, Index d) const {
    const double rows = double(n);
    return {rows * rows * rows / 3 + 5 * double(d) * rows * rows, 8 * rows * rows};
  }
};

namespace internal {
template <class X>
InferenceEntry<X> exact_entry() {
  return {"exact",
          "no approximation; up to some ten thousand rows",
          "n^3/3 flops, n^2 doubles",
          {},
          [](const Arguments&) -> Inference<X> { return Exact{}; }};
}
}  // namespace internal

}  // namespace covary
