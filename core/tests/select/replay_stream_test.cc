// Streams replayed: the same scenes as pools, within their budgets, with true probabilities.
#include "covary/select/replay_stream.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "covary/select/risk.h"
#include "support.h"

namespace covary::test::replay_stream_test {
namespace {

ReplayData numbers(Index n = 300) {
  const Matrix x = random_points(1000, n, 2);
  return {x, random_targets(1001, x, 0.1)};
}
ReplayData classes(Index n = 300) {
  ReplayData d{random_points(1000, n, 2), Vector(n), 3};
  for (Index i = 0; i < n; ++i) d.y[i] = d.x(i, 0) > 0.3 ? 2 : d.x(i, 1) > 0 ? 1 : 0;
  return d;
}
Model<Row> model(const ReplayData& d) { return {parse<Row>(d.kinds ? "se()" : "matern52()")}; }

ReplayOptions options(const ReplayData& d, int repeats = 3) {
  ReplayOptions o;
  o.strategies = {"random", d.kinds ? "svm-margin" : "uncertainty"};
  o.budget = 40, o.repeats = repeats, o.random_share = 0.2, o.threads = 2;
  return o;
}

TEST(ReplayStream, BeginsWhereAPoolBegins) {
  for (const ReplayData& d : {numbers(), classes()}) {
    const std::vector<Trial> stream = replay_stream(d, model(d), options(d)),
                             pool = replay(d, model(d), options(d));
    ASSERT_EQ(stream.size(), pool.size());
    for (size_t i = 0; i < pool.size(); ++i) {
      EXPECT_EQ(stream[i].strategy, pool[i].strategy);
      EXPECT_EQ(stream[i].repeat, pool[i].repeat);
      EXPECT_EQ(stream[i].steps[0].labels, pool[i].steps[0].labels);
      EXPECT_NEAR(stream[i].steps[0].error, pool[i].steps[0].error, 1e-6);
    }
  }
}

TEST(ReplayStream, SpendsTheBudgetOnRowsThatDiffer) {
  for (const ReplayData& d : {numbers(), classes()})
    for (const Trial& run : replay_stream(d, model(d), options(d), {.points = 25})) {
      EXPECT_EQ(run.steps.back().labels, 40);
      std::set<Index> rows;
      for (size_t i = 1; i < run.steps.size(); ++i) {
        EXPECT_EQ(run.steps[i].labels, run.steps[i - 1].labels + 1);
        EXPECT_TRUE(rows.insert(run.steps[i].row).second);
      }
    }
}

// By chance every point is as likely: all weights of the risk are 1.
TEST(ReplayStream, WeightsOfChanceAreOne) {
  const ReplayData d = numbers();
  for (const Trial& run : replay_stream(d, model(d), options(d))) {
    if (run.strategy != "random") continue;
    for (size_t i = 1; i < run.steps.size(); ++i)
      EXPECT_NEAR(run.steps[i].probability * double(run.steps[i].open), 1, 1e-12);
  }
}

// The labels a strategy looks for are the hard ones; corrected, they tell the error elsewhere.
TEST(ReplayStream, RisksCanBeCorrected) {
  const ReplayData d = numbers(600);
  ReplayOptions o = options(d, 20);
  o.strategies = {"uncertainty"}, o.budget = 80, o.random_share = 0.5;
  double naive = 0, corrected = 0, truth = 0;
  for (const Trial& run : replay_stream(d, model(d), o)) {
    std::vector<SampledLoss> seen;
    for (const Step& s : run.steps)
      if (s.row >= 0) {
        seen.push_back({s.surprise, s.probability, s.open});
        truth += s.error * s.error / double(run.steps.size() - 1);
      }
    const Risk r = risk(seen);
    naive += r.naive, corrected += r.corrected;
  }
  EXPECT_LT(std::abs(std::log(corrected / truth)), std::abs(std::log(naive / truth)));
}

TEST(ReplayStream, AnyNumberOfThreadsIsTheSame) {
  for (const ReplayData& d : {numbers(), classes()}) {
    ReplayOptions o = options(d);
    const auto rows = [&](int threads) {
      o.threads = threads;
      std::vector<Index> out;
      for (const Trial& run : replay_stream(d, model(d), o, {.points = 25}))
        for (const Step& s : run.steps) out.push_back(s.row);
      return out;
    };
    EXPECT_EQ(rows(1), rows(4));
  }
}

TEST(ReplayStream, RunsThatAreDoneAreTakenOver) {
  const ReplayData d = classes();
  std::vector<Trial> done = replay_stream(d, model(d), options(d));
  done[1].steps.back().error = 17;
  EXPECT_EQ(replay_stream(d, model(d), options(d), {}, {done[1]})[1].steps.back().error, 17);
}

TEST(ReplayStream, MistakesAreNamed) {
  const auto fails = [](ReplayData d, const std::function<void(ReplayOptions&)>& change,
                        const std::string& words) {
    ReplayOptions o = options(d);
    change(o);
    const std::string said = error_of([&] { replay_stream(d, model(d), o); }, Problem::usage);
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  fails(
      numbers(), [](ReplayOptions& o) { o.strategies = {"density"}; },
      "strategy density cannot be used in a stream of numbers");
  fails(
      classes(), [](ReplayOptions& o) { o.strategies = {"uncertainty"}; }, "these can: random, svm-margin");
  fails(
      numbers(), [](ReplayOptions& o) { o.batch = 4; }, "a stream asks for one point at a time");
  fails(
      numbers(), [](ReplayOptions& o) { o.repeats = 0; }, "repeats must be at least 1, found 0");
  fails(
      numbers(), [](ReplayOptions& o) { o.stop.change = 1; }, "stopping rules do not apply to a stream");
  ReplayData costly = numbers();
  costly.cost = Vector::Ones(300);
  fails(
      costly, [](ReplayOptions&) {}, "costs do not apply to a stream");
}

}  // namespace
}  // namespace covary::test::replay_stream_test
