// A process given data, however it was computed: the result of every inference.
//
// Any struct with the five verbs of PosteriorOver is a posterior; it needs no base class. Posterior<X> holds
// any of them by value. Immutable. Everything is of f: the noise of observations to come is the likelihood's.
#pragma once
#include <concepts>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "covary/base/error.h"
#include "covary/base/random.h"
#include "covary/process/mean.h"
#include "covary/process/solution.h"

namespace covary {

/// f is the function, y an observation of it (f plus noise).
enum class Of { f, y };

/// How a posterior was computed, and notes on it.
struct InferenceReport {
  std::string inference = "exact()";  // as it is typed
  std::vector<std::string> notes;     // merging, jitter, a noise of 0 that could not be
  Conditioning conditioning;          // of the largest matrix that was factored
  Index distinct = 0;                 // inputs, after repeated ones were merged
  double estimated_noise = 0;  // variance that had to be estimated from repeats although none was given
  bool approximate = false;    // of the exact process; `notes` say in what
  bool lower_bound = false;    // log_evidence is one of that of the exact process
};

/// The state from which a posterior is restored, with its prior and data, without factorizing anything.
struct PosteriorState {
  Factor factor;
  bool whole = true;  // of the whole kernel; otherwise of its rest (common_offset.h)
};

/// The trend of a posterior: coefficients of the terms of its mean, in the user's units.
struct TrendEstimate {
  Vector coefficients;  // p
  Matrix covariance;    // p x p
};

template <class P, class X>
concept PosteriorOver = requires(const P p, Batch<X> at, int threads) {
  { p.mean(at, threads) } -> std::convertible_to<Vector>;          // m
  { p.marginals(at, threads) } -> std::convertible_to<Marginals>;  // m
  { p.joint(at, threads) } -> std::convertible_to<Gaussian>;       // of m components
  { p.log_evidence() } -> std::convertible_to<double>;             // log p(y), or what stands for it
  { p.report() } -> std::convertible_to<InferenceReport>;
};

/// Any posterior over X. Copies share.
///
/// Beyond the five verbs a posterior may have, and otherwise refuses with a usage Error:
///   leave_one_out(threads)               each observation from all others
///   trend()                              the coefficients of the mean (default: none)
///   extended(x, y, variances, threads)   given more observations
///   pathwise(draw, rng)                  the correction of a draw of the prior by the data, as a function
///   basis_mean()                         its mean, in the basis that it was solved in (default: as given)
///   sample(at, draws, seed, of)          m x draws (default: from the joint distribution)
///   state()                              what Inference::restore makes it from again (default: nothing)
///   variables()                          what its inference holds beside its text: the coordinates of inducing
///                                        points that a fit has moved (default: none)
template <class X>
class Posterior {
 public:
  using Function = std::function<Vector(Batch<X>)>;

  template <class P>
  // NOLINTNEXTLINE(google-explicit-constructor): meant to convert
  requires(!std::same_as<P, Posterior> && PosteriorOver<P, X>) Posterior(P p)
      : self_(std::make_shared<const Held<P>>(std::move(p))) {}

  Vector mean(Batch<X> at, int threads) const { return self_->mean(at, threads); }
  Marginals marginals(Batch<X> at, int threads) const { return self_->marginals(at, threads); }
  Gaussian joint(Batch<X> at, int threads) const { return self_->joint(at, threads); }
  double log_evidence() const { return self_->log_evidence(); }
  InferenceReport report() const { return self_->report(); }

  LeaveOneOut leave_one_out(int threads) const { return self_->leave_one_out(threads); }
  TrendEstimate trend() const { return self_->trend(); }
  Posterior extended(Batch<X> x, const Vector& y, const Vector& variances, int threads) const {
    return self_->extended(x, y, variances, threads);
  }
  Function pathwise(const Function& draw, Random& rng) const { return self_->pathwise(draw, rng); }
  Mean<X> basis_mean(const Mean<X>& given) const { return self_->basis_mean(given); }
  std::optional<Matrix> sample(Batch<X> at, Index draws, std::uint64_t seed, Of of) const {
    return self_->sample(at, draws, seed, of);
  }

  std::optional<PosteriorState> state() const { return self_->state(); }
  Vector variables() const { return self_->variables(); }

  /// The posterior inside if it is a P, else null.
  template <class P>
  const P* as() const {
    const auto* held = dynamic_cast<const Held<P>*>(self_.get());
    return held ? &held->p : nullptr;
  }

 private:
  struct Any {
    virtual ~Any() = default;
    virtual Vector mean(Batch<X>, int) const = 0;
    virtual Marginals marginals(Batch<X>, int) const = 0;
    virtual Gaussian joint(Batch<X>, int) const = 0;
    virtual double log_evidence() const = 0;
    virtual InferenceReport report() const = 0;
    virtual LeaveOneOut leave_one_out(int) const = 0;
    virtual TrendEstimate trend() const = 0;
    virtual Posterior extended(Batch<X>, const Vector&, const Vector&, int) const = 0;
    virtual Function pathwise(const Function&, Random&) const = 0;
    virtual Mean<X> basis_mean(const Mean<X>&) const = 0;
    virtual std::optional<Matrix> sample(Batch<X>, Index, std::uint64_t, Of) const = 0;
    virtual std::optional<PosteriorState> state() const = 0;
    virtual Vector variables() const = 0;
  };
  template <class P>
  struct Held;
  std::shared_ptr<const Any> self_;
};

template <class X>
template <class P>
struct Posterior<X>::Held final : Posterior<X>::Any {
  explicit Held(P held) : p(std::move(held)) {}
  Vector mean(Batch<X> at, int threads) const override { return p.mean(at, threads); }
  Marginals marginals(Batch<X> at, int threads) const override { return p.marginals(at, threads); }
  Gaussian joint(Batch<X> at, int threads) const override { return p.joint(at, threads); }
  double log_evidence() const override { return p.log_evidence(); }
  InferenceReport report() const override { return p.report(); }
  LeaveOneOut leave_one_out(int threads) const override {
    if constexpr (requires { p.leave_one_out(threads); }) return p.leave_one_out(threads);
    refuse("leave-one-out predictions");
  }
  TrendEstimate trend() const override {
    if constexpr (requires { p.trend(); }) return p.trend();
    return {};
  }
  Posterior extended(Batch<X> x, const Vector& y, const Vector& variances, int threads) const override {
    if constexpr (requires { p.extended(x, y, variances, threads); })
      return p.extended(x, y, variances, threads);
    refuse("further observations");
  }
  Function pathwise(const Function& draw, Random& rng) const override {
    if constexpr (requires { p.pathwise(draw, rng); }) return p.pathwise(draw, rng);
    refuse("sample paths");
  }
  Mean<X> basis_mean(const Mean<X>& given) const override {
    if constexpr (requires { p.basis_mean(); }) return p.basis_mean();
    return given;
  }
  std::optional<Matrix> sample(Batch<X> at, Index draws, std::uint64_t seed, Of of) const override {
    if constexpr (requires { p.sample(at, draws, seed, of); }) return p.sample(at, draws, seed, of);
    return {};
  }
  std::optional<PosteriorState> state() const override {
    if constexpr (requires { p.state(); }) return p.state();
    return {};
  }
  Vector variables() const override {
    if constexpr (requires { p.variables(); }) return p.variables();
    return Vector(0);
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(Problem::usage, p.report().inference + " has no " + what);
  }
  P p;
};

}  // namespace covary
