// The widest margin on a few points, from the matrix of their kernel.
#pragma once
#include "covary/base/types.h"

namespace covary {

struct DenseMargin {
  Vector weights;     // m: y_i alpha_i; 0 and the penalty are met exactly
  double margin = 0;  // 1/|f|
  Index steps = 0;    // of the active set
  Index stuck = -1;   // a point that a hard margin cannot have on its side; -1: it can
};

/// k: m x m; y (m): 1 and -1, both; penalty (m): of each point; `start` (m): weights within their ranges that sum to 0. LIBSVM is asked
/// for a better start if `quick`, and if Covary was built with it.
DenseMargin widest_margin(Matrix k, const Vector& y, const Vector& penalty, double tolerance,
                          const Vector& start, bool quick);

}  // namespace covary
