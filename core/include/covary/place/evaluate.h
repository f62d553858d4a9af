// How well sensors predict held-out readings at the other places, compared with random sets.
//
//   prediction at u: m_u + K_uP (K_PP + noise)^-1 (r_P - m_P),  with its variance
//
// Existing sensors always count. A sensor without a reading at some time is left out for that time.
#pragma once
#include "covary/place/allowed.h"
#include "covary/place/conditioned.h"

namespace covary {

struct HeldOut {
  Vector mean;      // n: what is expected before any reading
  Matrix readings;  // times x n, NaN: missing
};

/// Over the places without a sensor (of the targets, if there are any) and all times.
struct HeldOutScore {
  double rmse = 0;
  double inside = 0;      // share of readings inside their 95 % interval
  double worst = 0;       // the largest error (rmse over places) of one time
  Index worst_time = -1;  // -1: no reading could be compared, and the figures are NaN
};

namespace internal {
/// With none, the first one, ..., all of `sensors`: k + 1 scores, under the first field of the problem.
/// O(times n k), and O(n k^2) for every pattern of silent sensors.
std::vector<HeldOutScore> held_out_scores(const PlacementProblem& problem, const HeldOut& held,
                                          const std::vector<Index>& sensors);

/// n: the sd of the field at every place, given `sensors` besides the existing ones. O(n k^2).
Vector remaining_sd(const PlacementProblem& problem, const std::vector<Index>& sensors);

/// With none, the first one, ..., all of `sensors`: the mean sd of the field at the targets, or at every
/// place without a sensor. k + 1. O(n k^2).
Vector mean_sds(const PlacementProblem& problem, const std::vector<Index>& sensors);
}  // namespace internal

/// The distribution of a figure over random sets: mean, 5 % and 95 % points, for 0, ..., k sensors. NaN where
/// no set became so large.
struct RandomSets {
  Vector mean, lower, upper;  // k + 1
};

namespace internal {
/// Draws `repeats` allowed sets of up to k sensors. figures(sensors) -> one for every number of them, like
/// the above.
RandomSets random_sets(const PlacementProblem& problem, Index k, Index repeats, std::uint64_t seed,
                       const std::function<Vector(const std::vector<Index>&)>& figures, int threads = 0);
}  // namespace internal

}  // namespace covary
