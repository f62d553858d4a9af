// Kernels of categories against their definitions, and what they say of levels that are new.
#include "covary/kernels/categories/categories.h"

#include <gtest/gtest.h>

#include <cmath>

#include "conformance.h"
#include "covary/learn/fit.h"

namespace covary::test::categories_test {
namespace {

constexpr double nan_ = std::numeric_limits<double>::quiet_NaN();

/// levels x 1: 0, 1, 2, ...
Matrix levels(Index n) { return Vector::LinSpaced(n, 0, double(n - 1)); }

Matrix random_codes(std::uint64_t seed, Index n, Index d, Index most) {
  Random rng(seed);
  Matrix x(n, d);
  for (double& v : x.reshaped()) v = double(rng.integer(most));
  return x;
}

TEST(Category, IsAProductOverTheColumnsThatDiffer) {
  const Matrix a = random_codes(1, 30, 3, 4), b = random_codes(2, 20, 3, 9);  // b has levels that a has not
  const Vector c = Eigen::Vector3d(0.2, 0.5, 0.9);
  const Matrix k = category(c).cross(a, b), shared = category(Vector::Constant(1, 0.3)).cross(a, b);
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < b.rows(); ++j) {
      double product = 1, same = 1;
      for (Index d = 0; d < 3; ++d)
        if (a(i, d) != b(j, d)) product *= c[d], same *= 0.3;
      EXPECT_DOUBLE_EQ(k(i, j), product);
      EXPECT_DOUBLE_EQ(shared(i, j), same);
    }
}

TEST(Category, HasACorrelationForEachColumnThatStartsAtOneHalf) {
  const Matrix x = random_codes(3, 30, 2, 3);
  const Kernel<Row> k = category().sized(x);
  ASSERT_EQ(k.theta().size(), 2);
  EXPECT_EQ(full_name(k.parameters()[1], {"color", "shape"}), "correlation.shape");
  EXPECT_EQ(k.with(k.start(x, 1)).text(), "category(correlation=[0.5, 0.5])");
}

/// Where a search ends at its bounds the kernel is still one that can be written and read.
TEST(Category, CorrelationsNearTheEndsReadBack) {
  const Matrix x = levels(3);
  for (const double t : {-50.0, 50.0}) {
    const Kernel<Row> k = category(Vector::Constant(1, 0.5)).with(Vector::Constant(1, t));
    EXPECT_TRUE(k.theta().allFinite());
    EXPECT_TRUE(same_bits(parse<Row>(k.text()).cross(x, x), k.cross(x, x)));
    EXPECT_NEAR(k.cross(x, x)(0, 1), t < 0 ? 0 : 1, 1e-8);
  }
}

TEST(Category, BadCorrelationsAreNamed) {
  for (const char* text : {"category(correlation=1)", "category(0)", "category([0.5, -0.1])"})
    EXPECT_NE(error_of([&] { parse<Row>(text); }, Problem::usage).find("correlation"), std::string::npos);
  const Kernel<Row> k = category(Eigen::Vector2d(0.5, 0.5));
  EXPECT_NE(error_of([&] { k.cross(Matrix::Zero(2, 3), Matrix::Zero(2, 3)); }, Problem::usage)
                .find("2 correlations were given for 3 columns"),
            std::string::npos);
}

/// w: levels x rank. The correlations of W W' + I.
Matrix correlations_of(const Matrix& w) {
  const Matrix s = w * w.transpose() + Matrix::Identity(w.rows(), w.rows());
  const Vector d = s.diagonal().cwiseSqrt().cwiseInverse();
  return d.asDiagonal() * s * d.asDiagonal();
}

Kernel<Row> pairs_of(const Matrix& w) {
  return category_pairs(static_cast<int>(w.cols()), Matrix(w.transpose()).reshaped());
}

/// D (W W' + I) D is at least D^2: its eigenvalues are at least 1/(1 + max |w|^2).
TEST(CategoryPairs, IsACorrelationMatrixWhateverTheLoadings) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random rng(seed);
    const Index n = 2 + rng.integer(7), rank = 1 + rng.integer(4);
    const Matrix w = std::pow(10.0, double(seed % 3) - 1) * rng.normal(n, rank);
    const Matrix k = pairs_of(w).cross(levels(n), levels(n));
    EXPECT_TRUE(near(k, correlations_of(w), 1e-14));
    EXPECT_EQ((k.diagonal().array() - 1).abs().maxCoeff(), 0);
    EXPECT_GE(eigenvalues_of(k)[0], 1 / (1 + w.rowwise().squaredNorm().maxCoeff()) - 1e-13);
  }
}

/// C = D (W W' + I) D with D^2 = d I below the least eigenvalue of C.
TEST(CategoryPairs, FullRankReachesEveryCorrelationMatrix) {
  const Matrix c = correlations_of(random_points(5, 5, 7));
  const double d = 0.9 * eigenvalues_of(c)[0];
  const Matrix w = lower_root_of(c - d * Matrix::Identity(5, 5)) / std::sqrt(d);
  EXPECT_TRUE(near(pairs_of(w).cross(levels(5), levels(5)), c, 1e-12));
}

