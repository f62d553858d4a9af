// The natural cubic splines through K knots: smooth in between, straight lines beyond.
#pragma once
#include <vector>

#include "covary/base/types.h"

namespace covary {

/// Whether there are at least two, finite, ascending, and no two so near that curvatures between them
/// overflow.
bool can_be_knots(const std::vector<double>& knots);

/// The splines that are 1 at one knot and 0 at the others. Any natural spline is its values at the knots
/// times these; they sum to 1, and times the knots they give x.
class NaturalSplines {
 public:
  explicit NaturalSplines(const std::vector<double>& knots);  // can_be_knots
  /// n x K, for x (n). O(n K).
  void fill(const Eigen::Ref<const Vector>& x, Eigen::Ref<Matrix> phi) const;

 private:
  double low_, range_;
  Vector u_;          // K: the knots in units of their range, from 0 to 1
  Matrix curvature_;  // K x K: the second derivative at knot i of spline j
};

}  // namespace covary
