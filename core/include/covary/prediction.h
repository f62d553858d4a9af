// Predictions in the units of y, for whoever shows or scores them.
#pragma once
#include <limits>

#include "covary/types.h"

namespace covary {

/// Mean and standard deviation at m points. Not the variance: it may be too large for a number.
struct Prediction {
  Vector mean, sd;    // m
  Index clamped = 0;  // as in Marginals
  /// Finite: each is Student's t with so many degrees of freedom, and sd is its scale (the standard error).
  double freedom = std::numeric_limits<double>::infinity();
};

}  // namespace covary
