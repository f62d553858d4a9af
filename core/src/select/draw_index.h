// A draw from a discrete distribution.
#pragma once
#include "covary/base/types.h"

namespace covary::internal {

/// The first i with p_0 + ... + p_i over u, but never one with p_i = 0.
inline Index draw_index(const Vector& p, double u) {
  Index last = -1;
  for (Index i = 0; i < p.size(); ++i) {
    if (p[i] <= 0) continue;
    last = i, u -= p[i];
    if (u < 0) break;
  }
  return last;
}

}  // namespace covary::internal
