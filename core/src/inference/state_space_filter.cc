#include "covary/inference/state_space_filter.h"

#include <fmt/format.h>

#include <cmath>

#include "covary/base/checks.h"
#include "inference/state_space/state_filter.h"
#include "process/gls.h"

namespace covary {
using namespace internal;

struct StateSpace::Filter::State {
  Process<Row> prior;
  StateModel model;
  double last = 0, origin = 0;
  Index rows = 0;
  FilterResult filtered;
};

StateSpace::Filter::Filter(const Process<Row>& prior, const StateSpace& how, Index columns) {
  check_given(prior.kernel().parameters());
  if (prior.trend().basis)
    throw Error(Problem::usage, "a filter needs a known trend: zero, or one whose coefficients are given");
  (void)prior.noise().variances(1);
  const Matrix none(0, columns);
  if (const std::string why = state_refusal(how, prior, none); !why.empty()) throw Error(Problem::usage, why);
  state_ = std::make_unique<State>(
      State{prior, state_model(prior.kernel(), columns, how.order).model, 0, 0, 0, {}});
}

StateSpace::Filter::~Filter() = default;
StateSpace::Filter::Filter(Filter&&) noexcept = default;
StateSpace::Filter& StateSpace::Filter::operator=(Filter&&) noexcept = default;

/// The last row so far stands before the new ones, so that the step from it is known; it is not seen again.
void StateSpace::Filter::observe(const Rows& x, const Vector& y) {
  State& s = *state_;
  if (x.rows() == 0 && y.size() == 0) return;
  check_sizes(x.rows(), y.size());
  internal::check_finite(x, "x");
  internal::check_finite(y, "y");
  const Index before = s.rows > 0 ? 1 : 0, n = x.rows();
  Vector t(before + n);
  t.head(before).setConstant(s.last);
  t.tail(n) = x.col(s.model.column);
  for (Index i = 1; i < t.size(); ++i)
    if (t[i] < t[i - 1])
      throw Error(Problem::data, fmt::format("row {} is before the one above it: {} after {}",
                                             s.rows + i + 1 - before, t[i], t[i - 1]));
  StateTimes times(std::move(t));
  if (before == 0) s.origin = times.origin;
  times.origin = s.origin;
  const StateSteps steps(s.model, times);
  Matrix columns = Matrix::Zero(before + n, 1);
  columns.col(0).tail(n) = y - s.prior.trend().known_at(x);
  FilterResult next = s.filtered;
  if (before == 0) next.end = steps.prior(1);
  filter_on(steps, columns, s.prior.noise().variances(before + n), before, next);
  if (next.sums.singular)
    throw Error(Problem::numerical,
                "an observation without noise follows from those before it: give a noise variance");
  next.starts.clear();
  s.filtered = std::move(next);
  s.rows += n, s.last = times.t[times.size() - 1];
}

Index StateSpace::Filter::size() const { return state_->rows; }

double StateSpace::Filter::log_evidence() const {
  StateSums sums = state_->filtered.sums;
  sums.n = state_->rows;
  return sums.n ? sums.log_density() : 0;
}

Marginals StateSpace::Filter::forecast(const Rows& x) const {
  const State& s = *state_;
  Marginals out{s.prior.trend().known_at(x), Vector(x.rows()), 0};
  StateTimes times(Vector(Vector::Constant(1, s.last)));
  times.origin = s.origin;
  const StateSteps steps(s.model, times);
  const Vector t = x.col(s.model.column), prior = steps.prior_variance(t);
  if (s.rows == 0) {
    out.variance = prior;
    return out;
  }
  if (x.rows() && t.minCoeff() < s.last)
    throw Error(Problem::usage, fmt::format("a filter forecasts from its last row on: {} is before {}",
                                            t.minCoeff(), s.last));
  const StateSteps::Moves moves = steps.moves(t.array() - s.last);
  const Matrix h = steps.observed(t.data(), t.size());
  for (Index i = 0; i < t.size(); ++i) {  // h'A m, h'(A P A' + Q) h
    Vector w = h.col(i), noise = Vector::Zero(w.size());
    steps.add_noise(moves, i, w.data(), noise.data());
    out.variance[i] = w.dot(noise);
    steps.move(moves, i, w.data(), true);
    out.mean[i] += w.dot(s.filtered.end.m.col(0));
    out.variance[i] += w.dot(s.filtered.end.p * w);
  }
  out.clamped = clamp_variances(out.variance, prior, s.model.size);
  return out;
}

}  // namespace covary
