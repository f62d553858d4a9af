// How a process is conditioned on data, and what its fit maximizes: exactly, or by an approximation.
//
//   Inference<Row> how = parse_inference<Row>("inducing(points=512)");
//   Process<Row> posterior = condition(how, prior, x, y);
//
// Any struct with the four verbs of InferenceOver is an inference. One file each, listed in registry.h.
#pragma once
#include "covary/inference/objective.h"
#include "covary/kernels/registry.h"
#include "covary/process/process.h"

namespace covary {

/// The cost of conditioning on n rows; the objective with its gradient costs about three times as much.
struct InferenceCost {
  double flops = 0, bytes = 0;
  bool variables = false;  // a fit optimizes variables of the approximation too
};

template <class I, class X>
concept InferenceOver = requires(const I i, const Process<X> prior, Batch<X> x, const Vector& y, Index n) {
  { i.text() } -> std::convertible_to<std::string>;  // parses back to an equal inference
  { i.template condition<X>(prior, x, y, y, int()) } -> std::convertible_to<Posterior<X>>;
  { i.template objective<X>(prior, x, y, ObjectiveKind()) } -> std::convertible_to<Objectives>;
  { i.cost(n, n) } -> std::convertible_to<InferenceCost>;
};

/// Any inference over X. Immutable; copies share.
///
/// Beyond the four verbs an inference whose objectives have variables (objective.h) has
///   with_variables(v)   itself, which conditions on these          (default: itself)
/// and one that does not take every process has
///   refusal(prior, x)   why it does not apply, and which does; "" if it does    (default: "")
template <class X>
class Inference {
 public:
  template <class I>
  // NOLINTNEXTLINE(google-explicit-constructor): meant to convert
  requires(!std::same_as<I, Inference> && InferenceOver<I, X>) Inference(I i)
      : self_(std::make_shared<const Held<I>>(std::move(i))) {}

  std::string text() const { return self_->text(); }
  /// The posterior of `prior` (its kernel and mean) given y (n) at x with these noise variances (n).
  Posterior<X> condition(const Process<X>& prior, Batch<X> x, const Vector& y, const Vector& variances,
                         int threads) const {
    return self_->condition(prior, x, y, variances, threads);
  }
  /// The same from the state() of a posterior of the same data, without factorizing anything; conditioned
  /// anew by an inference that has no restore().
  Posterior<X> restore(const Process<X>& prior, Batch<X> x, const Vector& y, const Vector& variances,
                       const PosteriorState& state, int threads) const {
    return self_->restore(prior, x, y, variances, state, threads);
  }
  /// What a fit of the hyper-parameters of `prior` maximizes: a function of the kernel's theta, then the
  /// logarithm of the noise variance if that is to be learned. They may borrow nothing.
  Objectives objective(const Process<X>& prior, Batch<X> x, const Vector& y, ObjectiveKind kind) const {
    return self_->objective(prior, x, y, kind);
  }
  Inference with_variables(const Vector& v) const { return self_->with_variables(*this, v); }
  /// Why it does not apply to this process and rows, and which inference does; "" if it applies.
  std::string refusal(const Process<X>& prior, Batch<X> x) const { return self_->refusal(prior, x); }
  /// Of n rows of d numbers.
  InferenceCost cost(Index n, Index d) const { return self_->cost(n, d); }

 private:
  struct Any {
    virtual ~Any() = default;
    virtual std::string text() const = 0;
    virtual Posterior<X> condition(const Process<X>&, Batch<X>, const Vector&, const Vector&, int) const = 0;
    virtual Posterior<X> restore(const Process<X>&, Batch<X>, const Vector&, const Vector&,
                                 const PosteriorState&, int) const = 0;
    virtual Objectives objective(const Process<X>&, Batch<X>, const Vector&, ObjectiveKind) const = 0;
    virtual InferenceCost cost(Index, Index) const = 0;
    virtual Inference with_variables(const Inference&, const Vector&) const = 0;
    virtual std::string refusal(const Process<X>&, Batch<X>) const = 0;
  };
  template <class I>
  struct Held final : Any {
    explicit Held(I held) : i(std::move(held)) {}
    std::string text() const override { return i.text(); }
    Posterior<X> condition(const Process<X>& prior, Batch<X> x, const Vector& y, const Vector& variances,
                           int threads) const override {
      return i.template condition<X>(prior, x, y, variances, threads);
    }
    Posterior<X> restore(const Process<X>& prior, Batch<X> x, const Vector& y, const Vector& variances,
                         const PosteriorState& state, int threads) const override {
      if constexpr (requires { i.template restore<X>(prior, x, y, variances, state, threads); })
        return i.template restore<X>(prior, x, y, variances, state, threads);
      else
        return i.template condition<X>(prior, x, y, variances, threads);
    }
    Objectives objective(const Process<X>& prior, Batch<X> x, const Vector& y,
                         ObjectiveKind kind) const override {
      return i.template objective<X>(prior, x, y, kind);
    }
    InferenceCost cost(Index n, Index d) const override { return i.cost(n, d); }
    Inference with_variables(const Inference& self, const Vector& v) const override {
      if constexpr (requires { i.with_variables(v); })
        return i.with_variables(v);
      else
        return self;
    }
    std::string refusal(const Process<X>& prior, Batch<X> x) const override {
      if constexpr (requires { i.template refusal<X>(prior, x); })
        return i.template refusal<X>(prior, x);
      else
        return "";
    }
    I i;
  };
  std::shared_ptr<const Any> self_;
};

/// The process conditioned on observations by this inference. The noise of `prior` must be given.
/// `state`: of a posterior of the same data, see Inference::restore.
template <class X>
Process<X> condition(const Inference<X>& inference, const Process<X>& prior, Batch<X> x, const Vector& y,
                     int threads = 0, const PosteriorState* state = nullptr) {
  internal::check_given(prior.kernel().parameters());
  internal::check_sizes(count(x), y.size());
  internal::check_finite(x, "x");
  internal::check_finite(y, "y");
  if (const std::string why = inference.refusal(prior, x); !why.empty()) throw Error(Problem::usage, why);
  const Vector variances = prior.noise().variances(y.size());
  return Process<X>(prior, {Points<X>(join(x, slice(x, {0, 0}))), y, variances},
                    state
                        ? inference.restore(prior, x, y, variances, *state, internal::threads_or_all(threads))
                        : inference.condition(prior, x, y, variances, internal::threads_or_all(threads)),
                    prior.noise());
}

/// An inference as the registry knows it.
template <class X>
struct InferenceEntry {
  std::string name;                     // as typed: "inducing"
  std::string about;                    // one line: when to use it
  std::string cost;                     // "n m^2 flops, m^2 doubles"
  std::vector<std::string> parameters;  // names of its arguments
  std::function<Inference<X>(const Arguments&)> make;
};

}  // namespace covary
