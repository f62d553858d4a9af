#include "covary/select/replay.h"

#include <algorithm>
#include <cmath>

#include "covary/base/parallel.h"
#include "covary/select/version_space.h"
#include "select/scene.h"

namespace covary {
using namespace internal;
namespace {

/// The model given the labels so far, over the candidates of a scene.
class Replayed {
 public:
  Replayed(const Scene& s, const ReplayData& data, const Model<Row>& model, const ReplayOptions& o,
           const NamedStrategy& strategy, int repeat)
      : scene_(s),
        kinds_(data.kinds),
        settles_(strategy.entry->settles),
        options_(o),
        model_(model),
        process_(prior_of(s, data, model)),
        selector_(strategy, pool(), selector_options(s, data, o, repeat)),
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
      const std::vector<Choice> choices = suggested(batch);
      if (settles_ && choices.front().score == 0 && !choices.front().by_chance) {
        out.stopped = "all labels are inferred";
        break;
      }
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
                      apart(foreseen(scene_.test_x), before, kinds_));
      if (options_.forecast && repeat == 0)
        if (const std::string words = stopping_.forecast(options_.unit); !words.empty())
          options_.forecast(name + ": " +
                            (stopping_.remaining() <= selector_.open()
                                 ? words
                                 : "more labels than there are candidates to reach the sd asked for"));
      if (const std::string rule = stopping_.reason(); !rule.empty()) {
        out.stopped = rule;
        break;
      }
    }
    return out;
  }

  double error() { return apart(foreseen(scene_.test_x), scene_.test_y, kinds_); }

 private:
  /// Rows, not candidates, where labels contradict each other.
  std::vector<Choice> suggested(Index batch) {
    try {
      return selector_.suggest(batch);
    } catch (const EmptyVersionSpace& e) {
      if (e.labels().empty()) throw;
      std::vector<Index> rows;
      for (const Index i : e.labels()) rows.push_back(scene_.pool[static_cast<size_t>(i)]);
      throw contradicting("rows", rows);
    }
  }
  static SelectorOptions selector_options(const Scene& s, const ReplayData& data, const ReplayOptions& o,
                                          int repeat) {
    return {.seed = seed_of(o, repeat) ^ 0x9e3779b97f4a7c15U,
            .random_share = o.random_share,
            .cost = s.cost,
            .kinds = data.kinds,
            .svm = {.penalty = o.penalty, .threads = 1},
            .minimize = o.minimize,
            .threads = 1};
  }
  Pool pool() const {
    Pool out = pool_of<Row>(process_, scene_.x);
    out.noise_known = model_.noise.is_given();
    return out;
  }
  Index labels() const { return selector_.belief().labels(); }
  double cost(Index i) const { return scene_.cost.size() ? scene_.cost[i] : 1; }
  std::vector<Index> labelled() const {
    const PoolPosterior& b = selector_.belief();
    return {b.order().begin(), b.order().begin() + b.labels()};
  }
  void tell(const std::vector<Index>& candidates) {
    if (candidates.size() == 1)
      selector_.tell(candidates[0], scene_.y[candidates[0]]);
    else
      selector_.tell(candidates, scene_.y(candidates));
    if (kinds_)
      classifier_ =
          Classifier<Row>::train(process_.kernel(), scene_.x(labelled(), Eigen::all), selector_.classes(),
                                 selector_.sight().svm, classifier_ ? &*classifier_ : nullptr);
  }

  /// Fits the parameters anew to the labels so far, and sets the time of the next fit.
  void learn() {
    next_ = std::numeric_limits<Index>::max();
    if (options_.relearn <= 1 || kinds_) return;
    next_ = std::max(labels() + 1, Index(std::ceil(options_.relearn * double(labels()))));
    const std::vector<Index> rows = labelled();
    const Matrix x = scene_.x(rows, Eigen::all);
    const Vector y = scene_.y(rows);
    const std::optional<Process<Row>> next = relearned(model_, learned_ ? &process_ : nullptr, x, y);
    if (!next) return;
    process_ = *next, learned_ = true;
    selector_.replace(pool());
  }

  /// Numbers or classes at other rows.
  Vector foreseen(const Matrix& at) {
    const PoolPosterior& b = selector_.belief();
    Vector out(at.rows());
    if (kinds_) {
      const std::vector<Index> best = classifier_->predict(at, 1);
      for (Index i = 0; i < out.size(); ++i) out[i] = double(best[static_cast<size_t>(i)]);
      return out;
    }
    const auto [alpha, beta] = b.weights();
    const Mean<Row> mean = process_.trend().centered_on(scene_.x);
    out = process_.kernel().cross(at, scene_.x(labelled(), Eigen::all)) * alpha + mean.known_at(at);
    if (beta.size()) out += mean.basis_at(at) * beta;
    return out;
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
  bool settles_;
  const ReplayOptions& options_;
  const Model<Row>& model_;
  Process<Row> process_;
  Selector selector_;
  std::optional<Classifier<Row>> classifier_;  // of the labels: the one that the strategy looks at
  Stopping stopping_;
  bool learned_ = false;
  Index next_ = 0;  // labels at which parameters are learned again
};

}  // namespace

std::vector<Trial> replay(const ReplayData& data, const Model<Row>& model, const ReplayOptions& o,
                          const std::vector<Trial>& done) {
  check(data, o);
  std::vector<NamedStrategy> named;
  for (const std::string& s : o.strategies) named.push_back(parse_strategy(s));
  return every_run(o, done, [&](size_t which, int repeat, const std::function<void(double)>& tell) {
    const Scene s = scene(data, o, repeat);
    Replayed replayed(s, data, model, o, named[which], repeat);
    Index rounds = 0;
    const double all = std::max(1.0, double(o.budget) / double(o.batch));
    return replayed.run(o.strategies[which], repeat, [&] {
      tell(double(rounds++) / all);
      return true;
    });
  });
}

Vector internal::full_error(const ReplayData& data, const Model<Row>& model, const ReplayOptions& options) {
  ReplayOptions o = options;
  Vector out(o.repeats);
  const NamedStrategy any = parse_strategy("random");
  parallel_for(o.repeats, threads_or_all(o.threads), [&](Index repeat) {
    Scene s = scene(data, o, int(repeat));
    s.start = all_indices(s.x.rows());
    out[repeat] = Replayed(s, data, model, o, any, int(repeat)).error();
  });
  return out;
}

Kernel<Row> internal::scaled_to(const Kernel<Row>& kernel, const Rows& x) {
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
