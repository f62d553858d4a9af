// Quantiles against values from an arbitrary-precision library (mpmath, 24 digits).
#include "covary/normal.h"

#include <gtest/gtest.h>

#include "covary/error.h"

namespace covary {
namespace {

TEST(Normal, IntervalQuantiles) {
  const auto near = [](double got, double want) { return std::abs(got - want) <= 2.3e-16 * want; };
  EXPECT_PRED2(near, interval_quantile(1), 0.0125334695080692631611428);
  EXPECT_PRED2(near, interval_quantile(50), 0.674489750196081743202227);
  EXPECT_PRED2(near, interval_quantile(68), 0.994457883209753167739676);
  EXPECT_PRED2(near, interval_quantile(90), 1.64485362695147271486385);
  EXPECT_PRED2(near, interval_quantile(95), 1.95996398454005423552459);
  EXPECT_PRED2(near, interval_quantile(99), 2.57582930354890076097858);
}

TEST(Normal, IntervalsLieBetweenZeroAndAHundred) {
  for (const double bad : {0.0, 100.0, -5.0, 101.0}) EXPECT_THROW(interval_quantile(bad), Error);
}

}  // namespace
}  // namespace covary
