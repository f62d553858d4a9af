// Leave-one-out for every penalty at once, from P = V (D + penalty)^-1 V': y_i less its prediction from all
// other rows is alpha_i / P_ii, alpha = P y.
#pragma once
#include <string>

#include "covary/base/types.h"

namespace covary {

struct LeftOut {
  Matrix v, squares;  // n x m, orthonormal columns, and its squared entries
  Vector d, c;        // m: D and V'y
  Vector counted;     // n: 1, or 0 for a row without which the unpenalized weights are not determined

  LeftOut() = default;
  LeftOut(Matrix basis, Vector values, Vector rotated);
  Index uncounted() const { return v.rows() - Index(counted.sum()); }

  /// L: the root mean squared error over the rows that count. 4 n m L flops.
  Vector rmse(const Vector& penalties, int threads) const;
};

/// Rows for which 1 - leverage without any penalty is at most this cannot be left out.
constexpr double least_freedom = 1e-11;

/// The note on rows that do not count, `fixed` being "the trend is" or the like.
std::string uncounted_note(Index rows, Index uncounted, const std::string& fixed);

}  // namespace covary
