// State space: a process of one input column as a Markov process of a few numbers, exact in O(n).
//
//   f(t) = h(t)'x(t),  x(t_i) = A_i x(t_{i-1}) + q_i,  q_i ~ N(0, Q_i),  y_i = f(t_i) + e_i
//
// A Matern kernel of smoothness p + 1/2 is a linear stochastic differential equation of order p + 1; sums put states
// side by side and products take their Kronecker product; constant, linear and cosine kernels are states without
// noise, seen through h. The Kalman filter has the evidence, the smoother of Rauch, Tung and Striebel the rest:
// n s^3 flops and 3 n doubles for s states [hartikainen2010, sarkka2019].
#pragma once
#include "covary/inference/inference.h"

namespace covary {

/// se() and periodic() are approximations: `order` is that of the differential equation of the first, and the number
/// of harmonics of the second.
struct StateSpace {
  class Filter;  // of rows that keep coming: state_space_filter.h

  Index order = 8;
  std::string text() const;

  template <class X>
  Posterior<X> condition(const Process<X>& prior, Batch<X> x, const Vector& y, const Vector& variances,
                         int threads) const;
  template <class X>
  Objectives objective(const Process<X>& prior, Batch<X> x, const Vector& y, ObjectiveKind kind) const;
  /// Which part of the kernel has no state space of one column, and which kernels have one.
  template <class X>
  std::string refusal(const Process<X>& prior, Batch<X> x) const;
  InferenceCost cost(Index n, Index d) const;
};

namespace internal {
Posterior<Row> state_posterior(const StateSpace& how, const Process<Row>& prior, const Rows& x,
                               const Vector& y, const Vector& variances);
Objectives state_objective(const StateSpace& how, const Process<Row>& prior, const Rows& x, const Vector& y,
                           ObjectiveKind kind);
std::string state_refusal(const StateSpace& how, const Process<Row>& prior, const Rows& x);
/// The refusal for points that are not rows of numbers.
std::string state_refusal_of_points(const StateSpace& how);
[[noreturn]] void refuse_points(const StateSpace& how);

template <class X>
InferenceEntry<X> state_space_entry() {
  return {
      "state_space",
      "exact in O(n) for one input column: Matern, constant, linear and cosine kernels, sums and products; "
      "se and periodic approximately, of a given order",
      "n s^3 flops of s states, 3 n doubles",
      {"order"},
      [](const Arguments& a) -> Inference<X> { return StateSpace{a.integer("order", 8, 1, 30)}; }};
}
}  // namespace internal

template <class X>
Posterior<X> StateSpace::condition(const Process<X>& prior, Batch<X> x, const Vector& y,
                                   const Vector& variances, int) const {
  if constexpr (std::same_as<X, Row>)
    return internal::state_posterior(*this, prior, x, y, variances);
  else
    internal::refuse_points(*this);
}

template <class X>
Objectives StateSpace::objective(const Process<X>& prior, Batch<X> x, const Vector& y,
                                 ObjectiveKind kind) const {
  if constexpr (std::same_as<X, Row>)
    return internal::state_objective(*this, prior, x, y, kind);
  else
    internal::refuse_points(*this);
}

template <class X>
std::string StateSpace::refusal(const Process<X>& prior, Batch<X> x) const {
  if constexpr (std::same_as<X, Row>)
    return internal::state_refusal(*this, prior, x);
  else
    return internal::state_refusal_of_points(*this);
}

}  // namespace covary
