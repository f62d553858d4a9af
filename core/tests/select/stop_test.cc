#include "covary/select/stop.h"

#include <gtest/gtest.h>

#include <cmath>

namespace covary::stop_test {
namespace {

TEST(Stop, NoRuleNoReason) {
  Stopping s({});
  EXPECT_EQ(s.reason(), "");
  s.round(10, 0, 0, 0);
  EXPECT_EQ(s.reason(), "");
  EXPECT_EQ(s.remaining(), -1);
}

TEST(Stop, AtTheSdAskedFor) {
  Stopping s({.largest_sd = 0.5});
  s.round(10, 0.51, 1, 1);
  EXPECT_EQ(s.reason(), "");
  s.round(11, 0.5, 1, 1);
  EXPECT_EQ(s.reason(), "the largest sd of f is 0.5, asked for 0.5");
  EXPECT_EQ(s.remaining(), 0);
  EXPECT_EQ(s.forecast("degC"), "");
}

TEST(Stop, WhenLittleIsGained) {
  Stopping s({.gain = 0.1});
  s.round(10, 1, 0.1, 1);
  EXPECT_EQ(s.reason(), "");
  s.round(11, 1, 0.05, 1);
  EXPECT_EQ(s.reason(), "the next label's gain per cost is 0.05, asked for 0.1");
  s.round(12, 1, 0.2, 1);
  EXPECT_EQ(s.reason(), "");
}

TEST(Stop, WhenPredictionsStandStill) {
  Stopping s({.change = 0.1, .rounds = 3});
  const std::vector<double> moved{0.05, 0.05, 0.1, 0.05, 0.05};
  for (size_t i = 0; i < moved.size(); ++i) {
    s.round(Index(i), 1, 1, moved[i]);
    EXPECT_EQ(s.reason(), "") << i;
  }
  s.round(6, 1, 1, 0);
  EXPECT_EQ(s.reason(), "predictions moved by less than 0.1 in 3 rounds");
}

TEST(Stop, TheFirstRuleThatHoldsIsTold) {
  Stopping s({.largest_sd = 1, .gain = 1, .change = 1, .rounds = 1});
  s.round(1, 0.5, 0.5, 0.5);
  EXPECT_EQ(s.reason(), "the largest sd of f is 0.5, asked for 1");
}

TEST(Stop, ForecastsAPowerOfTheLabels) {
  // sd = 2/sqrt(n) is 0.1 at n = 400.
  Stopping s({.largest_sd = 0.1});
  for (Index n = 1; n <= 100; ++n) {
    s.round(n, 2 / std::sqrt(double(n)), 1, 1);
    EXPECT_NEAR(double(s.remaining()), n < 4 ? -1 : double(400 - n), n < 4 ? 0 : 1) << n;
  }
  EXPECT_TRUE(s.forecast("degC") == "about 300 more labels to reach 0.1 degC" ||
              s.forecast("degC") == "about 301 more labels to reach 0.1 degC")
      << s.forecast("degC");
  EXPECT_TRUE(s.forecast().ends_with(" more labels to reach 0.1")) << s.forecast();
}

TEST(Stop, ForecastsNothingFromWhatDoesNotFall) {
  Stopping s({.largest_sd = 0.1});
  for (Index n = 1; n <= 50; ++n) s.round(n, 1 + 0.01 * double(n % 3), 1, 1);
  EXPECT_EQ(s.remaining(), -1);
  EXPECT_EQ(s.forecast(), "");
}

TEST(Stop, ForecastsNothingFromOneNumberOfLabels) {
  for (Index labels = 1; labels < 60; ++labels) {
    Stopping s({.largest_sd = 0.1});
    for (int i = 0; i < 6; ++i) s.round(labels, 1 - 0.1 * i, 1, 1);
    EXPECT_EQ(s.remaining(), -1) << labels;
  }
}

TEST(Stop, ForecastsNothingForClasses) {
  Stopping s({.largest_sd = 0.1});
  for (Index n = 1; n <= 50; ++n) s.round(n, std::nan(""), 1, 1);
  EXPECT_EQ(s.remaining(), -1);
  EXPECT_EQ(s.reason(), "");
}

}  // namespace
}  // namespace covary::stop_test
