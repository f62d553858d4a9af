#include "covary/learn/cost_estimate.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "covary/base/parallel.h"
#include "covary/base/runtime.h"
#include "learn/on_all_rows.h"

namespace covary {
using namespace internal;
namespace {

/// Seconds of one value and gradient on m rows, the least of three.
double evaluation_seconds(const Model<Row>& model, const Rows& x, const Vector& y, Index m,
                          const FitOptions& options) {
  const std::vector<Index> rows = Random(options.seed).subset(x.rows(), m);
  const Matrix some = pick(x, rows);
  const Noise noise =
      model.noise.is_exact() ? Noise::of(1e-4) : model.noise.of_rows(rows);  // sure of a factor
  const Kernel<Row> kernel = model.kernel.amplified().sized(some);
  const double learned = noise.is_learned() ? 1 : 0;
  const Vector start = kernel.start(some, 1);
  const Vector theta = concat(start, Vector::Constant(Index(learned), std::log(0.01)));
  Evidence<Row> evidence(kernel, model.mean, noise, some, Vector(y(rows)), options.objective);
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    (void)evidence.at(theta, true, m <= 300 ? 1 : threads_or_all(options.threads));
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

int learned_periods(const Model<Row>& model) {
  const std::vector<Parameter> all = model.kernel.parameters();
  return int(std::count_if(all.begin(), all.end(),
                           [](const Parameter& p) { return p.role == Role::period && !p.fixed; }));
}

}  // namespace

Effort internal::effort(const Model<Row>& model, const Rows& x, const Vector& y, const FitOptions& options) {
  check_sizes(x.rows(), y.size());
  check_trainable(x.rows(), x.cols());
  check_finite(x, "x");
  check_finite(y, "y");
  const Index n = x.rows(), timed = std::min<Index>(n, 1500), subset = std::min(n, options.subset);
  const Inference<Row> inference = parse_inference<Row>(options.inference);
  // One evaluation that is exact, and what others take beside it.
  const double seconds = evaluation_seconds(model, x, y, timed, options);
  const double reference = Exact().cost(timed, x.cols()).flops;
  const auto seconds_of = [&](Index rows) {
    return seconds * inference.cost(rows, x.cols()).flops / reference;
  };
  const bool sampled = n > subset + subset / 3, alone = options.starts == 1;
  Effort e;
  e.explored_rows = sampled ? subset : n;
  // What real sets took, about: descents and screening; the sweeps of each period, by value alone; what
  // samples suggest, on all rows.
  const int periods = learned_periods(model), descents = 100 + 40 * options.starts, sweeps = 3500 * periods,
            samples = sampled ? 2 : 1, tried = sampled && n <= few_rows ? (periods > 0 ? 900 : 150) : 0;
  e.exploring = alone ? 0 : (descents + sweeps) * samples;
  e.refining = alone ? 50 : 20 + 15 * options.polish + tried;
  if (inference.cost(n, x.cols()).variables) e.refining += joint_evaluations;
  e.seconds_each = seconds_of(n);
  const double evaluations = alone ? 0 : (0.7 * descents + 0.3 * sweeps) * samples;  // with gradients
  e.exploring_seconds = evaluations * seconds_of(e.explored_rows);
  e.finishing_seconds = 2 * e.seconds_each;
  e.seconds =
      std::min(e.exploring_seconds + e.refining * e.seconds_each + e.finishing_seconds, options.max_seconds);
  // One triangle of an n x n matrix is touched, then that of the factor in its place; each search has its
  // own.
  const double side_by_side = threads_or_all(options.threads) * 8.0 * double(subset) * double(subset);
  e.bytes = std::max(inference.cost(n, x.cols()).bytes, side_by_side) +
            32.0 * double(n) * double(x.cols() + 4) + 2e7;
  e.free_bytes = double(memory_available());
  return e;
}

}  // namespace covary
