// L^-1 b by columns: right, and the same bits in any company.
#include "algebra/solve_columns.h"

#include <gtest/gtest.h>

#include "base/simd/simd.h"
#include "covary/base/random.h"
#include "support.h"

namespace covary::test::solve_columns_test {
namespace {

/// A triangle of n rows, the identity beyond; above the diagonal is what must not be read.
Matrix triangle(Index n, Random& rng) {
  Matrix l = Matrix::Identity(padded(n), padded(n));
  l.topLeftCorner(n, n) = rng.normal(n, n) / std::sqrt(double(n));
  l.topLeftCorner(n, n).diagonal() = (2 + rng.normal(n, 1).array().abs()).matrix();
  l.triangularView<Eigen::StrictlyUpper>().setConstant(std::nan(""));
  return l;
}

TEST(SolveColumns, IsTheSolution) {
  Random rng(1);
  for (const Index n : {1, 2, 31, 32, 33, 64, 100, 255, 256, 257, 300, 511, 513, 700})
    for (const Index m : {0, 1, 2, 4, 5, 6, 7, 12, 13, 50, 300}) {
      const Matrix l = triangle(n, rng), b = rng.normal(n, m), x = solve_columns(l, b, 1);
      ASSERT_EQ(x.rows(), n);
      ASSERT_EQ(x.cols(), m);
      const Matrix back = l.topLeftCorner(n, n).triangularView<Eigen::Lower>() * x;
      EXPECT_LT((back - b).norm(), 1e-13 * double(n) * std::sqrt(double(m) + 1)) << n << " x " << m;
    }
}

TEST(SolveColumns, AColumnHasTheSameBitsInAnyCompany) {
  Random rng(2);
  for (const Index n : {5, 32, 70, 256, 288, 519}) {
    const Matrix l = triangle(n, rng), b = rng.normal(n, 600), all = solve_columns(l, b, 1);
    for (const int threads : {2, 3, 7}) EXPECT_TRUE(same_bits(all, solve_columns(l, b, threads))) << n;
    for (const Index m : {1, 2, 3, 4, 5, 6, 7, 8, 11, 64, 253, 599})
      for (const Index first : {Index(0), Index(1), 600 - m})
        EXPECT_TRUE(same_bits(Matrix(all.middleCols(first, m)), solve_columns(l, b.middleCols(first, m), 1)))
            << n << ": " << m << " columns from " << first;
  }
}

/// What this processor does not choose is as right as what it does.
TEST(SolveColumns, EveryInstructionSet) {
  Random rng(3);
  for (const simd::Loops* const* next = simd::all_loops(); *next; ++next)
    for (const Index n : {32, 96, 256, 320, 608}) {
      const Matrix l = triangle(n, rng), b = rng.normal(n, 20);
      Vector space(simd::solve_space(20));
      Matrix all = b, each = b;
      (*next)->solve_lower(l.data(), n, n, all.data(), n, 20, space.data());
      for (Index j = 0; j < 20; ++j) (*next)->solve_lower(l.data(), n, n, each.col(j).data(), n, 1, nullptr);
      EXPECT_TRUE(same_bits(all, each)) << (*next)->name << ", " << n;
      const Matrix back = l.triangularView<Eigen::Lower>() * all;
      EXPECT_LT((back - b).cwiseAbs().maxCoeff(), 1e-13 * double(n)) << (*next)->name << ", " << n;
    }
}

}  // namespace
}  // namespace covary::test::solve_columns_test
