// Trends: what they are, and generalized least squares against dense algebra.
#include "covary/process/mean.h"

#include <gtest/gtest.h>

#include <cmath>

#include "covary/kernels/columns.h"
#include "covary/kernels/linear.h"
#include "covary/kernels/stationary.h"
#include "support.h"

namespace covary::test::mean_test {
namespace {

TEST(Mean, ReadsWhatItPrints) {
  for (const char* text : {"zero", "constant", "linear", "polynomial(degree=3)", "constant(2.5)"})
    EXPECT_EQ(parse_mean(text).text, text);
  EXPECT_EQ(parse_mean("polynomial").text, "polynomial(degree=2)");
  EXPECT_EQ(parse_mean(parse_mean("linear(1, 0.5)").text).known_at(Matrix::Constant(1, 1, 2))[0], 2.0);
  EXPECT_EQ(parse_mean("linear", {"a", "b"}).terms, (std::vector<std::string>{"1", "a", "b"}));
  EXPECT_EQ(parse_mean("polynomial", {"a"}).terms, (std::vector<std::string>{"1", "a", "a^2"}));
}

TEST(Mean, MistakesAreUsageErrors) {
  for (const char* text : {"", "zeros", "constant(1, 2)", "polynomial(degree=0)", "polynomial(degree=2.5)",
                           "polynomial(degree=99)", "polynomial(degree=e)", "polynomial(degree=[2, 3])",
                           "linear(a)", "linear + constant", "3", "constant(value=1)", "linear([1, 2])"})
    EXPECT_THROW(parse_mean(text), Error) << text;
  EXPECT_NE(error_of([] { parse_mean("linaer"); }, Problem::usage).find("did you mean 'linear'"),
            std::string::npos);
}

TEST(Mean, KnownCoefficientsMustBeAsMany) {
  const Mean<Row> m = polynomial_mean(1, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(m.known_at(Matrix::Ones(1, 2))[0], 6);
  EXPECT_NE(
      error_of([&] { m.known_at(Matrix::Ones(1, 1)); }, Problem::usage).find("2 coefficients were expected"),
      std::string::npos);
}

TEST(Mean, CenteringChangesTheBasisNotTheSpan) {
  const Matrix x = random_points(41, 20, 2).array() + 50;
  const Mean<Row> m = polynomial_mean(3), c = m.centered_on(x);
  const Matrix f = m.basis_at(x), g = c.basis_at(x);
  EXPECT_LE(g.cwiseAbs().maxCoeff(), 1 + 1e-12);
  const Vector coefficients = Vector::LinSpaced(g.cols(), 1, 2);
  EXPECT_TRUE(near(f * (c.to_user * coefficients), g * coefficients, 1e-8));
}

struct TrendCase {
  std::string trend;
  Matrix x;
  Vector y;
  Matrix f, k, inverse;  // K with noise
  Process<Row> process;
};

TrendCase trend_case(const std::string& trend) {
  const Matrix x = random_points(42, 25, 2);
  const Vector y = random_targets(43, x).array() + 5;
  const Kernel<Row> kernel = parse<Row>("1.4 * matern52([0.8, 1.3])");
  const Mean<Row> mean = parse_mean(trend);
  const Matrix k = covariance(kernel, x, Vector::Constant(25, 0.05));
  return {trend,
          x,
          y,
          mean.basis_at(x),
          k,
          inverse_of(k),
          Process<Row>(kernel, mean, Noise::of(0.05)).condition(x, y)};
}

class EveryTrend : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryTrend, CoefficientsAreGeneralizedLeastSquares) {
  const TrendCase t = trend_case(GetParam());
  const Matrix precision = t.f.transpose() * t.inverse * t.f;
  EXPECT_TRUE(near(t.process.coefficients(), solved(precision, t.f.transpose() * (t.inverse * t.y)), 1e-10));
  EXPECT_TRUE(near(t.process.coefficient_covariance(), inverse_of(precision), 1e-10));
}

TEST_P(EveryTrend, PredictionsAreUniversalKriging) {
  const TrendCase t = trend_case(GetParam());
  const Matrix at = random_points(44, 11, 2);
  const Kernel<Row>& kernel = t.process.kernel();
  const Matrix k = kernel.cross(at, t.x), g = parse_mean(t.trend).basis_at(at);
  const Matrix precision = t.f.transpose() * t.inverse * t.f;
  const Vector beta = solved(precision, t.f.transpose() * (t.inverse * t.y));
  const Matrix u = g - k * t.inverse * t.f;
  EXPECT_TRUE(near(t.process.mean(at), g * beta + k * t.inverse * (t.y - t.f * beta), 1e-11));
  EXPECT_TRUE(
      near(t.process.joint(at).covariance(),
           kernel.cross(at, at) - k * t.inverse * k.transpose() + u * inverse_of(precision) * u.transpose(),
           1e-11));
  const Vector residual = t.y - t.f * beta;
  EXPECT_NEAR(t.process.log_evidence(), log_density(residual, t.k),
              1e-11 * std::abs(t.process.log_evidence()));
}

/// The trend with unknown coefficients is the limit of a zero mean with basis B B' v for a huge v.
TEST_P(EveryTrend, IsTheLimitOfAHugePriorVariance) {
  const TrendCase t = trend_case(GetParam());
  const Matrix at = random_points(45, 11, 2), g = parse_mean(t.trend).basis_at(at);
  const double huge = 1e7;
  const Matrix k = t.process.kernel().cross(at, t.x) + huge * g * t.f.transpose();
  const Matrix all = t.k + huge * t.f * t.f.transpose();
  EXPECT_TRUE(near(t.process.mean(at), k * solved(all, t.y), 1e-6));
  const Matrix c =
      t.process.kernel().cross(at, at) + huge * g * g.transpose() - k * solved(all, k.transpose());
  EXPECT_TRUE(near(t.process.joint(at).covariance(), c, 1e-5));
}
INSTANTIATE_TEST_SUITE_P(Trends, EveryTrend, ::testing::Values("constant", "linear", "polynomial(degree=2)"),
                         [](const auto& tested) { return tested.param.substr(0, tested.param.find('(')); });

TEST(Mean, AKnownTrendIsSubtractedAndAddedBack) {
  const Matrix x = random_points(46, 15, 2), at = random_points(47, 5, 2);
  const Vector y = random_targets(48, x);
  const Vector b = Eigen::Vector3d(1, -2, 0.5);
  const Process<Row> with = Process<Row>(se(1.0), polynomial_mean(1, b), Noise::of(0.1)).condition(x, y);
  const Matrix f = parse_mean("linear").basis_at(x), g = parse_mean("linear").basis_at(at);
  const Process<Row> without = Process<Row>(se(1.0), {}, Noise::of(0.1)).condition(x, y - f * b);
  EXPECT_TRUE(near(with.mean(at), without.mean(at) + g * b, 1e-13));
  EXPECT_TRUE(same_bits(with.variance(at), without.variance(at)));
  EXPECT_NEAR(with.log_evidence(), without.log_evidence(), 1e-11);
  EXPECT_EQ(with.coefficients().size(), 0);
  EXPECT_TRUE(near(with.leave_one_out().mean, without.leave_one_out().mean + f * b, 1e-12));
}

/// A column of the basis that depends on others is left out: the predictions stay.
TEST(Mean, DependentColumnsDoNoHarm) {
  Matrix x = random_points(49, 20, 2), at = random_points(50, 5, 2);
  const Vector y = random_targets(51, x);
  x.col(1) = x.col(0), at.col(1) = at.col(0);
  const Process<Row> both =
      Process<Row>(on({0}, se(1.0)), parse_mean("linear"), Noise::of(0.1)).condition(x, y);
  const Process<Row> one =
      Process<Row>(se(1.0), parse_mean("linear"), Noise::of(0.1)).condition(x.leftCols(1), y);
  EXPECT_TRUE(near(both.mean(at), one.mean(at.leftCols(1)), 1e-11));
  EXPECT_TRUE(near(both.variance(at), one.variance(at.leftCols(1)), 1e-10));
  EXPECT_NEAR(both.log_evidence(), one.log_evidence(), 1e-10);
}

/// A Gaussian process with the linear kernel is Bayesian linear regression with weights N(0,
/// 1/lengthscale^2).
TEST(Mean, TheLinearKernelIsBayesianLinearRegression) {
  const Matrix x = random_points(52, 30, 3), at = random_points(53, 7, 3);
  const Vector y = random_targets(54, x), scale = Eigen::Vector3d(0.5, 1, 2);
  const double noise = 0.2;
  const Process<Row> p = Process<Row>(linear(scale), {}, Noise::of(noise)).condition(x, y);
  const Matrix prior = scale.array().square().matrix().asDiagonal();  // precision of the weights
  const Matrix covariance_of_w = inverse_of(x.transpose() * x / noise + prior);
  const Vector w = covariance_of_w * x.transpose() * y / noise;
  EXPECT_TRUE(near(p.mean(at), at * w, 1e-11));
  EXPECT_TRUE(near(p.joint(at).covariance(), at * covariance_of_w * at.transpose(), 1e-11));
}

}  // namespace
}  // namespace covary::test::mean_test
