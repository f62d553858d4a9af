// A weighted mixture of predictive distributions, such as those of several draws of the hyper-parameters.
//
//   F(y) = sum_s w_s F_s(y),   mean = sum_s w_s m_s,   sd^2 = sum_s w_s (sd_s^2 + (m_s - mean)^2)
//
// A quantile is the root of F(y) = p between the least and the largest quantile of the parts, by Newton steps that a
// bisection guards. The CRPS is in closed form where every part is normal (gaussian/normal_mixture.h), and by Simpson's
// rule over y -+ spread sinh(u) otherwise.
#pragma once
#include <vector>

#include "covary/predictive/prediction.h"

namespace covary {

/// S distributions at the same m points.
struct Mixture {
  std::vector<Prediction> parts;  // S, each of m points
  Vector weights;                 // S: not negative, they sum to 1

  Vector mean() const;
  Vector sd() const;
  Vector cdf(const Vector& y) const;
  Vector quantile(double p) const;
  Vector log_density(const Vector& y) const;
  Vector crps(const Vector& y) const;  // S^2 for each point where parts are normal
  Mixture picked(const std::vector<Index>& which) const;
  /// Throws Problem::usage unless both have the same weights.
  Mixture joined(const Mixture& more) const;
  Mixture scaled(double by) const;
  std::string text() const;  // "a mixture of 32 normal"
};

namespace internal {
/// As a prediction; the one part itself if there is one. Throws Problem::usage unless there are weights that sum to 1,
/// none negative, one for each part, and parts of as many points.
Prediction mixture_of(std::vector<Prediction> parts, const Vector& weights);
}  // namespace internal

}  // namespace covary
