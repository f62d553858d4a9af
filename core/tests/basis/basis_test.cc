// Explicit features: each map against its definition, text, blocks and placing.
#include "covary/basis/basis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>

#include "conformance.h"
#include "covary/basis/basis_kernel.h"
#include "covary/kernels/linear.h"
#include "covary/kernels/stationary.h"

namespace covary::test::features_test {
namespace {

using Names = std::vector<std::string>;

const Names& columns() {
  static const Names names{"x", "temp", "my col"};
  return names;
}

const std::vector<std::string>& lists() {
  static const std::vector<std::string> all{
      "1",
      "1, x, x*temp^2, exp(-\"my col\"^2)",
      "polynomial(degree=3)",
      "polynomial([\"my col\", x], 2), interactions(degree=3)",
      "interactions([x, \"my col\"])",
      "splines(temp, knots=6), 1/3*x",
      "splines(knots=[-1, 0.1, 2])",
      "bumps(x, centers=4)",
      "bumps(x, 4, width=0.7), bumps()",
      "bumps([temp, x], centers=[0, 1, 0.5, -1], width=[0.3, 2])",
      "bumps([temp, x], centers=7, width=0.5)",
      "fourier()",
      "fourier(temp, features=40, kernel=matern52(), seed=3)",
      "fourier(features=45, kernel=2 * se() + on(\"my col\", periodic()) * linear(), seed=4)",
      "fourier([\"my col\", x], features=33, kernel=polynomial(degree=3) + rational_quadratic())"};
  return all;
}

Features placed(const std::string& text, const Matrix& x) {
  return parse_features(text, columns()).placed(x);
}

class EveryList : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryList, TextReadsBackToTheSameBits) {
  const Matrix x = random_points(1, 60, 3), at = random_points(2, 40, 3);
  const Features typed = parse_features(GetParam(), columns()), f = typed.placed(x);
  EXPECT_EQ(parse_features(typed.text(), columns()).text(), typed.text());
  EXPECT_TRUE(same_bits(parse_features(typed.text(), columns()).placed(x)(at), f(at)));
  const Features again = parse_features(f.text(), columns());
  EXPECT_FALSE(again.needs_data());
  EXPECT_EQ(again.text(), f.text());
  EXPECT_EQ(again.names(), f.names());
  EXPECT_TRUE(same_bits(again(at), f(at)));
}

TEST_P(EveryList, BlocksOfAnySizeHaveTheSameBits) {
  const Matrix x = random_points(3, 600, 3);
  const Features f = placed(GetParam(), x);
  const Matrix phi = f(x);
  ASSERT_EQ(phi.cols(), f.size());
  for (const Index step : {1, 3, 17, 255, 256, 257})
    for (Index i = 0; i < x.rows(); i += step) {
      const Index n = std::min<Index>(step, x.rows() - i);
      ASSERT_TRUE(same_bits(f(x.middleRows(i, n)), phi.middleRows(i, n))) << "by " << step << " at " << i;
    }
  EXPECT_EQ(f(x.topRows(0)).rows(), 0);
}

TEST_P(EveryList, PlacingTwiceIsPlacingOnce) {
  const Matrix x = random_points(4, 50, 3);
  const Features f = placed(GetParam(), x);
  EXPECT_FALSE(f.needs_data());
  EXPECT_EQ(f.placed(random_points(5, 50, 3)).text(), f.text());
  EXPECT_EQ(std::ssize(f.names()), f.size());
  EXPECT_EQ(parse_features(GetParam(), columns()).size(), f.size());
}

TEST_P(EveryList, IsAKernel) {
  const Matrix a = with_repeats(random_points(6, 61, 3), 6), b = random_points(7, 45, 3);
  const Features f = placed(GetParam(), a);
  expect_conforms<Row>(internal::kernel_of(f), a, b);
  Random rng(8);
  Vector variances(f.size());
  for (double& v : variances) v = 0.1 + rng.uniform();
  const Kernel<Row> k = internal::kernel_of(f, variances, 1.7);
  expect_conforms<Row>(k, a, b);
  EXPECT_TRUE(near(k.cross(a, b), 1.7 * f(a) * variances.asDiagonal() * f(b).transpose(), 1e-13));
  const Kernel<Row> again = parse<Row>(k.text(), columns());
  EXPECT_EQ(again.text(), k.text());
  EXPECT_TRUE(same_bits(again.cross(a, b), k.cross(a, b)));
}

TEST_P(EveryList, ManyThreadsGiveTheSameBits) {
  const Matrix x = random_points(9, 100, 3);
  const Features alone = placed(GetParam(), x), shared = placed(GetParam(), x);
  const Matrix phi = alone(x);
  std::vector<Matrix> all(4);
  {
    std::vector<std::jthread> threads;
    for (Matrix& one : all) threads.emplace_back([&] { one = shared(x); });
  }
  for (const Matrix& one : all) EXPECT_TRUE(same_bits(one, phi));
}
INSTANTIATE_TEST_SUITE_P(Lists, EveryList, ::testing::ValuesIn(lists()));

TEST(Features, NamesAreForPeople) {
  const Matrix x = random_points(10, 30, 3);
  EXPECT_EQ(placed("1, x*temp^2", x).names(), (Names{"1", "x*temp^2"}));
  EXPECT_EQ(placed("polynomial([x, \"my col\"], 3)", x).names(),
            (Names{"x", "x^2", "x^3", "\"my col\"", "\"my col\"^2", "\"my col\"^3"}));
  EXPECT_EQ(placed("interactions(degree=2)", x).names(),
            (Names{"x", "temp", "\"my col\"", "x*temp", "x*\"my col\"", "temp*\"my col\""}));
  EXPECT_EQ(placed("splines(temp, knots=[0, 1])", x).names(), (Names{"spline(temp, 1)", "spline(temp, 2)"}));
  EXPECT_EQ(placed("bumps(x, [0.5, 2], width=1)", x).names(), (Names{"bump(x, 0.5)", "bump(x, 2)"}));
  EXPECT_EQ(placed("fourier(features=17)", x).names().back(), "fourier(17)");
}

/// A name that is a formula means the feature it names.
TEST(Features, PowersAndProductsAreTheirFormulas) {
  const Matrix x = random_points(11, 50, 3);
  for (const char* map : {"polynomial(degree=5)", "interactions(degree=3)", "interactions([temp, x])"}) {
    const Features f = placed(map, x);
    EXPECT_TRUE(same_bits(f(x), placed(fmt::format("{}", fmt::join(f.names(), ", ")), x)(x))) << map;
  }
  EXPECT_EQ(placed("interactions(degree=3)", x).size(), 7);
}

/// The natural splines with knots k by their textbook basis: 1, x, d_j - d_{K-2},
/// d_j = ((x - k_j)^3_+ - (x - k_{K-1})^3_+) / (k_{K-1} - k_j).
Matrix textbook_splines(const Vector& x, const Vector& k) {
  const Index last = k.size() - 1;
  const auto cube = [](const Vector& v, double knot) {
    return Vector((v.array() - knot).cwiseMax(0.0).cube());
  };
  const auto d = [&](Index j) { return Vector((cube(x, k[j]) - cube(x, k[last])) / (k[last] - k[j])); };
  Matrix t(x.size(), k.size());
  t.col(0).setOnes();
  t.col(1) = x;
  for (Index j = 0; j + 2 <= last; ++j) t.col(j + 2) = d(j) - d(last - 1);
  return t;
}

TEST(Features, SplinesAreNaturalCubicSplines) {
  Random rng(12);
  for (int i = 0; i < 50; ++i) {
    Vector knots(2 + rng.integer(6));
    double at = rng.normal();
    for (double& k : knots) k = at, at += 0.2 + rng.uniform();
    const Features f = parse_features(fmt::format("splines(x, knots=[{}])", fmt::join(knots, ", ")), {"x"});
    const Vector x = 4 * rng.normal(60, 1).array();
    const Matrix by_values = textbook_splines(x, knots) * inverse_of(textbook_splines(knots, knots));
    EXPECT_TRUE(near(f(x), by_values, 1e-9));
    EXPECT_TRUE(near(f(knots), Matrix::Identity(knots.size(), knots.size()), 1e-14));
    EXPECT_TRUE(near(f(x).rowwise().sum(), Vector::Ones(60), 1e-13)) << "they sum to 1";
    EXPECT_TRUE(near(f(x) * knots, x, 1e-13)) << "straight lines are kept";
  }
}

TEST(Features, SplinesGoOnStraightAndSmoothly) {
  const Features f = parse_features("splines(x, knots=[0, 1, 2.5, 3])", {"x"});
  const auto at = [&](double v) -> Matrix { return f(Matrix::Constant(1, 1, v)); };
  for (const double edge : {0.0, 3.0})
    for (const double out : {1.0, 2.0, 50.0}) {
      const double s = edge == 0 ? -out : out;
      EXPECT_TRUE(near(at(edge + 2 * s) - at(edge + s), at(edge + s) - at(edge), 1e-12));
    }
  const double h = 1e-3;  // the jump of a second derivative at a knot is of the order of the third times h
  for (const double knot : {0.0, 1.0, 2.5, 3.0}) {
    const Matrix left = (at(knot) - 2 * at(knot - h) + at(knot - 2 * h)) / (h * h);
    const Matrix right = (at(knot + 2 * h) - 2 * at(knot + h) + at(knot)) / (h * h);
    EXPECT_LT((left - right).cwiseAbs().maxCoeff(), 100 * h) << knot;
  }
}

TEST(Features, KnotsAreQuantilesOfDifferentValues) {
  Matrix x(10, 1);
  x << 5, 5, 5, 5, 1, 2, 3, 4, 0, 100;
  EXPECT_EQ(parse_features("splines(x, knots=4)", {"x"}).placed(x).text(),
            "splines(x, knots=[0, 2, 4, 100])");
  EXPECT_EQ(parse_features("splines(x, knots=2)", {"x"}).placed(x).text(), "splines(x, knots=[0, 100])");
}

TEST(Features, BumpsStandEvenly) {
  Matrix x = random_points(13, 80, 1);
  const double low = x.minCoeff(), high = x.maxCoeff(), width = (high - low) / 4;
  const Matrix phi = parse_features("bumps(x, centers=5)", {"x"}).placed(x)(x);
  ASSERT_EQ(phi.cols(), 5);
  for (Index j = 0; j < 5; ++j)
    for (Index i = 0; i < 80; ++i) {
      const double r = (x(i, 0) - (low + double(j) * width)) / width;
      EXPECT_NEAR(phi(i, j), std::exp(-r * r / 2), 1e-14);
    }
  const Matrix one = parse_features("bumps(x, 1)", {"x"}).placed(x)(x);
  for (Index i = 0; i < 80; ++i)
    EXPECT_NEAR(one(i, 0), std::exp(-2 * std::pow((x(i, 0) - (low + high) / 2) / (high - low), 2)), 1e-14);
}

/// In several columns: each center is the row farthest from those before it.
TEST(Features, BumpsOfSeveralColumnsStandFarApart) {
  const Matrix x = random_points(14, 50, 2) * Eigen::DiagonalMatrix<double, 2>(1, 1000);
  const Features f = parse_features("bumps(centers=50, width=1e-9)", {"a", "b"}).placed(x);
  const Matrix phi = f(x);  // so narrow that each is 1 at its own row and 0 elsewhere
  const Vector range = x.colwise().maxCoeff() - x.colwise().minCoeff();
  const Matrix z = x * range.cwiseInverse().asDiagonal();
  Vector nearest = Vector::Constant(50, HUGE_VAL);
  for (Index j = 0; j < 50; ++j) {
    Index row = 0;
    EXPECT_EQ(phi.col(j).maxCoeff(&row), 1);
    if (j > 0) {
      EXPECT_NEAR(nearest[row], nearest.maxCoeff(), 1e-12) << j;
    }
    nearest = nearest.cwiseMin((z.rowwise() - z.row(row)).rowwise().norm());
  }
}

TEST(Features, BumpsOfSeveralColumnsAreRadial) {
  const Matrix x = random_points(15, 40, 2);
  const Matrix phi = parse_features("bumps([b, a], centers=[0.5, 1, -1, 0], width=[2, 0.3])", {"a", "b"})(x);
  for (Index i = 0; i < 40; ++i) {
    const double a = x(i, 0), b = x(i, 1);
    EXPECT_NEAR(phi(i, 0), std::exp(-(std::pow((b - 0.5) / 2, 2) + std::pow((a - 1) / 0.3, 2)) / 2), 1e-14);
    EXPECT_NEAR(phi(i, 1), std::exp(-(std::pow((b + 1) / 2, 2) + std::pow(a / 0.3, 2)) / 2), 1e-14);
  }
}

/// The mean square of phi phi' - k is the variance of one random feature's product, over m.
TEST(Features, FourierApproachesTheKernelAtItsRate) {
  constexpr int seeds = 400;
  const Matrix x = random_points(16, 8, 2);
  const Kernel<Row> kernel = se(0.8);
  const Matrix k = kernel.cross(x, x), doubled = se(0.4).cross(x, x);
  // 2 cos(wx + b) cos(wz + b) = cos(w (x - z)) + cos(w (x + z) + 2b): their variances add
  const Matrix one = (1 + doubled.array()) / 2 - k.array().square() + 0.5;
  for (const Index m : {50, 200, 800}) {
    double sum = 0;
    for (int s = 0; s < seeds; ++s) {
      const Matrix phi = parse_features(
          fmt::format("fourier(features={}, kernel=se(lengthscale=0.8), seed={})", m, s), {"a", "b"})(x);
      sum += (phi * phi.transpose() - k).squaredNorm();
    }
    const double expected = one.sum() / double(m);
    EXPECT_NEAR(sum / seeds / expected, 1, 5 * std::sqrt(2.0 / seeds)) << m;
  }
}

TEST(Features, FourierLearnsItsLengthScalesFromTheData) {
  const Matrix x = random_points(17, 200, 2) * Eigen::DiagonalMatrix<double, 2>(1, 100);
  const Features f = parse_features("fourier(features=4000)", {"a", "b"}).placed(x);
  const Kernel<Row> start = se().sized(x).with(se().sized(x).start(x, 1.0));
  const Matrix phi = f(x.topRows(20)), k = start.cross(x.topRows(20), x.topRows(20));
  EXPECT_LT((phi * phi.transpose() - k).cwiseAbs().maxCoeff(), 6 / std::sqrt(4000.0));
}

TEST(Features, FourierOfASumSharesTheNumber) {
  const Features f = parse_features("fourier(features=101, kernel=se(1) + 2*matern32(1))", {"a"});
  EXPECT_EQ(f.size(), 100);
}

TEST(Features, KernelOfColumnsIsTheLinearKernel) {
  const Matrix a = random_points(18, 20, 2), b = random_points(19, 30, 2);
  EXPECT_TRUE(near(internal::kernel_of(parse_features("u, v", {"u", "v"})).cross(a, b),
                   linear(Vector::Ones(2)).cross(a, b), 1e-14));
}

TEST(Features, AKernelOfFeaturesIsSizedByData) {
  const Matrix x = random_points(20, 40, 3);
  const Kernel<Row> k = parse<Row>("features(\"splines(temp), 1\") + se()", columns()).sized(x);
  const Kernel<Row> started = k.with(k.start(x, 2.0));
  EXPECT_TRUE(started.cross(x, x).allFinite());
  EXPECT_NEAR(parse<Row>("features(\"1, x\")", columns()).start(x, 2.0)[0],
              std::log(2 / (1 + x.col(0).squaredNorm() / 40)), 1e-12);
  const Kernel<Row> inner = parse<Row>("on([temp, x], features(\"temp\", 1))", columns());
  EXPECT_TRUE(near(inner.cross(x, x), x.col(1) * x.col(1).transpose(), 1e-15));
}

}  // namespace
}  // namespace covary::test::features_test
