// A placement problem: candidate places, targets and constraints, checked once.
#pragma once
#include <limits>

#include "covary/place/field.h"

namespace covary {

/// Places are numbered as in the field. Candidates, places that can only be predicted and sensors that stand
/// already are all places.
struct PlacementProblem {
  /// The prior of the field. Several: the criterion is averaged over them, for uncertain hyper-parameters.
  std::vector<Field> fields = {};
  /// n, or 1 for all: the variance of a sensor's error. It belongs to the sensor: what is predicted is the
  /// field.
  Vector noise = Vector::Zero(1);
  std::vector<Index> existing = {};   // places of existing sensors
  std::vector<Index> forbidden = {};  // no sensor here; still predicted
  /// Places to be predicted; empty: every place without a sensor.
  std::vector<Index> targets = {};
  Vector cost = {};  // n, positive; empty: 1 each
  double budget = std::numeric_limits<double>::infinity();
  /// The distance of two places, for min_distance.
  std::function<double(Index, Index)> distance = {};
  double min_distance = 0;        // between any two sensors
  std::vector<Index> group = {};  // n: at most `per_group` sensors (those standing count) share a number
  Index per_group = 0;            // 0: any number
  std::vector<std::string> names = {};  // n, for messages; empty: "place 17"

  Index size() const { return fields.empty() ? 0 : fields.front().size; }
  double noise_at(Index place) const { return noise.size() == 1 ? noise[0] : noise[place]; }
  double cost_at(Index place) const { return cost.size() == 0 ? 1 : cost[place]; }
  std::string name(Index place) const;
};

namespace internal {
/// The Euclidean distance of places at x (n x d); infinite where coordinates are not known (NaN).
std::function<double(Index, Index)> distance_between(Matrix x);

/// Costs, noises and groups of the first places, extended to n by neutral values: a cost of 1, the mean noise,
/// a group of its own.
void extend(PlacementProblem& problem, Index n);

/// Throws Problem::usage or Problem::data that says which place or number is wrong and what was expected.
void check(const PlacementProblem& problem);
}  // namespace internal

}  // namespace covary
