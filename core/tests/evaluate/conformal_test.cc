// Calibrated intervals: the rank they take, what they refuse, and what they cover where normal ones fail.
#include "covary/evaluate/conformal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "covary/base/error.h"
#include "covary/gaussian/univariate.h"
#include "covary/kernels/expression.h"
#include "covary/learn/fit.h"
#include "covary/predictive/student_t.h"

namespace covary::calibration_test {
namespace {

/// Scores 1, 2, ..., n.
Calibration counting(Index n) {
  return {StudentT{Vector::Zero(n), Vector::Ones(n)}, Vector::LinSpaced(n, double(n), 1)};
}

TEST(Calibration, TakesTheRankThatPromisesSoMuch) {
  EXPECT_EQ(counting(99).factor(99), 99);   // ceil(100 * 0.99)
  EXPECT_EQ(counting(99).factor(50), 50);   // ceil(100 * 0.5)
  EXPECT_EQ(counting(100).factor(50), 51);  // ceil(101 * 0.5)
  EXPECT_EQ(counting(199).factor(99), 198);
  EXPECT_EQ(counting(19).factor(95), 19);
  EXPECT_TRUE(counting(19).allows(95));
  EXPECT_FALSE(counting(18).allows(95));
}

TEST(Calibration, RefusesWhatTooFewObservationsCannotPromise) {
  try {
    (void)counting(98).factor(99);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.problem(), Problem::limit);
    EXPECT_STREQ(
        e.what(),
        "a calibrated interval of 99 % needs 99 observations, the model has 98: the most they allow is "
        "98.98 %");
  }
  EXPECT_THROW((void)counting(98).factor(100), Error);
  EXPECT_THROW((void)counting(98).factor(0), Error);
}

TEST(Calibration, WhatCouldNotBePredictedCountsAsFarOff) {
  Vector mean = Vector::Zero(20), sd = Vector::Ones(20);
  mean[3] = std::numeric_limits<double>::quiet_NaN();
  sd[3] = std::numeric_limits<double>::infinity();
  const Calibration c(StudentT{mean, sd}, Vector::LinSpaced(20, 1, 20));
  EXPECT_TRUE(c.allows(50));
  EXPECT_FALSE(c.allows(95));
  EXPECT_EQ(c.factor(50), 12);  // the 11th of 1, 2, 3, 5, ..., 20, infinity
  EXPECT_THROW((void)c.factor(95), Error);
}

// With n scores alike, a new one falls below the factor with probability ceil((n + 1) p) / (n + 1), whatever
// their distribution: here Cauchy, whose tails no normal interval covers.
TEST(Calibration, CoversWhateverTheDistribution) {
  Random rng(3);
  const auto cauchy = [&] { return rng.normal() / rng.normal(); };
  Index inside = 0, normal = 0;
  const Index trials = 4000, n = 99;
  for (Index t = 0; t < trials; ++t) {
    Vector y(n);
    for (double& v : y) v = cauchy();
    const double fresh = std::abs(cauchy());
    inside += fresh <= Calibration(StudentT{Vector::Zero(n), Vector::Ones(n)}, y).factor(90) ? 1 : 0;
    normal += fresh <= internal::interval_quantile(90) ? 1 : 0;
  }
  EXPECT_NEAR(double(inside) / trials, 0.90, 0.02);
  EXPECT_LT(double(normal) / trials, 0.70);
}

// The whole way: a process learned from data with outliers, intervals for observations it has not seen.
TEST(Calibration, OfAProcessWithOutliers) {
  Random rng(11);
  const auto draw = [&](Index n) {
    std::pair<Matrix, Vector> d{Matrix(n, 1), Vector(n)};
    for (Index i = 0; i < n; ++i) {
      d.first(i, 0) = 10 * rng.uniform();
      d.second[i] = std::sin(d.first(i, 0)) + 0.1 * rng.normal() * (rng.uniform() < 0.1 ? 10 : 1);
    }
    return d;
  };
  const auto [x, y] = draw(200);
  const auto [at, fresh] = draw(2000);
  const FitResult<Row> f = fit(Model<Row>{parse<Row>("se()")}, x, y);
  const Marginals m = f.process.predict(at, Of::y);
  const LeaveOneOut loo = f.process.leave_one_out();
  const double factor = Calibration(StudentT{loo.mean, loo.variance.cwiseSqrt()}, y).factor(99);
  const auto covered = [&](double z) {
    return double(((fresh - m.mean).cwiseAbs().array() <= z * m.sd().array()).count()) / 2000;
  };
  EXPECT_GE(covered(factor), 0.98);
  EXPECT_LT(covered(internal::interval_quantile(99)), 0.965);
}

}  // namespace
}  // namespace covary::calibration_test
