#include "covary/select/replay.h"

#include <set>

#include "covary/kernels/expression.h"
#include "covary/select/curves.h"
#include "support.h"

namespace covary::replay_test {
namespace {

ReplayData wavy(Index m = 80) {
  ReplayData d;
  d.x = Random(2).normal(m, 1);
  d.y = (3 * d.x.col(0)).array().sin() + 0.01 * Random(3).normal(m, 1).col(0).array();
  return d;
}

ReplayData quarters(Index m = 90) {
  ReplayData d;
  d.x = Random(4).normal(m, 2);
  d.y = Vector(m);
  for (Index i = 0; i < m; ++i) d.y[i] = d.x(i, 0) > 0 ? (d.x(i, 1) > 0 ? 2 : 1) : 0;
  d.kinds = 3;
  return d;
}

const Model<Row>& model() {
  static const Model<Row> m{parse<Row>("se()")};
  return m;
}

ReplayOptions options(std::vector<std::string> strategies, Index budget = 20) {
  ReplayOptions o;
  o.strategies = std::move(strategies);
  o.budget = budget, o.repeats = 3;
  return o;
}

bool same(const std::vector<Trial>& a, const std::vector<Trial>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].strategy != b[i].strategy || a[i].steps.size() != b[i].steps.size()) return false;
    for (size_t j = 0; j < a[i].steps.size(); ++j)
      if (a[i].steps[j].row != b[i].steps[j].row || a[i].steps[j].error != b[i].steps[j].error) return false;
  }
  return true;
}

TEST(Replay, TheSameSeedTheSameTrialsOnAnyNumberOfThreads) {
  for (const ReplayData& d : {wavy(), quarters()}) {
    ReplayOptions o = options({"random", "uncertainty", "committee"});
    o.random_share = 0.2, o.threads = 1;
    const std::vector<Trial> one = replay(d, model(), o);
    o.threads = 4;
    EXPECT_TRUE(same(one, replay(d, model(), o)));
    o.seed = 2;
    EXPECT_FALSE(same(one, replay(d, model(), o)));
  }
}

TEST(Replay, EveryStrategyHasTheSameStartsAndTestRows) {
  const std::vector<Trial> all = replay(wavy(), model(), options({"random", "uncertainty", "diversity"}));
  ASSERT_EQ(all.size(), 9u);
  for (int repeat = 0; repeat < 3; ++repeat)
    for (size_t s = 1; s < 3; ++s)
      EXPECT_EQ(all[3 * s + size_t(repeat)].steps[0].error, all[size_t(repeat)].steps[0].error);
  EXPECT_NE(all[0].steps[0].error, all[1].steps[0].error);
}

TEST(Replay, NoRowTwiceAndEveryLabelCounted) {
  for (const Index batch : {1, 4}) {
    ReplayOptions o = options({"uncertainty"}, 30);
    o.batch = batch, o.start = 6;
    for (const Trial& t : replay(wavy(), model(), o)) {
      std::set<Index> rows;
      Index labels = 6;
      EXPECT_EQ(t.steps[0].labels, 6);
      EXPECT_EQ(t.steps[0].row, -1);
      for (size_t i = 1; i < t.steps.size(); ++i) {
        EXPECT_EQ(t.steps[i].labels, ++labels);
        EXPECT_TRUE(rows.insert(t.steps[i].row).second);
        EXPECT_EQ(t.steps[i].spent, double(labels));
      }
      EXPECT_EQ(labels, 30);
      EXPECT_EQ(t.stopped, "budget");
    }
  }
}

TEST(Replay, EndsWithThePool) {
  const std::vector<Trial> all = replay(wavy(20), model(), options({"random"}, 1000));
  EXPECT_EQ(all[0].steps.back().labels, 14);  // 6 of 20 are held out
}

TEST(Replay, WhatIsDoneIsTakenOver) {
  const ReplayData d = wavy();
  ReplayOptions o = options({"random", "uncertainty"});
  const std::vector<Trial> whole = replay(d, model(), o);
  Index made = 0;
  o.finished = [&](const Trial&) { ++made; };
  EXPECT_TRUE(same(whole, replay(d, model(), o, {whole[1], whole[3], whole[4]})));
  EXPECT_EQ(made, 3);
}

TEST(Replay, LearnsWhatThereIsToLearn) {
  ReplayOptions o = options({"random", "variance-reduction"}, 30);
  o.repeats = 8;
  const std::vector<LearningCurve> curves = learning_curves(replay(wavy(120), model(), o));
  EXPECT_LT(curves[1].mean[curves[1].mean.size() - 1], 0.25 * curves[1].mean[0]);
  EXPECT_LT(curves[1].mean.mean(), curves[0].mean.mean());
  o = options({"svm-margin"}, 40);
  const std::vector<LearningCurve> classes = learning_curves(replay(quarters(200), model(), o));
  EXPECT_LT(classes[0].mean[classes[0].mean.size() - 1], 0.5 * classes[0].mean[0]);
}

