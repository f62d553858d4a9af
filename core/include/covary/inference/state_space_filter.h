// The Kalman filter alone, for streams of rows: only the state of s numbers and its covariance are kept, so that a
// row costs O(s^3), however many came before it.
//
//   StateSpace::Filter filter(Process<Row>(1.3 * matern32(0.5), {}, Noise::of(0.1)));
//   while (...) filter.observe(block_x, block_y);
//   Marginals next = filter.forecast(later);
#pragma once
#include "covary/inference/state_space.h"

namespace covary {

class StateSpace::Filter {
 public:
  /// The kernel, the noise (one variance) and the trend of `prior` must be known; its rows have so many columns.
  explicit Filter(const Process<Row>& prior, const StateSpace& how = {}, Index columns = 1);
  ~Filter();
  Filter(Filter&&) noexcept;
  Filter& operator=(Filter&&) noexcept;

  /// Further rows in the order of time, none before the last one. Throws Problem::data otherwise, and
  /// Problem::numerical for a row without noise that follows from those before it.
  void observe(const Rows& x, const Vector& y);
  Index size() const;           // rows so far
  double log_evidence() const;  // log p(y) of them
  /// f at times that are not before the last row, given all so far.
  Marginals forecast(const Rows& x) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace covary
