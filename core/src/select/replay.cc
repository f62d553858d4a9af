#include "covary/select/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "covary/select/draws.h"
#include "covary/select/machines.h"
#include "parallel.h"

namespace covary {
namespace {

/// One repeat's rows: those that may be labelled, those to judge by, and the start.
struct Scene {
  std::vector<Index> pool;  // rows of the data
  Matrix x, test_x;
  Vector y, test_y, cost;
  std::vector<Index> start;  // of the pool
};

Index start_of(const ReplayData& data, const ReplayOptions& o) {
  if (o.start > 0) return o.start;
  return data.kinds ? 2 * data.kinds : std::clamp<Index>(2 * data.x.cols() + 2, 5, 20);
}

std::vector<Index> shuffled(Index n, Random& rng) {
  std::vector<Index> out = everyone(n);
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

/// The model as the labels so far have it, over the candidates of a scene.
class Replayed {
 public:
  Replayed(const Scene& s, const ReplayData& data, const Model<Row>& model, const ReplayOptions& o,
           const NamedStrategy& strategy, int repeat)
      : scene_(s),
        kinds_(data.kinds),
        options_(o),
        model_(model),
        process_(prior(s, data, model)),
        selector_(strategy, pool_of<Row>(process_, s.x),
                  {seed_of(o, repeat) ^ 0x9e3779b97f4a7c15U, o.random_share, s.cost, false, data.kinds, 1}),
        machines_(SvmOptions{.penalty = o.penalty, .threads = 1}),
        stopping_(o.stop) {
    tell(s.start);
    learn();
  }

  Trial run(const std::string& name, int repeat, const std::function<bool()>& go_on) {
    Trial out{name, repeat, {}, "budget"};
    out.steps.push_back(measured({}, -1));
    for (const Index i : scene_.start) out.steps.back().spent += cost(i);
    const Index budget = std::min<Index>(options_.budget, scene_.x.rows());
    while (out.steps.back().labels < budget && go_on()) {
      const Index batch = std::min(options_.batch, budget - out.steps.back().labels);
      const std::vector<Choice> choices = selector_.suggest(batch);
      const Vector before = foreseen(scene_.test_x);
      for (const Choice& c : choices) {
        const double surprise = this->surprise(c.candidate);
        tell({c.candidate});
        Step step = measured(c, scene_.pool[static_cast<size_t>(c.candidate)]);
        step.surprise = surprise;
        step.spent = out.steps.back().spent + cost(c.candidate);
        out.steps.push_back(step);
      }
      if (labels() >= next_) learn(), out.steps.back().error = error();
      stopping_.round(labels(), out.steps.back().largest_sd,
                      choices.front().score / cost(choices.front().candidate),
                      moved(before, foreseen(scene_.test_x)));
      if (const std::string rule = stopping_.reason(); !rule.empty()) {
        out.stopped = rule;
        break;
      }
    }
    return out;
  }

  double error() {
    const Vector f = foreseen(scene_.test_x);
    if (kinds_) return double((f.array() != scene_.test_y.array()).count()) / double(f.size());
    return std::sqrt((f - scene_.test_y).squaredNorm() / double(f.size()));
  }

 private:
  static Process<Row> prior(const Scene& s, const ReplayData& data, const Model<Row>& model) {
    if (data.kinds) {
      const Noise noise = model.noise.kind == Noise::Kind::given ? model.noise : Noise::of(0.1);
      return Process<Row>(scaled_to(model.kernel, s.x), zero_mean<Row>(), noise);
    }
    const Vector y = s.y(s.start);
    const double variance = std::max(1e-12, (y.array() - y.mean()).square().mean());
    Kernel<Row> kernel = model.kernel.amplified().sized(s.x);
    const Vector theta = kernel.theta(), suggested = kernel.start(s.x, variance);
    kernel = kernel.with(theta.array().isNaN().select(suggested, theta));
    const Noise noise = model.noise.kind == Noise::Kind::given ? model.noise : Noise::of(0.01 * variance);
    return Process<Row>(kernel, model.mean, noise);
  }
  Index labels() const { return selector_.belief().labels(); }
  double cost(Index i) const { return scene_.cost.size() ? scene_.cost[i] : 1; }
  std::vector<Index> labelled() const {
    const Belief& b = selector_.belief();
    return {b.order().begin(), b.order().begin() + b.labels()};
  }
  void tell(const std::vector<Index>& candidates) {
    if (candidates.size() == 1)
      selector_.tell(candidates[0], scene_.y[candidates[0]]);
    else
      selector_.tell(candidates, scene_.y(candidates));
    if (kinds_) machines_.train(selector_.belief().pool(), labelled(), selector_.classes(), kinds_);
  }

  /// Learns the parameters anew from the labels so far, and says when the next time is.
  void learn() {
    next_ = std::numeric_limits<Index>::max();
    if (options_.relearn <= 1 || kinds_) return;
    next_ = std::max(labels() + 1, Index(std::ceil(options_.relearn * double(labels()))));
    const std::vector<Index> rows = labelled();
    const Matrix x = scene_.x(rows, Eigen::all);
    const Vector y = scene_.y(rows);
    FitOptions o;
    o.threads = 1;
    Model<Row> from = model_;  // the search begins where the last one ended, and elsewhere
    if (learned_) from.kernel = process_.kernel(), o.starts = 3;
    try {
      const Fitted<Row> fitted = fit<Row>(from, x, y, o);
      if (fitted.scale != 1) return;
      process_ = Process<Row>(fitted.process.kernel(), fitted.process.trend(), fitted.process.noise());
      learned_ = true;
    } catch (const Error& e) {
      if (e.problem() == Problem::usage) throw;
      return;  // these labels cannot tell: the parameters stay
    }
    Pool pool = pool_of<Row>(process_, scene_.x);
    pool.drawn = [this, process = process_, x, y](int draws, std::uint64_t seed) {
      std::vector<Pool> out;
      for (const Process<Row>& p : parameter_draws<Row>(process, x, y, draws, seed))
        out.push_back(pool_of<Row>(p, scene_.x));
      return out;
    };
    selector_.replace(std::move(pool));
  }

  /// Numbers or classes at other rows.
  Vector foreseen(const Matrix& at) {
    const Belief& b = selector_.belief();
    Vector out(at.rows());
    if (kinds_) {
      const std::vector<Index> best =
          winners(machines_.decision(at.rows(), [&](const std::vector<Index>& some) {
            return process_.kernel().cross(at, scene_.x(some, Eigen::all));
          }));
      for (Index i = 0; i < out.size(); ++i) out[i] = double(best[static_cast<size_t>(i)]);
      return out;
    }
    const auto [alpha, beta] = b.weights();
    const Mean<Row> mean = process_.trend().centred_on(scene_.x);
    out = process_.kernel().cross(at, scene_.x(labelled(), Eigen::all)) * alpha + mean.known_at(at);
    if (beta.size()) out += mean.basis_at(at) * beta;
    return out;
  }
  double moved(const Vector& before, const Vector& after) const {
    if (kinds_) return double((before.array() != after.array()).count()) / double(after.size());
    return std::sqrt((after - before).squaredNorm() / double(after.size()));
  }
  double surprise(Index candidate) {
    const double f = foreseen(scene_.x.row(candidate))[0], y = scene_.y[candidate];
    return kinds_ ? double(f != y) : (f - y) * (f - y);
  }
  double largest_sd() const {
    if (kinds_) return std::numeric_limits<double>::quiet_NaN();
    const Vector variance = selector_.belief().variance();
    double most = 0;
    for (Index i = 0; i < variance.size(); ++i)
      if (selector_.is_open(i)) most = std::max(most, variance[i]);
    return std::sqrt(most);
  }
  Step measured(const Choice& c, Index row) {
    Step s{labels(), row, c.by_chance, c.probability, c.open};
    s.error = error();
    s.largest_sd = largest_sd();
    return s;
  }

  const Scene& scene_;
  Index kinds_;
  const ReplayOptions& options_;
  const Model<Row>& model_;
  Process<Row> process_;
  Selector selector_;
  Machines machines_;
  Stopping stopping_;
  bool learned_ = false;
  Index next_ = 0;  // labels at which parameters are learned again
};

void check(const ReplayData& data, const ReplayOptions& o) {
  check_sizes(data.x.rows(), data.y.size());
  const Index start = start_of(data, o);
  if (o.strategies.empty()) throw Error(Problem::usage, "no strategy was given");
  if (o.repeats < 1)
    throw Error(Problem::usage, fmt::format("repeats must be at least 1, found {}", o.repeats));
  if (o.batch < 1) throw Error(Problem::usage, fmt::format("a batch has 1 label or more, found {}", o.batch));
  if (!(o.test_share > 0 && o.test_share < 1))
    throw Error(Problem::usage,
                fmt::format("the share of test rows must be between 0 and 1, found {}", o.test_share));
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

}  // namespace

std::vector<Trial> replay(const ReplayData& data, const Model<Row>& model, const ReplayOptions& o,
                          const std::vector<Trial>& done) {
  check(data, o);
  std::vector<NamedStrategy> named;
  for (const std::string& s : o.strategies) named.push_back(parse_strategy(s));
  const auto kinds = std::ssize(named);
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
  // Repeat by repeat, so that what is there after a while compares all strategies.
  parallel_for(std::ssize(runs), threads_or_all(o.threads), [&](Index task) {
    const int repeat = int(task / kinds);
    const auto which = static_cast<size_t>(task % kinds);
    Trial& out =
        runs[static_cast<size_t>(which) * static_cast<size_t>(o.repeats) + static_cast<size_t>(repeat)];
    for (const Trial& r : done)
      if (r.strategy == o.strategies[which] && r.repeat == repeat) {
        out = r;
        return tell(task, 1);
      }
    const Scene s = scene(data, o, repeat);
    Replayed replayed(s, data, model, o, named[which], repeat);
    Index rounds = 0;
    const double all = std::max(1.0, double(o.budget) / double(o.batch));
    out = replayed.run(o.strategies[which], repeat, [&] {
      tell(task, double(rounds++) / all);
      return true;
    });
    tell(task, 1);
    const std::lock_guard lock(mutex);
    if (o.finished) o.finished(out);
  });
  return runs;
}

Vector full_error(const ReplayData& data, const Model<Row>& model, const ReplayOptions& options) {
  ReplayOptions o = options;
  Vector out(o.repeats);
  const NamedStrategy any = parse_strategy("random");
  parallel_for(o.repeats, threads_or_all(o.threads), [&](Index repeat) {
    Scene s = scene(data, o, int(repeat));
    s.start = everyone(s.x.rows());
    out[repeat] = Replayed(s, data, model, o, any, int(repeat)).error();
  });
  return out;
}

Kernel<Row> scaled_to(const Kernel<Row>& kernel, const Rows& x) {
  const Kernel<Row> sized = kernel.sized(x);
  Vector theta = sized.theta();
  Index next = 0;
  for (const Parameter& p : sized.parameters()) {
    if (p.fixed) continue;
    double& t = theta[next++];
    if (!std::isnan(t)) continue;
    if (p.role != Role::lengthscale || p.column < 0) {
      t = 0;
      continue;
    }
    const auto column = x.col(p.column);
    const double sd = std::sqrt((column.array() - column.mean()).square().mean());
    t = std::log((sd > 0 ? sd : 1) * std::sqrt(0.5 * double(x.cols())));
  }
  return sized.with(theta);
}

}  // namespace covary
