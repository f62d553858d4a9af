#include "covary/learn/cost_estimate.h"

#include <algorithm>
#include <chrono>

#include "covary/base/parallel.h"
#include "covary/base/runtime.h"
#include "covary/learn/auto_inference.h"
#include "learn/on_all_rows.h"

namespace covary {
using namespace internal;
namespace {

int learned_periods(const std::vector<Parameter>& all) {
  return int(std::count_if(all.begin(), all.end(),
                           [](const Parameter& p) { return p.role == Role::period && !p.fixed; }));
}

}  // namespace

double internal::least_seconds(int calls, const std::function<void()>& call) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < calls; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

Effort internal::estimated_effort(const TimedEvaluation& one, const FitOptions& options) {
  const Index n = one.n, subset = std::min(n, options.subset);
  const double reference = one.cost(one.timed).flops;
  const auto seconds_of = [&](Index rows) { return one.seconds * one.cost(rows).flops / reference; };
  const bool sampled = n > subset + subset / 3, alone = options.starts == 1 || !one.anything;
  Effort e;
  e.explored_rows = sampled ? subset : n;
  // What real sets took, about: descents and screening; the sweeps of each period, by value alone; what
  // samples suggest, on all rows.
  const int periods = learned_periods(one.parameters), descents = 100 + 40 * options.starts,
            sweeps = 3500 * periods, samples = sampled ? 2 : 1,
            tried = sampled && n <= few_rows ? (periods > 0 ? 900 : 150) : 0;
  e.exploring = alone ? 0 : (descents + sweeps) * samples;
  e.refining = !one.anything ? 0 : alone ? 50 : 20 + 15 * options.polish + tried;
  if (one.cost(n).variables) e.refining += joint_evaluations;
  e.seconds_each = seconds_of(n);
  const double evaluations = alone ? 0 : (0.7 * descents + 0.3 * sweeps) * samples;  // with gradients
  e.exploring_seconds = evaluations * seconds_of(e.explored_rows);
  e.finishing_seconds = 2 * e.seconds_each;
  e.seconds =
      std::min(e.exploring_seconds + e.refining * e.seconds_each + e.finishing_seconds, options.max_seconds);
  // One triangle of an n x n matrix is touched, then that of the factor in its place; each search has its
  // own.
  const double side_by_side = threads_or_all(options.threads) * 8.0 * double(subset) * double(subset);
  e.bytes = std::max(one.cost(n).bytes, side_by_side) + 32.0 * double(n) * double(one.d + 4) + 2e7;
  e.free_bytes = double(memory_available());
  return e;
}

Effort internal::effort(const Model<Row>& model, const Rows& x, const Vector& y, const FitOptions& options) {
  check_fit<Row>(x, y, options);
  const FitProblem<Row> p = fit_problem<Row>(model, x, y, options);
  std::vector<InferenceEstimate> all;
  const std::string chosen = resolve_inference<Row>(model, p, x, y, options, all, true);
  Effort e;
  const InferenceEstimate one = estimated<Row>(chosen, p, x, options, &e);
  if (!one.refusal.empty()) throw Error(Problem::usage, one.refusal);
  e.inference = one.inference, e.considered = std::move(all);
  return e;
}

}  // namespace covary
