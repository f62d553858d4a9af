// Predictions in the units of y, for whoever shows or scores them.
#pragma once
#include <limits>

#include "covary/base/types.h"
#include "covary/predictive/transform.h"

namespace covary {

/// Mean and standard deviation at m points. Not the variance: it may be too large for a number.
struct Prediction {
  Vector mean, sd;    // m
  Index clamped = 0;  // as in Marginals
  /// Finite: each is Student's t with so many degrees of freedom, and sd is its scale (the standard error).
  double freedom = std::numeric_limits<double>::infinity();
  /// Of a model of g(y): g, and the location and scale of g(y) (m). Mean and sd are then those of y where
  /// g(y) is normal: a t through exp has no mean.
  Transform transform = {};
  Vector location = {}, scale = {};

  /// So many sds from the mean, or for a model of g(y) the inverse of g there: m. at(-k) and at(k) are the
  /// ends of the central interval whose quantile is k, at(0) is the median.
  Vector at(double k) const;
};

/// A prediction of g(y), of y.
Prediction untransformed(Prediction of_g, const Transform& g);

}  // namespace covary
