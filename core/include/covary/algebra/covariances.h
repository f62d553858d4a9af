// A covariance matrix that is never formed: its diagonal, and blocks of it when they are asked for.
#pragma once
#include <functional>
#include <vector>

#include "covary/base/types.h"

namespace covary {

/// All that greedy selection (select, place, pivoted columns) sees of kernels and points. Gram (gram.h) is what
/// a factorization sees: tiles of ranges, and their derivatives.
struct Covariances {
  Index size = 0;        // n
  Vector diagonal = {};  // n
  /// K_ij for a run of rows i and some columns j.
  std::function<Matrix(Range, const std::vector<Index>&)> block = {};
  /// K_ij for some rows and some columns; default: from blocks of one row.
  std::function<Matrix(const std::vector<Index>&, const std::vector<Index>&)> among = {};
  /// Variance of its own (nugget) that each variable has: no eigenvalue of K is smaller.
  double own = 0;
};

namespace internal {
/// Of a matrix, which they keep.
Covariances covariances_of(Matrix k);

/// K_ij for some rows and some columns.
Matrix among(const Covariances& k, const std::vector<Index>& rows, const std::vector<Index>& columns);
}  // namespace internal

}  // namespace covary
