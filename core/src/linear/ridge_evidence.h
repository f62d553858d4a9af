// The evidence of a ridge problem where the noise or the prior of its weights is known, and the other is not.
//
//   -2 log p(y) = n log 2 pi + (n - k) log v + rest/v + sum_j [log(v + s_j^2 t) + c_j^2/(v + s_j^2 t)]
//
// v: noise variance, t: prior variance of the penalized weights; k singular values s, c = U'y; columns that
// are not penalized at their estimate. Nothing cancels in it: the same digits for the widest and the
// narrowest prior.
#pragma once
#include "linear/ridge_directions.h"

namespace covary {

struct MostLikely {
  double sd = 0;
  bool at_end = false;  // the evidence grows towards 0: the smallest value that was tried
};

/// log p(y) for the sds of noise and prior. O(k)
double log_evidence(const RidgeDirections& d, double noise_sd, double prior_sd);

/// The noise sd of most evidence. Its square lies between rest/n and max(rest/(n - k), max_j c_j^2), where
/// every term of the derivative has one sign. O(k) for each of some 450 values.
MostLikely most_likely_noise(const RidgeDirections& d, double prior_sd);

/// The prior sd of most evidence. Its square is at most max_j (c_j^2 - v)/s_j^2.
MostLikely most_likely_prior(const RidgeDirections& d, double noise_sd);

}  // namespace covary
