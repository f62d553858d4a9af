// The Cholesky factor: residuals rather than digits, growth, condition, jitter, roots of singular matrices.
#include "covary/algebra/factor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "covary/kernels/kernel_gram.h"
#include "covary/kernels/stationary.h"
#include "support.h"

namespace covary::test::factor_test {
namespace {

struct Made {
  Matrix x, k;
  Vector noise;
  Factor factor;
};

Made made(Index n, double noise, const Kernel<Row>& kernel = matern52(1.0)) {
  Made m{random_points(21, n, 2), {}, Vector::Constant(n, noise), {}};
  m.k = covariance(kernel, m.x, m.noise);
  m.factor = factorize(gram<Row>(kernel, m.x), m.noise);
  return m;
}

/// Sizes around the tiles, the padding and the unit of right-hand sides.
class FactorOfSize : public ::testing::TestWithParam<Index> {};

TEST_P(FactorOfSize, SolvesAndGrows) {
  const Index n = GetParam();
  const Made m = made(n, 0.01);
  const Matrix l = m.factor.lower_copy();
  EXPECT_TRUE(near(l * l.transpose(), m.k, 1e-15 * double(n + 10)));
  const Matrix b = random_points(22, n, 3);
  EXPECT_TRUE(near(l * m.factor.half_solve(b), b, 1e-12));
  EXPECT_TRUE(near(l.transpose() * m.factor.half_solve_transposed(b), b, 1e-12));
  EXPECT_TRUE(near(m.k * m.factor.solve(b.col(0)), b.col(0), 1e-12));
  EXPECT_NEAR(m.factor.log_determinant(), 2 * l.diagonal().array().log().sum(), 1e-12 * double(n));
  EXPECT_TRUE(near(m.factor.inverse_diagonal(), inverse_of(m.k).diagonal(), 1e-11));
  EXPECT_EQ(m.factor.conditioning().jitter, 0);
  const double rcond =
      1 / (m.k.cwiseAbs().colwise().sum().maxCoeff() * inverse_of(m.k).cwiseAbs().colwise().sum().maxCoeff());
  EXPECT_GE(m.factor.conditioning().reciprocal_condition, 0.999 * rcond);
  EXPECT_LE(m.factor.conditioning().reciprocal_condition, 5 * rcond);
}
INSTANTIATE_TEST_SUITE_P(Sizes, FactorOfSize,
                         ::testing::Values(1, 2, 3, 31, 32, 33, 127, 128, 129, 257, 300));

TEST(Factor, GrownIsTheFactorOfTheWhole) {
  for (const Index before : {Index{1}, Index{31}, Index{150}})
    for (const Index more : {Index{1}, Index{2}, Index{40}}) {
      const Made all = made(before + more, 0.01);
      const Factor head = factorize(gram<Row>(matern52(1.0), all.x.topRows(before)), all.noise.head(before));
      const auto grown = head.grown(all.k.topRightCorner(before, more), all.k.bottomRightCorner(more, more));
      ASSERT_TRUE(grown);
      const Matrix l = grown->lower_copy();
      EXPECT_TRUE(near(l * l.transpose(), all.k, 1e-14)) << before << " + " << more;
    }
}

TEST(Factor, GrownRefusesWhatIsSingular) {
  const Made m = made(20, 0.0);
  EXPECT_FALSE(m.factor.grown(m.k.col(3), m.k.block(3, 3, 1, 1)));
}

TEST(Factor, GrowingLeavesTheOldOneAlone) {
  const Made m = made(40, 0.01);
  const Matrix before = m.factor.lower_copy();
  (void)m.factor.grown(Matrix::Zero(40, 2), Matrix::Identity(2, 2));
  EXPECT_TRUE(same_bits(m.factor.lower_copy(), before));
}

/// The bits of a solution do not depend on the columns beside it.
TEST(Factor, ColumnsSolveTheSameInAnyCompany) {
  const Made m = made(133, 0.01);
  const Matrix b = random_points(23, 133, 40);
  const Matrix all = m.factor.half_solve(b);
  for (const Index width : {1, 2, 7, 8, 9, 39})
    for (Index j = 0; j + width <= 40; j += width)
      ASSERT_TRUE(same_bits(m.factor.half_solve(b.middleCols(j, width)), all.middleCols(j, width))) << width;
}

TEST(Factor, JitterIsReportedWithTheRowsThatCoincide) {
  Matrix x = random_points(24, 30, 1);
  x(17, 0) = x(4, 0) + 1e-12;
  const Factor f = factorize(gram<Row>(matern12(1.0), x), Vector::Zero(30));
  const Conditioning& c = f.conditioning();
  EXPECT_EQ(c.jitter, 0) << "matern12 keeps apart what differs by 1e-12";
  const Factor s = factorize(gram<Row>(matern52(1.0), x), Vector::Zero(30));
  EXPECT_GE(s.conditioning().jitter, 1e-12);
  EXPECT_LE(s.conditioning().jitter, 1e-6);
  EXPECT_EQ(std::max(s.conditioning().row, s.conditioning().twin), 17);
  EXPECT_EQ(std::min(s.conditioning().row, s.conditioning().twin), 4);
}

TEST(Factor, IndefiniteMatricesAreRefusedWithTheEigenvalue) {
  internal::Gram g{3,
                   [](Range r, Range c) -> Matrix {
                     Matrix k(3, 3);
                     k << 1, 0.9, -0.9, 0.9, 1, 0.9, -0.9, 0.9, 1;
                     return k.block(r.first, c.first, r.count, c.count);
                   },
                   [](Range r) -> Vector { return Vector::Ones(r.count); },
                   {}};
  const std::string said = error_of([&] { factorize(g, Vector::Zero(3)); }, Problem::numerical);
  EXPECT_NE(said.find("eigenvalue is -0.8"), std::string::npos) << said;
}

TEST(Factor, VariancesThatAreNotFiniteAreRefused) {
  internal::Gram g{
      2,
      [](Range r, Range c) -> Matrix { return Matrix::Constant(r.count, c.count, std::nan("")); },
      [](Range r) -> Vector { return Vector::Constant(r.count, std::nan("")); },
      {}};
  EXPECT_NE(error_of([&] { factorize(g, Vector::Zero(2)); }, Problem::numerical).find("not finite"),
            std::string::npos);
}

TEST(Root, OfRegularAndSingularMatrices) {
  for (const Index rank : {0, 1, 3, 10}) {
    const Matrix b = random_points(25, 10, rank);
    const Matrix a = b * b.transpose();
    const Matrix g = internal::root(a);
    EXPECT_LE((g * g.transpose() - a).norm(), 1e-13 * a.norm()) << rank;
    EXPECT_EQ((g.array() != 0).colwise().any().count(), rank) << "a column for each direction";
  }
}

/// Draws of a matrix that is all but singular do not jump with its last bits: a row's column stays its own.
TEST(Root, WhatIsWithinRoundingAddsNothing) {
  Matrix a = Matrix::Zero(3, 3);
  a(1, 1) = 4;
  for (const double rest : {0.0, 1e-17, 3e-16, -2e-16, 9e-13}) {
    a(0, 0) = a(2, 2) = rest;
    Matrix expected = Matrix::Zero(3, 3);
    expected(1, 1) = 2;
    EXPECT_TRUE(same_bits(internal::root(a, 1e-12), expected)) << rest;
  }
}

TEST(Root, RoundingBelowZeroDoesNoHarm) {
  Matrix a = Matrix::Zero(4, 4);
  a.topLeftCorner(2, 2) << 2, 1, 1, 2;
  a(2, 2) = -1e-17;
  const Matrix g = internal::root(a);
  ASSERT_TRUE(g.allFinite());
  EXPECT_NEAR((g * g.transpose() - a).cwiseAbs().maxCoeff(), 0, 1e-15);
}

TEST(Gram, PullbackOfTilesIsThatOfTheWhole) {
  const Matrix x = random_points(26, 300, 2);
  const Kernel<Row> k = parse<Row>("1.5 * se([0.8, 2]) + matern12(1)");
  Matrix w = random_points(27, 300, 300);
  w = (w + w.transpose()).eval();
  const auto tile = [&](Range r, Range c) -> Matrix { return w.block(r.first, c.first, r.count, c.count); };
  const Vector tiled = internal::pullback_lower(gram<Row>(k, x), tile, 1);
  EXPECT_TRUE(near(tiled, k.pullback(x, x, w), 1e-11));
  for (const int threads : {2, 16})
    EXPECT_TRUE(same_bits(internal::pullback_lower(gram<Row>(k, x), tile, threads), tiled));
}

TEST(Gram, FillIsTheLowerTriangleOfCross) {
  const Matrix x = random_points(28, 300, 2), all = matern32(1.0).cross(x, x);
  for (const int threads : {1, 2, 16}) {
    Matrix k = Matrix::Zero(300, 300);
    internal::fill_lower(gram<Row>(matern32(1.0), x), k, threads);
    EXPECT_TRUE(same_bits(k.triangularView<Eigen::Lower>(), all.triangularView<Eigen::Lower>()));
  }
}

}  // namespace
}  // namespace covary::test::factor_test
