// A regression as rows arrive: its stages against the whole, and what the rows determine.
#include <cmath>

#include "covary/linear/linear_regression.h"
#include "covary/linear/weight_space.h"
#include "support.h"

namespace covary::regression_stages_test {
namespace {

using test::error_of;
using test::near;
using test::random_points;

/// y = 1 + 2 a - b + e, with columns a and b.
struct Table {
  Matrix x;
  Vector y;
};
Table line(Index n) {
  Table t{random_points(1, n, 2), {}};
  t.y = 1 + 2 * t.x.col(0).array() - t.x.col(1).array() + 0.3 * random_points(2, n, 1).array();
  return t;
}

LinearModel model_of(Method method, const std::string& features = "a, b") {
  return {.method = method, .features = parse_features(features, {"a", "b"})};
}

constexpr Method all_methods[] = {Method::linear, Method::ridge, Method::bayes};

TEST(RegressionStages, TheLastIsTheWhole) {
  const auto [x, y] = line(30);
  for (const Method method : all_methods) {
    const Regression r = *internal::regression_of(fit(model_of(method), x, y).process);
    const Weights last = r.stage(x, y / fit(model_of(method), x, y).scale, 30).weights();
    EXPECT_TRUE(near(last.mean(), r.weights().mean(), 1e-12));
    EXPECT_TRUE(near(last.covariance(), r.weights().covariance(), 1e-12));
    EXPECT_EQ(last.freedom(), INFINITY);
  }
}

TEST(RegressionStages, RowsAfterAStageGiveTheNext) {
  const auto [x, y] = line(30);
  for (const Method method : all_methods) {
    const Regression r = *internal::regression_of(fit(model_of(method), x, y).process);
    const Weights some = r.stage(x, y, 7).weights(), more = r.stage(x, y, 19).weights();
    const Weights on = some.condition(r.phi(x.middleRows(7, 12)), y.segment(7, 12));
    EXPECT_TRUE(near(on.mean(), more.mean(), 1e-12));
    EXPECT_TRUE(near(on.covariance(), more.covariance(), 1e-12));
  }
}

/// With the noise known there is nothing in y that could widen them.
TEST(RegressionStages, ContractWithEveryRow) {
  const auto [x, y] = line(12);
  const Regression r = *internal::regression_of(fit(model_of(Method::bayes), x, y).process);
  for (Index n = 1; n < 12; ++n)
    EXPECT_LT(r.stage(x, y, n + 1).weights().log_volume(), r.stage(x, y, n).weights().log_volume()) << n;
}

TEST(RegressionStages, BeforeAnyRowIsThePrior) {
  const auto [x, y] = line(20);
  LinearModel m = model_of(Method::bayes);
  m.intercept = false, m.standardize = false, m.prior_sd = 3;
  const FitResult<Row> f = fit(m, x, y);
  const Gaussian prior =
      internal::regression_of(f.process)->stage(x, y / f.scale, 0).weights().marginal({1, 0});
  EXPECT_TRUE(near(prior.covariance() * f.scale * f.scale, 9 * Matrix::Identity(2, 2), 1e-12));
  EXPECT_EQ(prior.mean().norm(), 0);
}

TEST(RegressionStages, MarginalIsTheBlockOfTheCovariance) {
  const auto [x, y] = line(20);
  const Weights w = internal::regression_of(fit(model_of(Method::ridge), x, y).process)->weights();
  const std::vector<Index> which{2, 0};
  const Gaussian g = w.marginal(which);
  EXPECT_TRUE(near(g.covariance(), w.covariance()(which, which), 1e-13));
  EXPECT_TRUE(near(g.mean(), w.mean()(which), 0));
}

TEST(RegressionStages, AsManyRowsAsWeightsWithoutAPrior) {
  const auto [x, y] = line(20);
  LinearModel none = model_of(Method::bayes);
  none.intercept = false;
  const auto rows = [&, x = x, y = y](const LinearModel& m, const std::vector<Index>& which) {
    return internal::rows_that_determine(*internal::regression_of(fit(m, x, y).process), x, y, which);
  };
  EXPECT_EQ(rows(model_of(Method::linear), {0, 1}), 3);
  EXPECT_EQ(rows(model_of(Method::ridge), {0, 1}), 1);
  EXPECT_EQ(rows(model_of(Method::ridge), {1, 2}), 0);
  EXPECT_EQ(rows(none, {0, 1}), 0);
}

/// The first rows say nothing of b until it varies; a feature that repeats another never is determined.
TEST(RegressionStages, RowsThatSayNothingDoNotCount) {
  auto [x, y] = line(20);
  x.col(1).head(8).setZero();
  const auto rows = [&, x = x, y = y](const std::string& features, const std::vector<Index>& which) {
    return internal::rows_that_determine(
        *internal::regression_of(fit(model_of(Method::linear, features), x, y).process), x, y, which);
  };
  EXPECT_EQ(rows("a, b", {0, 1}), 2);
  EXPECT_EQ(rows("a, b", {1, 2}), 9);
  EXPECT_EQ(rows("a, b, a", {0, 2}), 9);
  EXPECT_EQ(rows("a, b, a", {0, 1}), std::nullopt);
}

TEST(RegressionStages, NoNoiseNoStages) {
  const auto [x, y] = line(3);
  const Regression exact = *internal::regression_of(fit(model_of(Method::linear), x, y).process);
  EXPECT_NE(error_of([&, x = x, y = y] { exact.stage(x, y, 2); }, Problem::data).find("3 rows for 3 weights"),
            std::string::npos);
  const Vector flat = Vector::Zero(10);
  const Matrix points = random_points(3, 10, 2);
  const Regression none = *internal::regression_of(fit(model_of(Method::linear), points, flat).process);
  EXPECT_NE(error_of([&] { none.stage(points, flat, 2); }, Problem::data).find("fitted exactly"),
            std::string::npos);
}

TEST(RegressionStages, NoMarginalOfWhatIsNotDetermined) {
  const auto [x, y] = line(20);
  const Weights two =
      internal::regression_of(fit(model_of(Method::linear), x, y).process)->stage(x, y, 2).weights();
  EXPECT_FALSE(two.determines({0, 1}));
  EXPECT_NE(error_of(
                [&] {
                  two.marginal({0, 1});
                },
                Problem::data)
                .find("do not determine"),
            std::string::npos);
}

}  // namespace
}  // namespace covary::regression_stages_test
