// Errors on held-out readings: against conditioning a Gaussian, one time after the other.
#include "covary/place/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <mutex>

#include "covary/gaussian/gaussian.h"
#include "covary/kernels/stationary.h"
#include "support.h"

namespace covary::test::place_evaluate_test {
namespace {

struct Case {
  PlacementProblem problem;
  HeldOut held;
  Matrix covariance;
};

Case example(Index n = 12, Index times = 9) {
  Case c;
  const Matrix x = random_points(1, n, 2);
  c.covariance = test::covariance(matern52(1.0), x, Vector::Constant(n, 0.05));
  c.problem.fields = {field_of(c.covariance)};
  c.problem.noise = Vector::LinSpaced(n, 0.02, 0.2);
  c.held = {Vector::LinSpaced(n, -1, 2), random_points(2, times, n)};
  return c;
}

/// What is predicted at one time by conditioning readings of all sensors that have one.
Gaussian predicted(const Case& c, Index t, const std::vector<Index>& sensors) {
  const Matrix noise = c.problem.noise.asDiagonal();
  std::vector<Index> known;
  for (const Index i : sensors)
    if (!std::isnan(c.held.readings(t, i))) known.push_back(i);
  return Gaussian(c.held.mean, c.covariance + noise)
      .conditional(known, c.held.readings.row(t).transpose()(known));
}

/// Squares, inside, and the worst time, of the places outside `sensors`; all of them by hand.
HeldOutScore by_hand(const Case& c, const std::vector<Index>& sensors) {
  double squares = 0, n = 0;
  HeldOutScore out;
  for (Index t = 0; t < c.held.readings.rows(); ++t) {
    const Gaussian g = predicted(c, t, sensors);
    double at_once = 0, count = 0;
    Index row = 0;
    for (Index i = 0; i < c.problem.size(); ++i) {
      const bool is_sensor = std::count(sensors.begin(), sensors.end(), i) > 0;
      const double reading = c.held.readings(t, i);
      if (is_sensor && !std::isnan(reading)) continue;
      const Index at = row++;
      if (is_sensor || std::isnan(reading)) continue;
      const double error = reading - g.mean()[at];
      at_once += error * error, count += 1;
      if (std::abs(error) < 1.959963984540054 * std::sqrt(g.covariance()(at, at))) out.inside += 1;
    }
    squares += at_once, n += count;
    if (std::sqrt(at_once / count) > out.worst) out.worst = std::sqrt(at_once / count), out.worst_time = t;
  }
  out.rmse = std::sqrt(squares / n), out.inside /= n;
  return out;
}

void expect_same(const HeldOutScore& a, const HeldOutScore& b) {
  EXPECT_NEAR(a.rmse, b.rmse, 1e-10);
  EXPECT_NEAR(a.inside, b.inside, 1e-12);
  EXPECT_NEAR(a.worst, b.worst, 1e-10);
  EXPECT_EQ(a.worst_time, b.worst_time);
}

TEST(PlaceEvaluate, EveryPrefixIsWhatConditioningAGaussianSays) {
  const Case c = example();
  const std::vector<Index> sensors{7, 2, 11, 4};
  const std::vector<HeldOutScore> scores = internal::held_out_scores(c.problem, c.held, sensors);
  ASSERT_EQ(scores.size(), 5u);
  for (size_t k = 0; k <= sensors.size(); ++k)
    expect_same(scores[k], by_hand(c, {sensors.begin(), sensors.begin() + std::ptrdiff_t(k)}));
}

TEST(PlaceEvaluate, MissingReadingsAreSkippedAndSilentSensorsLeftOut) {
  Case c = example();
  const std::vector<Index> sensors{7, 2, 11};
  c.held.readings(0, 7) = c.held.readings(3, 2) = c.held.readings(3, 7) = std::nan("");
  c.held.readings(5, 0) = c.held.readings(6, 9) = std::nan("");
  expect_same(internal::held_out_scores(c.problem, c.held, sensors).back(), by_hand(c, sensors));
}

TEST(PlaceEvaluate, SensorsThatStandCountFromTheStart) {
  Case c = example();
  c.problem.existing = {3, 8};
  const std::vector<HeldOutScore> scores = internal::held_out_scores(c.problem, c.held, {5});
  expect_same(scores[0], by_hand(c, {3, 8}));
  expect_same(scores[1], by_hand(c, {3, 8, 5}));
}

TEST(PlaceEvaluate, OnlyTargetsCountWhereThereAreSome) {
  Case c = example();
  c.problem.targets = {0, 6};
  const HeldOutScore s = internal::held_out_scores(c.problem, c.held, {5, 6}).back();
  double squares = 0;
  for (Index t = 0; t < 9; ++t)
    squares += std::pow(predicted(c, t, {5, 6}).mean()[0] - c.held.readings(t, 0), 2);
  EXPECT_NEAR(s.rmse, std::sqrt(squares / 9), 1e-10);
}

TEST(PlaceEvaluate, MeanSdsAreThoseOfTheConditionalField) {
  const Case c = example();
  const Vector sds = internal::mean_sds(c.problem, {7, 2});
  Matrix reading = c.covariance;
  reading(7, 7) += c.problem.noise[7], reading(2, 2) += c.problem.noise[2];
  const Gaussian g =
      Gaussian(c.held.mean, reading).conditional({7, 2}, c.held.mean(std::vector<Index>{7, 2}));
  EXPECT_NEAR(sds[0], c.covariance.diagonal().cwiseSqrt().mean(), 1e-12);
  EXPECT_NEAR(sds[2], g.sd().mean(), 1e-12);
  std::vector<Index> others;
  for (Index i = 0; i < 12; ++i)
    if (i != 7 && i != 2) others.push_back(i);
  EXPECT_TRUE(near(internal::remaining_sd(c.problem, {7, 2})(others), g.sd(), 1e-12));
}

TEST(PlaceEvaluate, ASensorWhoseReadingIsKnownAlreadyTellsNothing) {
  Case c = example();
  c.covariance.row(3) = c.covariance.row(8).eval(), c.covariance.col(3) = c.covariance.col(8).eval();
  c.covariance(3, 3) = c.covariance(8, 8);
  c.held.readings.col(3) = c.held.readings.col(8), c.held.mean[3] = c.held.mean[8];
  c.problem.fields = {field_of(c.covariance)}, c.problem.noise.setZero();
  EXPECT_NEAR(internal::mean_sds(c.problem, {8})[1] * 11, internal::mean_sds(c.problem, {8, 3})[2] * 10,
              1e-6);
  const std::vector<HeldOutScore> s = internal::held_out_scores(c.problem, c.held, {8, 3});
  EXPECT_NEAR(s[1].rmse * s[1].rmse * 11, s[2].rmse * s[2].rmse * 10, 1e-6);
}

TEST(PlaceEvaluate, NothingToCompareIsNotANumberAndNoTime) {
  Case c = example();
  c.held.readings.setConstant(std::nan(""));
  const HeldOutScore s = internal::held_out_scores(c.problem, c.held, {1}).back();
  EXPECT_TRUE(std::isnan(s.rmse));
  EXPECT_EQ(s.worst_time, -1);
}

TEST(PlaceEvaluate, RandomSetsAreAllowedAndTheSameWithTheSameSeed) {
  Case c = example();
  c.problem.existing = {1}, c.problem.forbidden = {0, 4};
  c.problem.group = std::vector<Index>(12);
  for (size_t i = 0; i < 12; ++i) c.problem.group[i] = Index(i % 3);
  c.problem.per_group = 2;
  std::mutex mutex;
  std::vector<std::vector<Index>> seen;
  const auto figures = [&](const std::vector<Index>& set) {
    const std::lock_guard lock(mutex);
    seen.push_back(set);
    return internal::mean_sds(c.problem, set);
  };
  const RandomSets a = internal::random_sets(c.problem, 5, 50, 7, figures);
  ASSERT_EQ(seen.size(), 50u);
  for (const std::vector<Index>& set : seen) {
    EXPECT_EQ(set.size(), 5u);
    std::vector<Index> groups{0, 1, 0};
    for (const Index i : set) {
      EXPECT_TRUE(i != 1 && i != 0 && i != 4) << i;
      EXPECT_LE(++groups[static_cast<size_t>(i % 3)], 2);
      EXPECT_EQ(std::count(set.begin(), set.end(), i), 1);
    }
  }
  EXPECT_TRUE(same_bits(a.mean, internal::random_sets(c.problem, 5, 50, 7, figures).mean));
  EXPECT_FALSE(same_bits(a.mean, internal::random_sets(c.problem, 5, 50, 8, figures).mean));
  EXPECT_TRUE((a.lower.array() <= a.mean.array() && a.mean.array() <= a.upper.array()).all());
  EXPECT_TRUE((a.mean.tail(5).array() < a.mean.head(5).array()).all());
}

TEST(PlaceEvaluate, ReadingsOfAnotherNumberOfPlacesAreRefused) {
  Case c = example();
  const auto refused = [&c](const HeldOut& held) {
    EXPECT_NE(error_of([&] { internal::held_out_scores(c.problem, held, {}); }, Problem::usage)
                  .find("expected 12 places"),
              std::string::npos);
  };
  refused({c.held.mean, Matrix::Zero(3, 4)});
  refused({Vector::Zero(4), Matrix::Zero(3, 12)});
}

}  // namespace
}  // namespace covary::test::place_evaluate_test
