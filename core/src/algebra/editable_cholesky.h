// A Cholesky factor A = L L' that gains and loses one row at a time, in place.
#pragma once
#include "covary/base/types.h"

namespace covary {

class GrowingCholesky {
 public:
  Index size() const { return n_; }
  /// A gains a last row: n entries and the diagonal. False, and nothing changes, if what is left of the
  /// diagonal is not above `least`. O(n^2)
  bool append(const Vector& row, double diagonal, double least);
  /// A loses row and column p. O((n - p)^2)
  void remove(Index p);
  /// A^-1 b: n x m. O(n^2 m)
  Matrix solve(Matrix b) const;

 private:
  Index n_ = 0;
  Matrix l_;  // at least n x n; only the lower triangle means anything
};

}  // namespace covary
