// Exact inference: one Cholesky factor of the covariance of all rows, here, on a GPU or on a cluster:
// exact(device=cuda), exact(device=cluster).
#pragma once
#include "covary/inference/evidence.h"
#include "covary/inference/inference.h"

namespace covary {

struct Exact {
  std::string device = {};  // "cuda", "cluster"; empty: the host
  std::string text() const { return device.empty() ? "exact()" : "exact(device=" + device + ")"; }

  template <class X>
  Posterior<X> condition(const Process<X>& prior, Batch<X> x, const Vector& y, const Vector& variances,
                         int threads) const {
    return DensePosterior<X>(prior.kernel(), prior.trend(), x, y, variances, threads, nullptr, place());
  }

  template <class X>
  Posterior<X> restore(const Process<X>& prior, Batch<X> x, const Vector& y, const Vector& variances,
                       const PosteriorState& state, int threads) const {
    if (!device.empty()) return condition<X>(prior, x, y, variances, threads);  // sooner than it is sent
    return DensePosterior<X>(prior.kernel(), prior.trend(), x, y, variances, threads, state);
  }

  template <class X>
  Objectives objective(const Process<X>& prior, Batch<X> x, const Vector& y, ObjectiveKind kind) const {
    const Evidence<X> e(prior.kernel(), prior.trend(), prior.noise(), x, y, kind, place());
    return [e] { return std::make_unique<Evidence<X>>(e); };
  }

  /// Throws a limit Error if the device is too small.
  template <class X>
  std::string refusal(const Process<X>&, Batch<X> x) const {
    if (const auto there = place()) there->check_fits(count(x));
    return "";
  }

  /// K and its factor share one matrix; kernel values cost about ten flops for each column. `bytes` are of the host.
  InferenceCost cost(Index n, Index d) const {
    const double rows = double(n), here = device.empty() ? rows : 1024;
    return {rows * rows * rows / 3 + 5 * double(d) * rows * rows, 8 * rows * here};
  }

 private:
  std::shared_ptr<const internal::Place> place() const { return internal::place_called(device); }
};

namespace internal {
template <class X>
InferenceEntry<X> exact_entry() {
  return {"exact",
          "no approximation; up to some ten thousand rows",
          "n^3/3 flops, n^2 doubles",
          {"device="},
          [](const Arguments& a) -> Inference<X> {
            const std::string device = a.word("device", {"cpu", "cuda", "cluster"});
            return Exact{device == "cpu" ? "" : device};
          }};
}
}  // namespace internal

}  // namespace covary