TEST(CategoryPairs, NewLevelsAreUncorrelated) {
  const Kernel<Row> k = pairs_of(random_points(6, 3, 2));
  const Matrix c = k.cross(levels(6), levels(6));
  EXPECT_GT(std::abs(c(0, 1)), 1e-3);
  EXPECT_TRUE(same_bits(c.bottomRows(3), Matrix::Identity(6, 6).bottomRows(3)));
}

TEST(CategoryPairs, LevelsAreThoseOfTheData) {
  const Matrix x = random_codes(7, 40, 1, 6);
  const Kernel<Row> k = parse<Row>("category_pairs(rank=3)").sized(x);
  EXPECT_EQ(k.text(), "category_pairs(rank=3, levels=6)");
  EXPECT_EQ(parse<Row>(k.text()).theta().size(), 18);
  EXPECT_EQ(full_name(k.parameters()[17]), "loadings.18");
  const Kernel<Row> begun = k.with(k.start(x, 1));
  const Matrix c = begun.cross(levels(6), levels(6));
  EXPECT_NEAR((c.sum() - 6) / 30, 0.5, 0.05);
  const Vector g = begun.pullback(levels(6), levels(6), random_points(8, 6, 6));
  EXPECT_GT(g.cwiseAbs().minCoeff(), 1e-4) << "a derivative that vanishes at the start stays 0";
}

TEST(CategoryPairs, BadInputIsNamed) {
  const auto said = [](const std::string& text, Problem problem, const Matrix& x) {
    return error_of([&] { parse<Row>(text).sized(x).cross(x, x); }, problem);
  };
  EXPECT_NE(said("category_pairs(rank=2, levels=3, loadings=[1, 2])", Problem::usage, levels(2))
                .find("3 levels of rank 2 have 6 loadings, found 2"),
            std::string::npos);
  EXPECT_NE(said("category_pairs()", Problem::limit, levels(501)).find("at most 500 levels"),
            std::string::npos);
  const std::string half =
      said("category_pairs(rank=1, loadings=[1, 2])", Problem::data, Matrix::Constant(1, 1, 0.5));
  EXPECT_NE(half.find("codes 0, 1, 2, ..., found 0.5"), std::string::npos) << half;
}

TEST(Ordinal, IsMatern52OfThePositions) {
  const Vector s = Eigen::Vector3d(0.3, 1.2, 0.5);
  Matrix p(7, 1);
  p << 0, 0.3, 1.5, 2.0, 2.5, 3.0, 3.5;  // beyond the last level by the last spacing
  EXPECT_TRUE(near(ordinal(s).cross(levels(7), levels(7)), matern52(1.0).cross(p, p), 1e-14));
  const Matrix one = ordinal(Vector::Constant(1, 0.4)).cross(levels(7), levels(7));
  EXPECT_TRUE(near(one, matern52(2.5).cross(levels(7), levels(7)), 1e-14)) << "equal steps";
}

TEST(Ordinal, CorrelationsFallAlongTheOrder) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Matrix k = ordinal(Random(seed).normal(7, 1).array().exp()).cross(levels(8), levels(8));
    for (Index i = 0; i < 8; ++i)
      for (Index j = i + 1; j < 8; ++j) EXPECT_LT(k(i, j), k(i, j - 1));
  }
}

TEST(Ordinal, HasASpacingForEachStep) {
  const Matrix x = levels(5);
  const Kernel<Row> k = ordinal().sized(x);
  ASSERT_EQ(k.theta().size(), 4);
  EXPECT_EQ(full_name(k.parameters()[2]), "spacing.3");
  const Kernel<Row> begun = k.with(k.start(x, 1));
  EXPECT_TRUE(near(begun.cross(x, x), matern52(std::sqrt(2.0)).cross(x, x), 1e-14));
  EXPECT_EQ(ordinal().sized(Matrix::Zero(3, 1)).theta().size(), 1) << "one level alone";
  EXPECT_NE(error_of([] { ordinal(Vector::Constant(1, nan_)); }, Problem::usage).find("spacing"),
            std::string::npos);
}

/// Two groups of levels with a function each: the fit finds them, and a single correlation explains less.
TEST(CategoryPairs, AFitFindsTheGroups) {
  const Index n = 120;
  Matrix x(n, 2);
  x << random_points(9, n, 1), random_codes(10, n, 1, 4);
  Vector y(n);
  Random rng(11);
  for (Index i = 0; i < n; ++i)
    y[i] = (x(i, 1) < 2 ? std::sin(2 * x(i, 0)) : std::cos(3 * x(i, 0))) + 0.1 * rng.normal();
  const auto fitted = [&](const std::string& categories) {
    return fit<Row>({parse<Row>("on(1, se()) * on(2, " + categories + ")"), zero_mean<Row>()}, x, y);
  };
  const FitResult<Row> pairs = fitted("category_pairs()"), one = fitted("category()");
  Matrix at(4, 2);
  at << Vector::Zero(4), levels(4);
  Matrix c = pairs.process.kernel().cross(at, at);
  c /= c(0, 0);
  EXPECT_GT(std::min(c(0, 1), c(2, 3)), 0.9);
  EXPECT_LT(c.block(0, 2, 2, 2).cwiseAbs().maxCoeff(), 0.7);
  EXPECT_GT(pairs.summary.log_marginal_likelihood, one.summary.log_marginal_likelihood + 10);
}

}  // namespace
}  // namespace covary::test::categories_test
