// Student's t at m points: normal where the degrees of freedom are infinite.
//
//   z = (y - location) / scale,  F(y) = T(z),  log p(y) = log t(z) - log scale,  CRPS = scale CRPS_t(z)
//
// T and t are those of univariate.h. A scale of 0 is certainty: what it misses has no density, and a CRPS that
// is the distance. A t with freedom 1 or less has an infinite CRPS.
#pragma once
#include <limits>

#include "covary/predictive/prediction.h"

namespace covary {

struct StudentT {
  Vector location, scale;  // m
  double freedom = std::numeric_limits<double>::infinity();

  Vector mean() const { return location; }
  Vector sd() const { return scale; }  // of a t its scale, the standard error
  Vector cdf(const Vector& y) const;
  Vector quantile(double p) const;
  Vector log_density(const Vector& y) const;
  Vector crps(const Vector& y) const;
  Vector standardized(const Vector& y) const;
  Vector at(double z) const { return location + z * scale; }
  double reach(double percent) const { return internal::interval_quantile(percent, freedom); }
  StudentT picked(const std::vector<Index>& which) const;
  StudentT joined(const StudentT& more) const;  // the freedom is the smaller
  StudentT scaled(double by) const { return {location * by, scale * by, freedom}; }
  bool symmetric() const { return true; }
  std::string text() const;  // "normal", "a t of freedom 4"
};

}  // namespace covary
