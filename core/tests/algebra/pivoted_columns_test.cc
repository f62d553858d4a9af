// Pivoted columns: what remains is what is left of the variances, and that is little.
#include "covary/algebra/pivoted_columns.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "covary/kernels/stationary.h"
#include "support.h"

namespace covary::test::pivoted_columns_test {
namespace {

Covariances of(const Matrix& k) {
  return {k.rows(), k.diagonal(), [&k](Range r, const std::vector<Index>& c) -> Matrix {
            return k.middleRows(r.first, r.count)(Eigen::all, c);
          }};
}

/// diag(K - K_:S K_SS^-1 K_S:).
Vector left(const Matrix& k, const std::vector<Index>& rows) {
  const Matrix s = k(rows, rows), c = k(rows, Eigen::all);
  return k.diagonal() - c.cwiseProduct(s.ldlt().solve(c)).colwise().sum().transpose();
}

TEST(PivotedColumns, WhatRemainsIsTheSchurComplement) {
  const Matrix x = random_points(1, 300, 2), k = matern32(0.7).cross(x, x);
  for (const Index most : {1, 5, 40, 100}) {
    const internal::PivotedColumns p = internal::pivoted_columns(of(k), most);
    ASSERT_EQ(std::ssize(p.rows), most);
    EXPECT_TRUE(near(p.remaining, left(k, p.rows), 1e-9)) << most;
  }
}

/// What the largest variance first, one row at a time, leaves in all.
double left_by_the_largest_first(const Matrix& k, Index most) {
  Vector v = k.diagonal();
  Matrix g(k.rows(), most);
  for (Index r = 0; r < most; ++r) {
    Index i = 0;
    v.maxCoeff(&i);
    const Vector c = k.col(i) - g.leftCols(r) * g.row(i).head(r).transpose();
    g.col(r) = c / std::sqrt(c[i]);
    v -= g.col(r).cwiseAbs2();
  }
  return v.sum();
}

TEST(PivotedColumns, OutliersDoNotTakeAllOfThem) {
  Matrix x = random_points(2, 600, 2);
  x.bottomRows(40) *= 100;
  const Matrix k = se(0.7).cross(x, x);
  EXPECT_LT(internal::pivoted_columns(of(k), 40).remaining.sum(), 0.7 * left_by_the_largest_first(k, 40));
}

/// The diagonal says that something remains, the blocks that it is rounding.
TEST(PivotedColumns, EndWhereOnlyRoundingRemains) {
  Covariances k{5, Vector::Constant(5, 1.0), [](Range r, const std::vector<Index>& c) -> Matrix {
                  return Matrix::Zero(r.count, std::ssize(c));
                }};
  EXPECT_TRUE(internal::pivoted_columns(k, 3).rows.empty());
}

TEST(PivotedColumns, StopsWhereNothingRemains) {
  const Vector a = random_points(3, 50, 1);
  const Matrix k = a * a.transpose();  // rank 1
  EXPECT_EQ(internal::pivoted_columns(of(k), 20).rows.size(), 1);
  EXPECT_TRUE(internal::pivoted_columns(of(Matrix(0, 0)), 20).rows.empty());
}

TEST(PivotedColumns, DoesNotDependOnThreads) {
  const Matrix x = random_points(4, 5000, 2);
  const Kernel<Row> kernel = matern52(0.4);
  const Covariances k{5000, kernel.diag(x), [&](Range r, const std::vector<Index>& c) {
                        return kernel.cross(slice(x, r), Rows(pick(x, c)));
                      }};
  const internal::PivotedColumns one = internal::pivoted_columns(k, 90, 1e-10, 1),
                                 two = internal::pivoted_columns(k, 90, 1e-10, 2);
  EXPECT_EQ(one.rows, two.rows);
  EXPECT_TRUE(same_bits(one.remaining, two.remaining));
}

}  // namespace
}  // namespace covary::test::pivoted_columns_test
