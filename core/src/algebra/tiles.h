// Tiles of a symmetric matrix whose lower triangle is stored.
#pragma once
#include "covary/base/types.h"

namespace covary {

/// On the diagonal both triangles are filled. r.first >= c.first.
inline Matrix symmetric_tile(const Matrix& lower, Range r, Range c) {
  Matrix tile = lower.block(r.first, c.first, r.count, c.count);
  if (r.first == c.first) tile.triangularView<Eigen::StrictlyUpper>() = tile.transpose();
  return tile;
}

}  // namespace covary
