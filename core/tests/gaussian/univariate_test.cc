// Quantiles, shares, densities and scores against closed forms and values from an arbitrary-precision library
// (mpmath, 22 digits or more).
#include "covary/gaussian/univariate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "covary/base/error.h"
#include "covary/base/percent.h"
#include "covary/base/random.h"
#include "support.h"

namespace covary::test::normal_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool nearly(double got, double want) { return std::abs(got - want) <= 4e-15 * std::abs(want); }

TEST(Normal, IntervalQuantiles) {
  const auto near = [](double got, double want) { return std::abs(got - want) <= 2.3e-16 * want; };
  EXPECT_PRED2(near, internal::interval_quantile(1), 0.0125334695080692631611428);
  EXPECT_PRED2(near, internal::interval_quantile(50), 0.674489750196081743202227);
  EXPECT_PRED2(near, internal::interval_quantile(68), 0.994457883209753167739676);
  EXPECT_PRED2(near, internal::interval_quantile(90), 1.64485362695147271486385);
  EXPECT_PRED2(near, internal::interval_quantile(95), 1.95996398454005423552459);
  EXPECT_PRED2(near, internal::interval_quantile(99), 2.57582930354890076097858);
}

TEST(Normal, IntervalsLieBetweenZeroAndAHundred) {
  for (const double bad : {0.0, 100.0, -5.0, 101.0}) EXPECT_THROW(internal::interval_quantile(bad), Error);
}

/// Gamma(n + 1) = n!, Gamma(1/2) = sqrt(pi), Gamma(x + 1) = x Gamma(x).
TEST(LogGamma, IsThatOfFactorials) {
  double factorial = 1;
  for (int n = 1; n < 20; ++n) EXPECT_PRED2(nearly, internal::log_gamma(n + 2), std::log(factorial *= n + 1));
  EXPECT_PRED2(nearly, internal::log_gamma(0.5), 0.5 * std::log(std::numbers::pi));
  EXPECT_EQ(internal::log_gamma(1), 0);
  for (const double x : {1e-8, 0.3, 7.5, 1e6})
    EXPECT_NEAR(internal::log_gamma(x + 1), internal::log_gamma(x) + std::log(x),
                4e-15 * (1 + std::abs(internal::log_gamma(x))));
}

TEST(Student, ValuesFromMpmath) {
  EXPECT_PRED2(nearly, internal::interval_quantile(95, 0.5), 164.5576734804885331158);
  EXPECT_PRED2(nearly, internal::interval_quantile(95, 3), 3.182446305283709592723);
  EXPECT_PRED2(nearly, internal::interval_quantile(95, 30), 2.042272456301238309958);
  EXPECT_PRED2(nearly, internal::interval_quantile(95, 1e4), 1.960201239890626257838);
  EXPECT_PRED2(nearly, internal::student_cdf(-2.5, 0.5), 0.2004852645266465918319);
  EXPECT_PRED2(nearly, internal::student_cdf(-2.5, 3), 0.04385332350403277362512);
  EXPECT_PRED2(nearly, internal::student_cdf(-2.5, 30), 0.009057824534033347050891);
  EXPECT_PRED2(nearly, internal::student_log_density(2.5, 0.5), -3.262550189994797341829);
  EXPECT_PRED2(nearly, internal::student_log_density(2.5, 30), -3.860521319776035967732);
  EXPECT_PRED2(nearly, internal::student_log_density(2.5, 1e4), -4.043299779799454236499);
  EXPECT_PRED2(nearly, internal::student_crps(2.5, 3), 1.811358782323445603236);
  EXPECT_PRED2(nearly, internal::student_crps(2.5, 30), 1.926052278379923437395);
  EXPECT_PRED2(nearly, internal::student_crps(2.5, 1e4), 1.939777430783146945513);
}

TEST(Student, OneDegreeIsCauchy) {
  for (const double percent : {1e-6, 1.0, 50.0})
    EXPECT_PRED2(nearly, internal::interval_quantile(percent, 1), std::tan(std::numbers::pi * percent / 200));
  for (const double percent : {60.0, 95.0, 99.9})  // through what lies outside, which is small
    EXPECT_PRED2(nearly, internal::interval_quantile(percent, 1),
                 1 / std::tan(std::numbers::pi * (100 - percent) / 200));
  for (const double t : {-1e6, -3.0, -1e-6, 0.0, 0.4, 7.0}) {
    EXPECT_NEAR(internal::student_cdf(t, 1), 0.5 + std::atan(t) / std::numbers::pi, 1e-16);
    EXPECT_PRED2(nearly, internal::student_log_density(t, 1), -std::log(std::numbers::pi * (1 + t * t)));
  }
  EXPECT_PRED2(nearly, internal::student_cdf(-1e6, 1), std::atan(1e-6) / std::numbers::pi);
  EXPECT_EQ(internal::student_crps(0.3, 1), infinity) << "no mean, no score";
}

