#include "covary/evaluate/forward.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "covary/base/error.h"
#include "model/refit.h"

namespace covary {
namespace {

/// The rows in the order of time, and where each different time begins among them: times + 1 entries.
struct Timeline {
  std::vector<Index> rows, begin;
  Index times() const { return std::ssize(begin) - 1; }
  Index first(Index time) const { return begin[static_cast<size_t>(time)]; }
  std::vector<Index> between(Index from, Index to) const {
    return {rows.begin() + first(from), rows.begin() + first(to)};
  }
};

Timeline timeline(const Vector& t) {
  Timeline out;
  out.rows.resize(static_cast<size_t>(t.size()));
  std::iota(out.rows.begin(), out.rows.end(), Index{0});
  std::stable_sort(out.rows.begin(), out.rows.end(), [&](Index a, Index b) { return t[a] < t[b]; });
  for (Index i = 0; i < t.size(); ++i)
    if (i == 0 || t[out.rows[static_cast<size_t>(i)]] != t[out.rows[static_cast<size_t>(i - 1)]])
      out.begin.push_back(i);
  out.begin.push_back(t.size());
  return out;
}

/// How many times each origin knows, ascending, and how far ahead it looks.
struct Plan {
  std::vector<Index> known;
  Index horizon = 0;
};

Plan plan(Index times, const ForwardOptions& o) {
  if (!(o.initial > 0 && o.initial < 1))
    throw Error(Problem::usage,
                fmt::format("initial: expected a share above 0 and below 1, found {}", o.initial));
  if (o.origins < 1)
    throw Error(Problem::usage, fmt::format("origins: expected 1 or more, found {}", o.origins));
  if (o.horizon < 0)
    throw Error(Problem::usage, fmt::format("horizon: expected 1 or more, found {}", o.horizon));
  if (times < 3)
    throw Error(Problem::data,
                fmt::format("expected at least 3 different times to forecast from, found {}", times));
  const Index first = std::clamp<Index>(std::llround(o.initial * double(times)), 1, times - 1);
  const Index left = times - first;
  Plan p;
  p.horizon = o.horizon > 0 ? o.horizon : (left + o.origins - 1) / o.origins;
  if (p.horizon > left)
    throw Error(
        Problem::usage,
        fmt::format("horizon: expected at most {} steps, as many times follow the first {} of {}, found {}",
                    left, first, times, p.horizon));
  const Index room = left - p.horizon, count = std::min(o.origins, room + 1);
  for (Index k = 0; k < count; ++k)
    p.known.push_back(first +
                      (count == 1 ? room : std::llround(double(room) * double(k) / double(count - 1))));
  return p;
}

/// New observations at `rows` of the model, as `known`, given the rows before an origin, forecasts them.
Prediction forecast(const FittedModel& model, const FittedModel& known, const std::vector<Index>& rows,
                    int threads) {
  const Matrix at = pick(model->x, rows);
  Prediction p = model->noise.per_row() && !model->weights
                     ? known.predict(at, model->noise.of_rows(rows).rescaled(1 / model->scale), threads)
                     : known.predict(at, Of::y, threads);
  if (!p.at(0).allFinite())  // NaN where a scale is infinite
    throw Error(Problem::data,
                "the rows before an origin do not determine the model: begin later (a larger initial share)");
  return p;
}

Vector vector_of(const std::vector<double>& v) { return Eigen::Map<const Vector>(v.data(), std::ssize(v)); }

HorizonScores horizon_scores(const Forecasts& f, Index from, Index to) {
  std::vector<Index> which;
  for (size_t i = 0; i < f.step.size(); ++i)
    if (f.step[i] >= from && f.step[i] <= to) which.push_back(static_cast<Index>(i));
  const Vector y = f.observed(which), naive = f.naive(which);
  return {from, to, score(f.prediction.picked(which), y),
          std::sqrt((y - naive).squaredNorm() / double(y.size()))};
}

}  // namespace

Forecasts roll_forward(const FittedModel& model, const ForwardOptions& o) {
  if (o.column < 0 || o.column >= model->x.cols())
    throw Error(Problem::usage,
                fmt::format("column: expected 0 to {}, found {}", model->x.cols() - 1, o.column));
  if (o.refit) check_can_relearn(model);
  const Vector t = model->x.col(o.column);
  const Timeline line = timeline(t);
  const Plan p = plan(line.times(), o);
  Forecasts out;
  out.horizon = p.horizon;
  out.last.resize(std::ssize(p.known));
  std::vector<double> naive;
  for (Index k = 0; k < std::ssize(p.known); ++k) {
    if (o.progress) o.progress(k, std::ssize(p.known));
    const Index known = p.known[static_cast<size_t>(k)];
    const std::vector<Index> past = line.between(0, known), latest = line.between(known - 1, known);
    const FittedModel predictor =
        o.refit ? relearned(model, past, {o.threads, o.max_seconds}) : conditioned(model, past, o.threads);
    out.last[k] = t[latest.front()];
    const double carried = Vector(model->y(latest)).mean();
    const Prediction ahead = forecast(model, predictor, line.between(known, known + p.horizon), o.threads);
    out.prediction = k == 0 ? ahead : out.prediction.joined(ahead);
    for (Index step = 1; step <= p.horizon; ++step)
      for (const Index row : line.between(known + step - 1, known + step)) {
        out.row.push_back(row), out.origin.push_back(k), out.step.push_back(step);
        naive.push_back(carried);
      }
  }
  out.observed = model->y(out.row);
  out.naive = vector_of(naive);
  return out;
}

std::vector<HorizonScores> internal::by_horizon(const Forecasts& f) {
  std::vector<HorizonScores> out;
  for (Index from = 1, to = 1; from <= f.horizon; from = to + 1, to = 2 * (from - 1))
    out.push_back(horizon_scores(f, from, std::min(to, f.horizon)));
  return out;
}

HorizonScores internal::overall(const Forecasts& f) { return horizon_scores(f, 1, f.horizon); }

}  // namespace covary
