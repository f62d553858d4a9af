#include "covary/select/replay_stream.h"

#include <fmt/format.h>

#include <cmath>

#include "covary/select/stream_machine.h"
#include "covary/select/version_space.h"
#include "select/scene.h"

namespace covary {
using namespace internal;
namespace {

void check_streaming(const ReplayData& data, const ReplayOptions& o,
                     const std::vector<NamedStrategy>& strategies) {
  for (const NamedStrategy& s : strategies) check_streams(s.text, data.kinds > 0);
  if (o.batch != 1)
    throw Error(
        Problem::usage,
        fmt::format("a stream asks for one point at a time: expected a batch of 1, found {}", o.batch));
  if (data.cost.size())
    throw Error(Problem::usage, "costs do not apply to a stream: its labels all cost the same");
  if (o.stop.largest_sd > 0 || o.stop.gain > 0 || o.stop.change > 0)
    throw Error(Problem::usage, "stopping rules do not apply to a stream: it ends with its points");
}

/// The candidates in the order in which they come: the start, then the others in random order.
std::vector<Index> arrivals(const Scene& s, std::uint64_t seed) {
  std::vector<Index> out = s.start;
  std::vector<char> first(s.pool.size(), 0);
  for (const Index i : s.start) first[static_cast<size_t>(i)] = 1;
  Random rng(seed);
  for (const Index i : shuffled(std::ssize(s.pool), rng))
    if (!first[static_cast<size_t>(i)]) out.push_back(i);
  return out;
}

/// One run: the common part for numbers and classes.
struct Arrival {
  const Scene& scene;
  const ReplayOptions& options;
  std::vector<Index> order;  // of the candidates
  StreamOptions stream;
  Matrix x;  // in that order

  Arrival(const Scene& s, const ReplayOptions& o, const StreamMemory& memory, const NamedStrategy& strategy,
          int repeat)
      : scene(s), options(o), order(arrivals(s, seed_of(o, repeat) ^ 0xd1b54a32d192ed03U)) {
    stream.length = std::ssize(order);
    stream.budget = std::min(o.budget, stream.length);
    stream.start = std::ssize(s.start);
    stream.memory = memory.points, stream.forget = memory.forget;
    stream.random_share = strategy.entry->chance ? 1 : o.random_share;
    stream.seed = seed_of(o, repeat) ^ 0x9e3779b97f4a7c15U;
    stream.threads = 1, stream.strategy = strategy.text;
    x = s.x(order, Eigen::all);
  }
  double label(Index i) const { return scene.y[order[static_cast<size_t>(i)]]; }

  /// s is the stream, foreseen(at) its predictions, told() is called after a label.
  template <class S>
  Trial run(S& s, Trial out, Index kinds, const std::function<Vector(const Matrix&)>& foreseen,
            const std::function<void()>& told, const std::function<void(double)>& tell) const {
    const Index start = stream.start, rest = std::ssize(order) - start;
    const bool drawn = stream.threshold().asks == Asks::by_probability;
    const auto measured = [&](Step step) {
      told();
      step.labels = s.threshold().asked(), step.spent = double(step.labels);
      step.error = apart(foreseen(scene.test_x), scene.test_y, kinds);
      step.largest_sd = std::numeric_limits<double>::quiet_NaN();
      out.steps.push_back(step);
      tell(double(step.labels) / double(stream.budget));
    };
    s.offer_many(x.topRows(start), [&](Index i) { return label(i); });
    measured({.row = -1});
    double surprise = 0;
    s.offer_many(
        x.bottomRows(rest),
        [&](Index i) {
          const double y = label(start + i), f = foreseen(x.row(start + i))[0];
          surprise = kinds ? double(f != y) : (f - y) * (f - y);
          return y;
        },
        [&](Index i, const Offer& offer) {
          if (!offer.ask) return;
          // Where probabilities are the strategy's, weights are one over them.
          const Index labels_left = drawn ? rest - i : s.threshold().left() + 1;
          measured({.row = scene.pool[static_cast<size_t>(order[static_cast<size_t>(start + i)])],
                    .by_chance = offer.by_chance(),
                    .probability = offer.probability / double(labels_left),
                    .open = rest - i,
                    .surprise = surprise});
        });
    return out;
  }
};

Trial run_numbers(const Arrival& a, Trial out, const ReplayData& data, const Model<Row>& model,
                  const std::function<void(double)>& tell) {
  Stream<Row> s(prior_of(a.scene, data, model), a.stream);
  std::optional<Process<Row>> learned;
  Index next = a.options.relearn > 1 ? 0 : std::numeric_limits<Index>::max();
  const auto told = [&] {
    const Index labels = s.threshold().asked();
    if (labels < next) return;
    next = std::max(labels + 1, Index(std::ceil(a.options.relearn * double(labels))));
    const auto found =
        relearned(model, learned ? &*learned : nullptr, s.model().points(), s.model().targets());
    if (found) s.relearn(*(learned = found));
  };
  const auto foreseen = [&](const Matrix& at) { return s.model().mean(at); };
  return a.run(s, std::move(out), 0, foreseen, told, tell);
}

Trial run_classes(const Arrival& a, Trial out, const ReplayData& data, const Model<Row>& model,
                  const NamedStrategy& strategy, const std::function<void(double)>& tell) {
  const SvmOptions svm = strategy.svm({.penalty = a.options.penalty, .threads = 1});
  StreamMachine<Row> s(prior_of(a.scene, data, model).kernel(), data.kinds, svm, a.stream);
  const auto foreseen = [&](const Matrix& at) {
    Vector f(at.rows());
    const std::vector<Index> found = s.predict(at);
    for (Index i = 0; i < f.size(); ++i) f[i] = double(found[static_cast<size_t>(i)]);
    return f;
  };
  try {
    return a.run(
        s, std::move(out), data.kinds, foreseen, [] {}, tell);
  } catch (const EmptyVersionSpace& e) {  // rows, not arrivals
    if (e.labels().empty()) throw;
    std::vector<Index> rows;
    for (const Index i : e.labels())
      rows.push_back(a.scene.pool[static_cast<size_t>(a.order[static_cast<size_t>(i)])]);
    throw contradicting("rows", rows);
  }
}

}  // namespace

std::vector<Trial> replay_stream(const ReplayData& data, const Model<Row>& model, const ReplayOptions& o,
                                 const StreamMemory& memory, const std::vector<Trial>& done) {
  check(data, o);
  std::vector<NamedStrategy> named;
  for (const std::string& s : o.strategies) named.push_back(parse_strategy(s));
  check_streaming(data, o, named);
  return every_run(o, done, [&](size_t which, int repeat, const std::function<void(double)>& tell) {
    const Scene s = scene(data, o, repeat);
    const Arrival a(s, o, memory, named[which], repeat);
    Trial out{o.strategies[which], repeat, {}, "budget"};
    return data.kinds ? run_classes(a, std::move(out), data, model, named[which], tell)
                      : run_numbers(a, std::move(out), data, model, tell);
  });
}

}  // namespace covary
