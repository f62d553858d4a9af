// Sensors for a field: chosen by one of the searches, and evaluated on held-out readings against random sets.
//
//   SensorPlan plan = place(prior, problem_of(prior, where), {.criterion = &criterion_called("entropy"), .k = 10});
#pragma once
#include "covary/design/field_prior.h"
#include "covary/place/evaluate.h"
#include "covary/place/placement.h"

namespace covary {

enum class PlaceSearch { greedy, refined, optimal, robust, given };

struct PlaceRequest {
  const CriterionEntry* criterion = nullptr;
  Index k = 0;  // how many; under a budget, at most
  PlaceSearch search = PlaceSearch::greedy;
  std::vector<Index> set = {};  // the one to be scored, of PlaceSearch::given
  Matrix held_out = {};         // times x n, NaN: missing; empty: none
  bool compare = false;         // with random sets where nothing was held out: by the mean sd they leave
  Index repeats = 200;          // random sets
  PlaceOptions options = {};
};

struct SensorPlan {
  Placed placed;
  std::vector<HeldOutScore> scores = {};     // with 0, ..., k sensors; empty: nothing was held out
  std::optional<RandomSets> by_chance = {};  // of the rmse if there is one, else of the mean sd
  std::vector<std::string> notes = {};
};

/// `problem`: of problem_of(prior, ...).
SensorPlan place(const FieldPrior& prior, const PlacementProblem& problem, const PlaceRequest& request);

namespace internal {
/// k + 1: the rmse of each score.
Vector rmses(const std::vector<HeldOutScore>& scores);
}  // namespace internal

}  // namespace covary
