// A set of sensors as it grows one by one, with the report of every step.
#pragma once
#include "place/average.h"

namespace covary::placing {

class Steps {
 public:
  Steps(const PlacementProblem& problem, const CriterionEntry& entry, Index k, const PlaceOptions& options);
  void take(Index place, double gain);
  /// With the lowest bound that any step gave.
  Placed done();

  const Allowed start;
  Allowed allowed;
  Average team;
  Placed placed;

 private:
  const PlacementProblem* problem_;
  Vector bounds_;  // of 1, 2, ... sensors
};

/// Bounds hold for every set: the lower of two.
void lower_bounds(Placed& placed, const Placed& other);

void report(const PlaceOptions& options, double share);

}  // namespace covary::placing
