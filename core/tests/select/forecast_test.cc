#include "covary/select/forecast.h"

#include "support.h"

namespace covary::forecast_test {
namespace {

/// 30 candidates of a line and 3 labels beside them.
struct Line {
  Matrix x = Vector::LinSpaced(33, 0, 4);
  Process<Row> p{parse<Row>("se(lengthscale=0.5)"), zero_mean<Row>(), Noise::of(0.01)};
  Selector selector(const std::string& strategy) const {
    Selector s(internal::played(parse_strategy(strategy)), pool_of<Row>(p, x));
    s.tell({30, 31, 32}, Vector::Ones(3));
    return s;
  }
  /// The largest sd at the candidates, after labels at some more.
  double largest(std::vector<Index> some) const {
    some.insert(some.end(), {30, 31, 32});
    return std::sqrt(
        p.condition(x(some, Eigen::all), Vector::Zero(std::ssize(some))).variance(x.topRows(30)).maxCoeff());
  }
};

TEST(Forecast, PlaysUntilTheGoalIsReached) {
  const Line line;
  for (const char* strategy :
       {"uncertainty", "variance-reduction", "random", "committee", "committee-draws"}) {
    SCOPED_TRACE(strategy);
    const Forecast f = forecast(line.selector(strategy), 30, 0.3, 1000);
    EXPECT_TRUE(f.reached);
    EXPECT_FALSE(f.exhausted);
    EXPECT_NEAR(f.now, line.largest({}), 1e-9);
    EXPECT_LE(f.left, 0.3);
    EXPECT_GT(f.labels, 2);
    const Forecast before = forecast(line.selector(strategy), 30, 0.3, f.labels - 1);
    EXPECT_FALSE(before.reached);
    EXPECT_GT(before.left, 0.3);
    EXPECT_EQ(before.labels, f.labels - 1);
  }
}

// What the whole pool leaves is the least that can be had, and no forecast goes beyond it. Candidates
// that were measured count: noise leaves them an sd.
TEST(Forecast, WhatCannotBeReachedIsWhatTheWholePoolLeaves) {
  const Line line;
  const double least = line.largest(internal::all_indices(30));
  for (const double goal : {1e-30, 1e-6, 0.99 * least}) {
    const Forecast f = forecast(line.selector("uncertainty"), 30, goal, 1000);
    EXPECT_FALSE(f.reached);
    EXPECT_TRUE(f.exhausted);
    EXPECT_EQ(f.labels, 30);
    EXPECT_NEAR(f.left, least, 1e-7);
  }
  EXPECT_TRUE(forecast(line.selector("uncertainty"), 30, 1.01 * least, 1000).reached);
}

TEST(Forecast, NothingToDo) {
  const Forecast f = forecast(Line().selector("uncertainty"), 30, 2, 1000);
  EXPECT_TRUE(f.reached);
  EXPECT_EQ(f.labels, 0);
}

TEST(Forecast, ABoundOnTheWork) {
  EXPECT_EQ(internal::most_played(100), 2000);
  EXPECT_LT(internal::most_played(100000), 500);
  EXPECT_GE(internal::most_played(100000000), 10);
}

}  // namespace
}  // namespace covary::forecast_test