TEST(Student, TwoDegreesHaveAClosedForm) {  // F(t) = 1/2 + t / (2 sqrt(2 + t^2))
  for (const double percent : {1e-4, 10.0, 50.0, 95.0, 99.9}) {
    const double in = percent / 100, out = (100 - percent) / 100;
    EXPECT_PRED2(nearly, internal::interval_quantile(percent, 2), in * std::sqrt(2 / (out * (1 + in))));
  }
  for (const double t : {-50.0, -0.7, 0.0, 1e-3, 2.5})
    EXPECT_NEAR(internal::student_cdf(t, 2), 0.5 + t / (2 * std::sqrt(2 + t * t)), 2e-16);
}

TEST(Student, MuchFreedomIsNormal) {
  for (const double freedom : {1e14, 1e200, infinity})
    for (const double t : {-6.0, -1.3, 0.0, 0.2, 4.0}) {
      EXPECT_NEAR(internal::student_cdf(t, freedom), 0.5 * std::erfc(-t / std::sqrt(2.0)), 1e-12);
      EXPECT_NEAR(internal::student_log_density(t, freedom), log_density(t, 0, 1), 1e-11);
      EXPECT_NEAR(internal::student_crps(t, freedom), internal::student_crps(t, infinity), 1e-12);
    }
  for (const double percent : {1.0, 50.0, 99.0}) {
    EXPECT_NEAR(internal::interval_quantile(percent, 1e14), internal::interval_quantile(percent), 1e-12);
    EXPECT_EQ(internal::interval_quantile(percent, infinity), internal::interval_quantile(percent));
  }
}

/// Of the quantile, its interval holds what was asked for; the density is the slope of the share.
TEST(Student, QuantileShareAndDensityAgree) {
  Random rng(1);
  for (int k = 0; k < 300; ++k) {
    const double freedom = std::exp(8 * rng.uniform() - 1), percent = 100 * rng.uniform();
    const double t = internal::interval_quantile(percent, freedom);
    EXPECT_NEAR(internal::student_cdf(t, freedom) - internal::student_cdf(-t, freedom), percent / 100, 1e-14);
    const auto share = [&](const Vector& x) { return internal::student_cdf(x[0], freedom); };
    const Vector at = Vector::Constant(1, 3 * rng.normal());
    EXPECT_NEAR(std::exp(internal::student_log_density(at[0], freedom)), differences(share, at, 1e-2)[0],
                1e-8);
  }
}

TEST(Student, FarOut) {
  EXPECT_EQ(internal::student_cdf(-infinity, 3), 0);
  EXPECT_EQ(internal::student_cdf(infinity, 3), 1);
  EXPECT_TRUE(std::isnan(internal::student_cdf(std::nan(""), 3)));
  EXPECT_EQ(internal::student_crps(infinity, 3), infinity);
  EXPECT_PRED2(nearly, internal::student_log_density(1e200, 1),
               -std::log(std::numbers::pi) - 400 * std::log(10.0));
}

TEST(Student, FreedomMustBePositive) {
  for (const double bad : {0.0, -1.0}) {
    const std::string want = "degrees of freedom must be positive, found " + std::to_string(int(bad));
    EXPECT_EQ(error_of([&] { (void)internal::interval_quantile(95, bad); }, Problem::usage), want);
    EXPECT_EQ(error_of([&] { (void)internal::student_cdf(1, bad); }, Problem::usage), want);
    EXPECT_EQ(error_of([&] { (void)internal::student_log_density(1, bad); }, Problem::usage), want);
    EXPECT_EQ(error_of([&] { (void)internal::student_crps(1, bad); }, Problem::usage), want);
  }
  EXPECT_EQ(error_of([&] { (void)internal::student_cdf(1, std::nan("")); }, Problem::usage),
            "degrees of freedom must be positive, found nan");
  EXPECT_EQ(error_of([&] { (void)internal::interval_quantile(100, 3); }, Problem::usage),
            "an interval must lie between 0 and 100 %, found 100");
}

TEST(Percent, AShareIsPointedOutNothingElse) {
  const auto refused = [](double percent) {
    return error_of([&] { internal::check_percent(percent); }, Problem::usage);
  };
  const std::string expected = "interval: expected a percentage from 1 to below 100, found ";
  EXPECT_EQ(refused(0.95), expected + "0.95; did you mean 95?");
  for (const char* bad : {"-5", "0", "100", "150"}) EXPECT_EQ(refused(std::stod(bad)), expected + bad);
}

}  // namespace
}  // namespace covary::test::normal_test
