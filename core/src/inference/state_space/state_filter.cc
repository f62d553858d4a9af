#include "inference/state_space/state_filter.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "covary/base/parallel.h"

namespace covary::internal {

double StateSums::log_density() const {
  if (singular || !std::isfinite(log_variance) || !std::isfinite(trend.rest))
    return -std::numeric_limits<double>::infinity();
  return -0.5 * (double(n) * std::log(2 * std::numbers::pi) + log_variance + trend.rest);
}

Vector StateSums::beta() const { return trend.r.triangularView<Eigen::Upper>().solve(trend.z); }

namespace {

constexpr Index runs_at_once = 32;  // whose parts that need no state are had across threads

}  // namespace

void filter_on(const StateSteps& steps, const Matrix& columns, const Vector& noise, Index from,
               FilterResult& result, int threads) {
  const Index n = columns.rows(), p = columns.cols() - 1, length = steps.run();
  StateSums& sums = result.sums;
  const Index at_once = threads > 1 ? runs_at_once : 1;
  std::vector<StateRun> runs(static_cast<size_t>(at_once));
  for (Index k = from / length; k * length < n && !sums.singular; k += at_once) {
    const Index count = std::min(at_once, (n - k * length + length - 1) / length);
    parallel_for(count, threads, [&](Index i) {
      const Index first = std::max(from, (k + i) * length);
      steps.load(runs[static_cast<size_t>(i)], first, std::min((k + i + 1) * length, n) - first, columns,
                 noise);
    });
    for (Index i = 0; i < count; ++i) {
      StateRun& run = runs[static_cast<size_t>(i)];
      if (run.first % length == 0) result.starts.push_back(result.end);
      if (!steps.forwards(run, result.end)) {
        sums.singular = true;
        return;
      }
      sums.log_variance += run.variance.array().log().sum();
      const Vector root = run.variance.cwiseSqrt().cwiseInverse();
      if (p == 0)
        sums.trend.rest += run.e.row(0).transpose().cwiseProduct(root).squaredNorm();
      else
        sums.trend = sums.trend.with(root.asDiagonal() * run.e.bottomRows(p).transpose(),
                                     Vector(run.e.row(0).transpose().cwiseProduct(root)));
    }
  }
  sums.n = n;
}

FilterResult filtered(const StateSteps& steps, const Matrix& columns, const Vector& noise, int threads) {
  FilterResult out;
  out.end = steps.prior(columns.cols());
  out.sums.trend = Triangle(columns.cols() - 1);
  out.starts.reserve(static_cast<size_t>(steps.runs()));
  filter_on(steps, columns, noise, 0, out, threads);
  return out;
}

std::vector<DualState> smoothed(const StateSteps& steps, const Matrix& columns, const Vector& noise,
                                const FilterResult& filtered) {
  std::vector<DualState> out(static_cast<size_t>(steps.runs()) + 1);
  DualState state = steps.nothing(columns.cols());
  StateRun run;
  out.back() = state;
  for (Index k = steps.runs() - 1; k >= 0; --k) {
    const Index first = k * steps.run();
    FilteredState begin = filtered.starts[static_cast<size_t>(k)];
    steps.load(run, first, std::min(steps.run(), columns.rows() - first), columns, noise);
    steps.forwards(run, begin);
    steps.backwards(run, state, nullptr);
    out[static_cast<size_t>(k)] = state;
  }
  return out;
}

StateSlopes state_slopes(const StateSteps& steps, const Matrix& columns, const Vector& noise,
                         const FilterResult& filtered, int threads) {
  const StateModel& model = steps.model();
  StateSlopes out{Vector::Zero(model.parameters), 0, {}};
  for (const StateTerm& t : model.terms) out.drift.push_back(Matrix::Zero(t.d, t.d));
  Vector b = Vector::Ones(columns.cols());
  b.tail(columns.cols() - 1) = -filtered.sums.beta();
  const Matrix residual = columns * b;
  DualState state = steps.nothing(1);
  const Index at_once = threads > 1 ? runs_at_once : 1, length = steps.run();
  std::vector<StateRun> runs(static_cast<size_t>(at_once));
  for (Index end = steps.runs(); end > 0; end -= at_once) {  // runs from `begin` to `end`, the last one first
    const Index begin = std::max<Index>(0, end - at_once);
    parallel_for(end - begin, threads, [&](Index i) {
      StateRun& run = runs[static_cast<size_t>(i)];
      const Index first = (begin + i) * length;
      const FilteredState& start = filtered.starts[static_cast<size_t>(begin + i)];
      FilteredState from{start.p, start.m * b};
      steps.load(run, first, std::min(length, columns.rows() - first), residual, noise);
      steps.forwards(run, from);
    });
    for (Index i = end - begin - 1; i >= 0; --i) steps.backwards(runs[static_cast<size_t>(i)], state, &out);
  }
  steps.finish(out);
  return out;
}

}  // namespace covary::internal
