// Placement: the core's searches over a field, and how well a set does on readings that were held out.
#include "covary/design/place.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "arrays.h"
#include "bind.h"
#include "covary/base/error.h"
#include "covary/place/words.h"
#include "watched.h"

namespace covary::python {
namespace {

using namespace nb::literals;

PlaceSearch search_called(const std::string& word) {
  if (word == "refine") return PlaceSearch::refined;
  if (word == "optimal") return PlaceSearch::optimal;
  if (word == "robust") return PlaceSearch::robust;
  return word == "evaluate" ? PlaceSearch::given : PlaceSearch::greedy;
}

/// What was asked, and what came of it; owned, because it may go on for a moment after Ctrl-C.
struct Task {
  FieldPrior prior;
  PlacementProblem problem;
  PlaceRequest request;

  SensorPlan plan = {};
  Vector sd = {};

  void run(const Wanted& wanted) {
    request.options.progress = [wanted](double) { return wanted->load(); };
    plan = place(prior, problem, request);
    sd = internal::remaining_sd(internal::as_predicted(prior, problem), plan.placed.places());
  }
};

nb::dict described(const Placed& p) {
  const auto n = std::ssize(p.picks);
  Vector gains(n), values(n), bounds(n), shares(n), costs(n), mean_sd(n), largest_sd(n);
  for (Index i = 0; i < n; ++i) {
    const Pick& pick = p.picks[static_cast<size_t>(i)];
    gains[i] = pick.gain, values[i] = pick.value, bounds[i] = pick.bound, shares[i] = pick.share();
    costs[i] = pick.cost, mean_sd[i] = pick.mean_sd, largest_sd[i] = pick.largest_sd;
  }
  nb::dict d;
  d["indices"] = p.places(), d["gains"] = gains, d["values"] = values, d["bounds"] = bounds;
  d["shares"] = shares, d["costs"] = costs, d["mean_sd"] = mean_sd, d["largest_sd"] = largest_sd;
  d["mean_sd_before"] = p.mean_sd, d["largest_sd_before"] = p.largest_sd;
  d["optimal"] = p.optimal, d["stopped"] = p.stopped;
  return d;
}

nb::object held_out_of(const SensorPlan& plan, const std::vector<std::string>& times) {
  const std::vector<HeldOutScore>& scores = plan.scores;
  const std::optional<RandomSets>& by_chance = plan.by_chance;
  if (scores.empty()) return nb::none();
  Vector inside(std::ssize(scores));
  for (Index i = 0; i < inside.size(); ++i) inside[i] = scores[static_cast<size_t>(i)].inside;
  nb::dict d;
  d["rmse"] = internal::rmses(scores), d["inside"] = inside;
  const HeldOutScore& last = scores.back();
  d["worst"] = last.worst,
  d["worst_time"] = last.worst_time < 0 ? "" : times[static_cast<size_t>(last.worst_time)];
  d["random_rmse"] = d["random_5"] = d["random_95"] = nb::none();
  if (!by_chance) return d;
  d["random_rmse"] = by_chance->mean, d["random_5"] = by_chance->lower, d["random_95"] = by_chance->upper;
  return d;
}

nb::dict answered(const Task& task, const internal::PlacedAbout& about,
                  const std::vector<std::string>& times) {
  const SensorPlan& plan = task.plan;
  nb::dict d = described(plan.placed);
  std::vector<std::string> said = plan.notes;
  const auto add = [&](const std::vector<std::string>& more) {
    said.insert(said.end(), more.begin(), more.end());
  };
  add(internal::words(plan.placed, about));
  if (!plan.scores.empty() && !plan.placed.picks.empty())
    add(internal::held_out_words(plan.scores, plan.by_chance ? &*plan.by_chance : nullptr, times,
                                 about.unit));
  d["words"] = said, d["criterion"] = about.criterion->name, d["measure"] = about.criterion->unit;
  d["remaining_sd"] = task.sd, d["held_out"] = held_out_of(plan, times);
  return d;
}

/// One for each candidate.
Vector of_candidates(nb::handle given, const char* name, Index candidates) {
  Vector out = values(given, name);
  if (out.size() == candidates) return out;
  throw Error(Problem::usage, std::string(name) + ": " + std::to_string(out.size()) + " for " +
                                  std::to_string(candidates) + " candidates");
}

/// Of a variance for all, of sds, or empty: not given.
Vector noise_of(std::optional<double> variance, nb::handle sd, Index candidates) {
  if (sd.is_none()) return variance ? Vector::Constant(1, *variance) : Vector();
  const Vector each = of_candidates(sd, "noise_sd", candidates);
  if (each.size() > 0 && !(each.minCoeff() > 0))
    throw Error(Problem::data,
                "noise_sd: expected positive standard deviations, found " + number_text(each.minCoeff()));
  return each.array().square();
}

/// Where sensors may stand; the field comes later.
PlacementProblem places(std::optional<double> noise, nb::handle noise_sd,
                        const std::vector<std::string>& names, Index candidates,
                        const std::vector<Index>& existing, const std::vector<Index>& forbidden,
                        const std::vector<Index>& targets, nb::handle cost, std::optional<double> budget,
                        nb::handle at, double min_distance, const std::vector<Index>& group,
                        Index per_group) {
  PlacementProblem p;
  p.noise = noise_of(noise, noise_sd, candidates), p.names = names;
  p.existing = existing, p.forbidden = forbidden, p.targets = targets;
  if (!cost.is_none()) p.cost = of_candidates(cost, "costs", candidates);
  if (budget) p.budget = *budget;
  if (!at.is_none())
    p.distance = internal::distance_between(matrix(at, "candidates")), p.min_distance = min_distance;
  if (!group.empty()) p.group = group, p.per_group = per_group;
  internal::extend(p, std::ssize(names));
  return p;
}

/// k: how many; none: what the budget buys.
nb::dict place_sensors(const FieldPrior& field, const PlacementProblem& where, const std::string& criterion,
                       Index candidates, std::optional<Index> k, const std::string& search,
                       const std::vector<Index>& set, nb::handle held_out,
                       const std::vector<std::string>& times, Index repeats,
                       std::optional<double> max_seconds, std::optional<Index> neighbors,
                       const std::string& unit, std::uint64_t seed, int threads) {
  PlaceRequest r{&criterion_called(criterion), k.value_or(candidates), search_called(search), set};
  if (!held_out.is_none()) r.held_out = matrix(held_out, "held_out");
  r.repeats = repeats, r.options.seed = seed, r.options.threads = threads;
  if (max_seconds) r.options.max_seconds = *max_seconds;
  if (neighbors) r.options.neighbors = *neighbors;
  const auto task = std::make_shared<Task>(Task{field, problem_of(field, where), std::move(r)});
  watched([task](const Wanted& wanted) { task->run(wanted); });
  const bool given = task->request.search == PlaceSearch::given, bought = std::isfinite(where.budget);
  return answered(*task, {task->request.criterion, field.words, candidates, given, bought, unit}, times);
}

nb::list criteria_listed() {
  nb::list all;
  for (const CriterionEntry& e : criteria()) {
    nb::dict d;
    d["name"] = e.name, d["formula"] = e.formula, d["unit"] = e.unit;
    d["certificate"] = e.certificate, d["about"] = e.about;
    all.append(d);
  }
  return all;
}

}  // namespace

void bind_placement(nb::module_& m) {
  m.def("criteria", &criteria_listed,
        "What makes a set of sensors good: name, formula, unit, certificate, about.");
  m.def(
      "check_criterion", [](const std::string& name) { (void)criterion_called(name); }, "name"_a,
      "Raises ValueError, with the nearest name, unless there is one.");
  nb::class_<PlacementProblem>(m, "Places", "Where sensors may stand, and what they are for.");
  m.def("places", &places, nb::kw_only(), "noise"_a.none(), "noise_sd"_a.none(), "names"_a, "candidates"_a,
        "existing"_a, "forbidden"_a, "targets"_a, "cost"_a.none(), "budget"_a.none(), "at"_a.none(),
        "min_distance"_a, "group"_a, "per_group"_a);
  m.def("place", &place_sensors, "field"_a, "places"_a, "criterion"_a, nb::kw_only(), "candidates"_a,
        "k"_a.none(), "search"_a, "set"_a, "held_out"_a.none(), "times"_a, "repeats"_a,
        "max_seconds"_a.none(), "neighbors"_a.none(), "unit"_a, "seed"_a, "threads"_a,
        "Places sensors. Ctrl-C stops it.");
}

}  // namespace covary::python