// Every strategy does what its entry says: for numbers, for classes, or a refusal.
TEST(Replay, EveryStrategyIsForWhatItSays) {
  for (const StrategyEntry& e : strategies())
    for (const ReplayData& d : {wavy(40), quarters(40)}) {
      if (!e.pool) continue;  // for streams
      SCOPED_TRACE(e.name + (d.kinds ? ", classes" : ", numbers"));
      ReplayOptions o = options({e.name}, 14);
      o.repeats = 1;
      if (e.applies(d.kinds > 0))
        EXPECT_EQ(replay(d, model(), o)[0].steps.back().labels, 14);
      else
        EXPECT_NE(test::error_of([&] { replay(d, model(), o); }, Problem::usage).find("is for "),
                  std::string::npos);
    }
}

// The machine that svm-margin looks at is the one that is judged, and its penalty is what was asked for.
TEST(Replay, OnePenaltyOneMachine) {
  const ReplayData d = quarters();
  const auto with = [&](double penalty, const std::string& strategy) {
    ReplayOptions o = options({strategy}, 30);
    o.penalty = penalty;
    return replay(d, model(), o);
  };
  const double hard = std::numeric_limits<double>::infinity();
  std::vector<Trial> by_option = with(hard, "svm-margin");
  for (Trial& t : by_option) t.strategy = "svm-margin(penalty=inf)";
  EXPECT_TRUE(same(by_option, with(10, "svm-margin(penalty=inf)")));
  EXPECT_FALSE(same(with(0.01, "svm-margin"), with(100, "svm-margin")));
  EXPECT_FALSE(same(with(0.01, "random"), with(100, "random")));  // judged by another machine
}

TEST(Replay, TestRowsOfItsOwn) {
  ReplayData d = wavy();
  d.test_x = Matrix::Constant(1, 1, 0.3), d.test_y = Vector::Constant(1, std::sin(0.9));
  const std::vector<Trial> all = replay(d, model(), options({"uncertainty"}, 60));
  EXPECT_LT(all[0].steps.back().error, 0.05);
}

TEST(Replay, CostsAreAddedUpAndTurnChoices) {
  ReplayData d = wavy();
  d.cost = (d.x.col(0).array() > 0).select(Vector::Constant(80, 1e6), Vector::Ones(80));
  ReplayOptions o = options({"uncertainty"}, 12);
  o.start = 2;
  for (const Trial& t : replay(d, model(), o))
    for (size_t i = 1; i < t.steps.size(); ++i) {
      EXPECT_LT(d.x(t.steps[i].row, 0), 0);
      EXPECT_EQ(t.steps[i].spent - t.steps[i - 1].spent, 1);
    }
}

TEST(Replay, ARuleEndsIt) {
  ReplayOptions o = options({"uncertainty"}, 56);
  o.stop.largest_sd = 0.3;
  for (const Trial& t : replay(wavy(), model(), o)) {
    EXPECT_LT(t.steps.back().labels, 56);
    EXPECT_LE(t.steps.back().largest_sd, 0.3);
    EXPECT_NE(t.stopped.find("asked for 0.3"), std::string::npos) << t.stopped;
  }
}

TEST(Replay, AllLabels) {
  const Vector full = internal::full_error(wavy(), model(), options({"random"}));
  const std::vector<Trial> all = replay(wavy(), model(), options({"random"}, 56));
  for (Index r = 0; r < 3; ++r) EXPECT_NEAR(full[r], all[size_t(r)].steps.back().error, 0.02);
}

TEST(Replay, DataThatDoNotFitEachOther) {
  const auto error = [](auto change) {
    ReplayData d = wavy(20);
    change(d);
    return test::error_of([&] { replay(d, model(), options({"random"}, 8)); }, Problem::usage);
  };
  EXPECT_EQ(error([](ReplayData& d) { d.cost = Vector::Ones(3); }), "3 costs were given for 20 rows");
  EXPECT_EQ(error([](ReplayData& d) { d.test_x = Matrix::Zero(4, d.x.cols()), d.test_y = Vector::Zero(3); }),
            "4 points were given with 3 observations");
  EXPECT_EQ(error([](ReplayData& d) { d.test_x = Matrix::Zero(4, 5), d.test_y = Vector::Zero(4); }),
            "expected test points of 1 columns, as the candidates have, found 5");
}

