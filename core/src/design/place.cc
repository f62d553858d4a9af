#include "covary/design/place.h"

#include <algorithm>

namespace covary {
using namespace internal;
namespace {

Placed searched(const PlacementProblem& problem, const PlaceRequest& r) {
  switch (r.search) {
    case PlaceSearch::given:
      return assessed(problem, *r.criterion, r.set, r.options);
    case PlaceSearch::optimal:
      return best(problem, *r.criterion, r.k, r.options);
    case PlaceSearch::robust:
      return robust(problem, *r.criterion, r.k, r.options);
    case PlaceSearch::refined:
      return refined(problem, *r.criterion, place(problem, *r.criterion, r.k, r.options), r.options);
    case PlaceSearch::greedy:
      break;
  }
  return place(problem, *r.criterion, r.k, r.options);
}

/// Whether some existing sensor has no reading at all.
bool any_silent(const PlacementProblem& problem, const Matrix& readings) {
  return std::any_of(problem.existing.begin(), problem.existing.end(),
                     [&](Index i) { return readings.col(i).array().isNaN().all(); });
}

}  // namespace

Vector internal::rmses(const std::vector<HeldOutScore>& scores) {
  Vector out(std::ssize(scores));
  for (Index i = 0; i < out.size(); ++i) out[i] = scores[static_cast<size_t>(i)].rmse;
  return out;
}

SensorPlan place(const FieldPrior& prior, const PlacementProblem& problem, const PlaceRequest& r) {
  SensorPlan out{searched(problem, r)};
  const bool held = r.held_out.size() > 0;
  if (!held && !r.compare) return out;
  const PlacementProblem plain = as_predicted(prior, problem);
  const HeldOut readings{prior.mean, r.held_out};
  if (held) {
    out.scores = held_out_scores(plain, readings, out.placed.places());
    if (any_silent(problem, r.held_out))
      out.notes.emplace_back(
          "held out: some sensor that stands already has no readings there, so the errors are those without "
          "it");
  }
  if (out.placed.picks.empty()) return out;
  out.by_chance = random_sets(
      plain, std::ssize(out.placed.picks), r.repeats, r.options.seed,
      [&](const std::vector<Index>& set) {
        return held ? rmses(held_out_scores(plain, readings, set)) : mean_sds(plain, set);
      },
      r.options.threads);
  return out;
}

}  // namespace covary
