#include "select/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "covary/base/parallel.h"

namespace covary {
using namespace internal;

Index start_of(const ReplayData& data, const ReplayOptions& o) {
  if (o.start > 0) return o.start;
  return data.kinds ? 2 * data.kinds : std::clamp<Index>(2 * data.x.cols() + 2, 5, 20);
}

std::vector<Index> shuffled(Index n, Random& rng) {
  std::vector<Index> out = all_indices(n);
  for (Index i = n - 1; i > 0; --i)
    std::swap(out[static_cast<size_t>(i)], out[static_cast<size_t>(rng.integer(i + 1))]);
  return out;
}

std::uint64_t seed_of(const ReplayOptions& o, int repeat) {
  Random rng(o.seed);
  std::uint64_t seed = 0;
  for (int i = 0; i <= repeat; ++i) seed = rng.fork();
  return seed;
}

Scene scene(const ReplayData& data, const ReplayOptions& o, int repeat) {
  Random rng(seed_of(o, repeat));
  const Index m = data.x.rows();
  std::vector<Index> order = shuffled(m, rng);
  const bool own_test = data.test_x.rows() > 0;
  const Index held = own_test ? 0 : std::max<Index>(1, Index(std::floor(o.test_share * double(m))));
  const std::vector<Index> test(order.begin(), order.begin() + held);
  Scene s;
  s.pool.assign(order.begin() + held, order.end());
  std::vector<Index> start = s.pool;  // already in an order of chance
  std::sort(s.pool.begin(), s.pool.end());
  start.resize(static_cast<size_t>(std::min(start_of(data, o), std::ssize(start))));
  for (const Index row : start)
    s.start.push_back(std::lower_bound(s.pool.begin(), s.pool.end(), row) - s.pool.begin());
  s.x = data.x(s.pool, Eigen::all), s.y = data.y(s.pool);
  if (data.cost.size()) s.cost = data.cost(s.pool);
  s.test_x = own_test ? data.test_x : Matrix(data.x(test, Eigen::all));
  s.test_y = own_test ? data.test_y : Vector(data.y(test));
  return s;
}

void check(const ReplayData& data, const ReplayOptions& o) {
  check_sizes(data.x.rows(), data.y.size());
  if (data.cost.size() && data.cost.size() != data.x.rows())
    throw Error(Problem::usage,
                fmt::format("{} costs were given for {} rows", data.cost.size(), data.x.rows()));
  if (data.test_x.rows()) check_sizes(data.test_x.rows(), data.test_y.size());
  if (data.test_x.rows() && data.test_x.cols() != data.x.cols())
    throw Error(Problem::usage,
                fmt::format("expected test points of {} columns, as the candidates have, found {}",
                            data.x.cols(), data.test_x.cols()));
  const Index start = start_of(data, o);
  if (o.strategies.empty()) throw Error(Problem::usage, "no strategy was given");
  if (o.repeats < 1)
    throw Error(Problem::usage, fmt::format("repeats must be at least 1, found {}", o.repeats));
  if (o.batch < 1) throw Error(Problem::usage, fmt::format("a batch has 1 label or more, found {}", o.batch));
  if (!(o.test_share > 0 && o.test_share < 1))
    throw Error(Problem::usage,
                fmt::format("the share of test rows must be between 0 and 1, found {}", o.test_share));
  if (!(o.relearn == 0 || o.relearn > 1))
    throw Error(Problem::usage,
                fmt::format("relearn is a factor over 1, or 0 for never, found {}", o.relearn));
  if (!(o.stop.largest_sd >= 0 && o.stop.gain >= 0 && o.stop.change >= 0 && o.stop.rounds >= 1))
    throw Error(Problem::usage, "stopping rules must not be negative and need at least one round");
  const double kept = data.test_x.rows() ? 1 : 1 - o.test_share;
  const auto candidates = Index(std::ceil(kept * double(data.x.rows())));
  if (start > candidates)
    throw Error(Problem::data,
                fmt::format("{} labels to begin with were asked for, but there are {} candidates", start,
                            candidates));
  if (o.budget < start)
    throw Error(Problem::usage,
                fmt::format("a budget of {} labels is less than the {} to begin with", o.budget, start));
}

Process<Row> prior_of(const Scene& s, const ReplayData& data, const Model<Row>& model) {
  if (data.kinds) {
    const Noise noise = model.noise.is_given() ? model.noise : Noise::of(0.1);
    return Process<Row>(scaled_to(model.kernel, s.x), zero_mean<Row>(), noise);
  }
  const Vector y = s.y(s.start);
  const double variance = std::max(1e-12, (y.array() - y.mean()).square().mean());
  Kernel<Row> kernel = model.kernel.amplified().sized(s.x);
  const Vector theta = kernel.theta(), suggested = kernel.start(s.x, variance);
  kernel = kernel.with(theta.array().isNaN().select(suggested, theta));
  const Noise noise = model.noise.is_given() ? model.noise : Noise::of(0.01 * variance);
  return Process<Row>(kernel, model.mean, noise);
}
std::optional<Process<Row>> relearned(const Model<Row>& model, const Process<Row>* before, const Matrix& x,
                                      const Vector& y) {
  FitOptions o;
  o.threads = 1;
  Model<Row> from = model;
  if (before) from.kernel = before->kernel(), o.starts = 3;
  try {
    const FitResult<Row> fitted = fit<Row>(from, x, y, o);
    if (fitted.scale != 1) return {};
    return Process<Row>(fitted.process.kernel(), fitted.process.trend(), fitted.process.noise());
  } catch (const Error& e) {
    if (e.problem() == Problem::usage) throw;
    return {};
  }
}

double apart(const Vector& a, const Vector& b, Index kinds) {
  if (kinds) return double((a.array() != b.array()).count()) / double(a.size());
  return std::sqrt((a - b).squaredNorm() / double(a.size()));
}

std::vector<Trial> every_run(
    const ReplayOptions& o, const std::vector<Trial>& done,
    const std::function<Trial(size_t, int, const std::function<void(double)>&)>& run) {
  const auto kinds = std::ssize(o.strategies);
  std::vector<Trial> runs(static_cast<size_t>(kinds * o.repeats));
  std::vector<double> shares(runs.size(), 0);
  std::mutex mutex;
  const auto tell = [&](Index task, double share) {
    const std::lock_guard lock(mutex);
    shares[static_cast<size_t>(task)] = share;
    double sum = 0;
    for (const double s : shares) sum += s;
    if (o.progress && !o.progress(sum / double(shares.size())))
      throw Error(Problem::interrupted, "replaying was stopped");
  };
  // Repeat by repeat, so that partial results compare all strategies.
  parallel_for(std::ssize(runs), threads_or_all(o.threads), [&](Index task) {
    const int repeat = int(task / kinds);
    const auto which = static_cast<size_t>(task % kinds);
    Trial& out = runs[which * static_cast<size_t>(o.repeats) + static_cast<size_t>(repeat)];
    for (const Trial& r : done)
      if (r.strategy == o.strategies[which] && r.repeat == repeat) {
        out = r;
        return tell(task, 1);
      }
    out = run(which, repeat, [&](double share) { tell(task, share); });
    tell(task, 1);
    const std::lock_guard lock(mutex);
    if (o.finished) o.finished(out);
  });
  return runs;
}

}  // namespace covary