TEST(Replay, Mistakes) {
  const auto error = [](ReplayOptions o, Problem p) {
    return test::error_of([&] { replay(wavy(20), model(), o); }, p);
  };
  EXPECT_EQ(error(options({}), Problem::usage), "no strategy was given");
  EXPECT_TRUE(
      error(options({"randon"}), Problem::usage)
          .starts_with("strategy: there is no strategy 'randon', did you mean 'random'? There are random, "));
  EXPECT_EQ(error(options({"random"}, 3), Problem::usage),
            "a budget of 3 labels is less than the 5 to begin with");
  EXPECT_EQ(error(options({"svm-margin"}), Problem::usage),
            "strategy svm-margin is for classes, not for numbers");
  ReplayOptions o = options({"random"});
  o.start = 15;
  EXPECT_EQ(error(o, Problem::data), "15 labels to begin with were asked for, but there are 14 candidates");
  o = options({"random"});
  o.test_share = 1;
  EXPECT_EQ(error(o, Problem::usage), "the share of test rows must be between 0 and 1, found 1");
  o = options({"random"});
  o.relearn = 0.5;
  EXPECT_EQ(error(o, Problem::usage), "relearn is a factor over 1, or 0 for never, found 0.5");
  o = options({"random"});
  o.stop.largest_sd = -1;
  EXPECT_EQ(error(o, Problem::usage), "stopping rules must not be negative and need at least one round");
  o = options({"random"});
  o.progress = [](double) { return false; };
  EXPECT_EQ(error(o, Problem::interrupted), "replaying was stopped");
}

Trial trial(const std::string& name, int repeat, const std::vector<double>& errors) {
  Trial t{name, repeat, {}, "budget"};
  for (size_t i = 0; i < errors.size(); ++i) {
    Step s;
    s.labels = Index(i) + 5, s.error = errors[i];
    t.steps.push_back(s);
  }
  return t;
}

TEST(ScaledTo, LengthscalesAreOfTheColumnsEverythingElseIsOneUnlessGiven) {
  Matrix x(4, 2);
  x << 1, 5, 3, 5, 1, 5, 3, 5;  // sd 1 and 0
  EXPECT_TRUE(test::near(internal::scaled_to(parse<Row>("se() * matern32(lengthscale=[2, 3])"), x).theta(),
                         (Vector(4) << 0, 0, std::log(2), std::log(3)).finished(), 1e-15));
  EXPECT_TRUE(internal::scaled_to(parse<Row>("rational_quadratic()"), x).theta().isZero(1e-15));
}

TEST(Curves, MeansBandsAndWhoIsBetter) {
  const std::vector<LearningCurve> c =
      learning_curves({trial("a", 0, {4, 3, 2, 1}), trial("a", 1, {6, 3, 4, 1}), trial("b", 0, {4, 2, 1, 1}),
                       trial("b", 1, {6, 2, 3, 1})});
  ASSERT_EQ(c.size(), 2u);
  EXPECT_EQ(c[0].labels, (Vector(4) << 5, 6, 7, 8).finished());
  EXPECT_EQ(c[0].mean, (Vector(4) << 5, 3, 3, 1).finished());
  EXPECT_NEAR(c[0].lower[0], 4.2, 1e-12);
  EXPECT_NEAR(c[0].upper[0], 5.8, 1e-12);
  EXPECT_EQ(internal::labels_to_reach(c[0], 3), 6);
  EXPECT_EQ(internal::labels_to_reach(c[0], 2.9), 8);
  EXPECT_TRUE(std::isnan(internal::labels_to_reach(c[0], 0.5)));
  EXPECT_EQ(internal::error_at(c[0], 7.5), 3);
  const std::vector<internal::Comparison> k = internal::compared(c, 0, 2);
  EXPECT_EQ(k[0].labels, 8);
  EXPECT_EQ(k[1].labels, 6);
  EXPECT_NEAR(k[1].share, 0.75, 1e-15);
  EXPECT_EQ(k[1].wins, 2);
  EXPECT_EQ(k[1].p, 0);  // the difference is the same in both repeats
  EXPECT_EQ(k[0].p, 1);
}

TEST(Curves, ForGoodNotForAMoment) {
  const std::vector<LearningCurve> c = learning_curves({trial("a", 0, {4, 1, 3, 1})});
  EXPECT_EQ(internal::labels_to_reach(c[0], 2), 8);
}

TEST(Curves, ATrialThatEndedEarlyKeepsItsLastError) {
  const std::vector<LearningCurve> c = learning_curves({trial("a", 0, {4, 2}), trial("a", 1, {4, 2, 1})});
  EXPECT_EQ(c[0].mean[2], 1.5);
}

}  // namespace
}  // namespace covary::replay_test
