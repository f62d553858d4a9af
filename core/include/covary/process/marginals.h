// Means and variances at m points: of f, or of observations of it.
#pragma once
#include <limits>

#include "covary/base/types.h"

namespace covary {

struct Marginals {
  Vector mean, variance;  // m
  Index clamped = 0;      // variances at the rounding level of the prior's, set to 0
  /// Finite: the noise was estimated from the same data, and each is Student's t with so many degrees of freedom
  /// and scale sqrt(variance).
  double freedom = std::numeric_limits<double>::infinity();
  Vector sd() const { return variance.cwiseSqrt(); }
};

}  // namespace covary
