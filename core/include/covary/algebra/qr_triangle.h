// The triangular factor of a least-squares problem: what its QR decomposition keeps of any number of rows.
//
//   [A b] = Q [R z; 0 sqrt(rest)],  so  |A w - b|^2 = |R w - z|^2 + rest  for every w
//
// Rows may arrive in any portions: a few at a time by rotations, many by reflections. A'A is never formed.
#pragma once
#include <functional>

#include "covary/base/types.h"

namespace covary::internal {

/// The rows of a tall matrix, made when they are wanted: at(range) is range.count x columns.
struct RowBlocks {
  Index rows = 0, columns = 0;
  std::function<Matrix(Range)> at;
};

/// Those of a matrix that outlives them.
RowBlocks row_blocks(const Rows& a);

/// fn(range, rows there) in blocks of a size that suits the caches, across threads, in any order.
void for_row_blocks(const RowBlocks& a, int threads, const std::function<void(Range, const Matrix&)>& fn);

struct Triangle {
  Matrix r;         // N x N upper, diagonal >= 0
  Vector z;         // N
  double rest = 0;  // residual sum of squares of the best w

  /// The triangle of no rows.
  explicit Triangle(Index columns) : r(Matrix::Zero(columns, columns)), z(Vector::Zero(columns)) {}
  Index columns() const { return z.size(); }

  /// Further rows (q x N) and their b (q). O(q N^2).
  Triangle with(const Rows& a, const Vector& b) const;
  /// As if all rows so far had been multiplied by `factor`.
  Triangle scaled(double factor) const;
};

/// Of all these rows after those of `start`: 2 n N^2 flops, memory for a few blocks. The same bits whatever
/// the number of threads.
Triangle triangle(const RowBlocks& a, const Vector& b, const Triangle& start, int threads = 0);

}  // namespace covary::internal
