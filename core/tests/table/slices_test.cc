#include "covary/table/slices.h"

#include <gtest/gtest.h>

namespace covary::slices_test {
namespace {

TEST(Slices, MediansOfOddAndEvenRows) {
  Matrix x(4, 2);
  x << 3, 1, 1, 1, 2, 5, 10, 9;
  EXPECT_EQ(internal::column_medians(x), (Vector(2) << 2.5, 3).finished());
  EXPECT_EQ(internal::column_medians(x.topRows(3)), (Vector(2) << 2, 1).finished());
  EXPECT_EQ(internal::column_medians(x.topRows(1)), x.row(0).transpose());
}

TEST(Slices, OneColumnMoves) {
  const Vector at = (Vector(3) << 1, 2, 3).finished(), values = Vector::LinSpaced(5, 0, 1);
  const Matrix x = internal::slice_points(at, 1, values);
  ASSERT_EQ(x.rows(), 5);
  EXPECT_EQ(x.col(1), values);
  EXPECT_TRUE((x.col(0).array() == 1).all() && (x.col(2).array() == 3).all());
}

TEST(Slices, AGridHasEveryPair) {
  const Vector x = Vector::LinSpaced(3, 0, 2), y = Vector::LinSpaced(2, 10, 20);
  const Matrix g = grid_points(x, y);
  ASSERT_EQ(g.rows(), 6);
  EXPECT_EQ(g.col(0).reshaped(3, 2).col(1), x);
  EXPECT_EQ(g(5, 1), 20);
  EXPECT_EQ(g(2, 1), 10);
}

}  // namespace
}  // namespace covary::slices_test
