// Slices through many inputs: one of them varies, the others are fixed.
#pragma once
#include "covary/base/types.h"

namespace covary {

namespace internal {
/// The median of each column (d); of an even number of rows the mean of the middle two.
Vector column_medians(const Rows& x);

/// m points that are `at` (d) but for column `moving`, which takes `values` (m): m x d.
Matrix slice_points(const Vector& at, Index moving, const Vector& values);
}  // namespace internal

/// Every pair of values (nx ny x 2), the first moving fastest.
Matrix grid_points(const Vector& x, const Vector& y);

}  // namespace covary
