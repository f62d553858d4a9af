// Triangular solves whose results for a column do not depend on the other columns.
#pragma once
#include "covary/base/types.h"

namespace covary {

/// Factors are stored in multiples of 32 rows and columns, the identity beyond what they have.
constexpr Index row_unit = 32;
constexpr Index padded(Index n, Index unit = row_unit) { return (n + unit - 1) / unit * unit; }

/// L^-1 b, n x m: l has padded(n) rows and columns. n^2 m flops; each column has the same bits whatever
/// columns stand beside it and whatever the threads.
Matrix solve_columns(const Eigen::Ref<const Matrix>& l, const Matrix& b, int threads);

}  // namespace covary
