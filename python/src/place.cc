// Placement: the core's searches over a field, and how well a set does on readings that were held out.
#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "arrays.h"
#include "bind.h"
#include "covary/base/error.h"
#include "covary/kernels/compose.h"
#include "covary/place/words.h"
#include "field.h"
#include "watched.h"

namespace covary::python {
namespace {

using namespace nb::literals;

enum class Way { greedy, refine, optimal, robust, given };

Way way_called(const std::string& word) {
  if (word == "refine") return Way::refine;
  if (word == "optimal") return Way::optimal;
  if (word == "robust") return Way::robust;
  return word == "evaluate" ? Way::given : Way::greedy;
}

/// What was asked, and what came of it; owned, because it may go on for a moment after Ctrl-C.
struct Task {
  PlacementProblem problem;
  Field plain;
  const CriterionEntry* criterion = nullptr;
  Index k = 0, repeats = 0;
  Way way = Way::greedy;
  std::vector<Index> set;  // somebody's
  PlaceOptions options;
  HeldOut held;

  Placed placed;
  Vector sd;
  std::vector<HeldOutScore> scores;
  std::optional<RandomSets> by_chance;

  Placed search_parameters() const {
    if (way == Way::given) return assessed(problem, *criterion, set, options);
    if (way == Way::optimal) return best(problem, *criterion, k, options);
    if (way == Way::robust) return robust(problem, *criterion, k, options);
    const Placed greedy = place(problem, *criterion, k, options);
    return way == Way::refine ? refined(problem, *criterion, greedy, options) : greedy;
  }
  static Vector rmse(const std::vector<HeldOutScore>& scores) {
    Vector out(std::ssize(scores));
    for (Index i = 0; i < out.size(); ++i) out[i] = scores[static_cast<size_t>(i)].rmse;
    return out;
  }
  void judge(const PlacementProblem& as_predicted) {
    scores = held_out_scores(as_predicted, held, placed.places());
    if (placed.picks.empty()) return;
    by_chance = random_sets(
        as_predicted, std::ssize(placed.picks), repeats, options.seed,
        [&](const std::vector<Index>& chance) { return rmse(held_out_scores(as_predicted, held, chance)); },
        options.threads);
  }
  void run(const Wanted& wanted) {
    options.progress = [wanted](double) { return wanted->load(); };
    placed = search_parameters();
    PlacementProblem as_predicted = problem;
    as_predicted.fields = {plain};
    sd = remaining_sd(as_predicted, placed.places());
    if (held.readings.size() > 0) judge(as_predicted);
  }
};

/// The nearest that two places can be is not known where one has no coordinates.
std::function<double(Index, Index)> distance_of(Matrix x) {
  return [x = std::move(x)](Index i, Index j) {
    const double d = (x.row(i) - x.row(j)).norm();
    return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
  };
}

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

nb::object described(const std::vector<HeldOutScore>& scores, const std::optional<RandomSets>& by_chance,
                     const std::vector<std::string>& times) {
  if (scores.empty()) return nb::none();
  Vector inside(std::ssize(scores));
  for (Index i = 0; i < inside.size(); ++i) inside[i] = scores[static_cast<size_t>(i)].inside;
  nb::dict d;
  d["rmse"] = Task::rmse(scores), d["inside"] = inside;
  const HeldOutScore& last = scores.back();
  d["worst"] = last.worst,
  d["worst_time"] = last.worst_time < 0 ? "" : times[static_cast<size_t>(last.worst_time)];
  d["random_rmse"] = d["random_5"] = d["random_95"] = nb::none();
  if (!by_chance) return d;
  d["random_rmse"] = by_chance->mean, d["random_5"] = by_chance->lower, d["random_95"] = by_chance->upper;
  return d;
}

nb::dict answered(const Task& task, const PlacedAbout& about, const std::vector<std::string>& times) {
  nb::dict d = described(task.placed);
  std::vector<std::string> said = words(task.placed, about);
  if (!task.scores.empty() && !task.placed.picks.empty())
    for (std::string& w :
         held_out_words(task.scores, task.by_chance ? &*task.by_chance : nullptr, times, about.unit))
      said.push_back(std::move(w));
  d["words"] = said, d["criterion"] = about.criterion->name, d["measure"] = about.criterion->unit;
  d["remaining_sd"] = task.sd, d["held_out"] = described(task.scores, task.by_chance, times);
  return d;
}

/// One for each candidate, and for further places what does no harm.
Vector padded(const Vector& given, const char* name, Index candidates, Index n, double filling) {
  if (given.size() != candidates)
    throw Error(Problem::usage, std::string(name) + ": " + std::to_string(given.size()) + " for " +
                                    std::to_string(candidates) + " candidates");
  return concat(given, Vector::Constant(n - candidates, filling));
}

Vector noise_of(double variance, nb::handle sd, Index candidates, Index n) {
  if (sd.is_none()) return Vector::Constant(1, variance);
  const Vector each = values(sd, "noise_sd");
  if (each.size() > 0 && !(each.minCoeff() > 0))
    throw Error(Problem::data,
                "noise_sd: expected positive standard deviations, found " + number_text(each.minCoeff()));
  const Vector variances = each.array().square();
  return padded(variances, "noise_sd", candidates, n, variances.size() > 0 ? variances.mean() : 0);
}

/// Where sensors may stand; what is believed of the field comes later.
PlacementProblem places(double noise, nb::handle noise_sd, const std::vector<std::string>& names,
                        Index candidates, const std::vector<Index>& existing,
                        const std::vector<Index>& forbidden, const std::vector<Index>& targets,
                        nb::handle cost, std::optional<double> budget, nb::handle at, double min_distance,
                        const std::vector<Index>& group, Index per_group) {
  PlacementProblem p;
  const auto n = std::ssize(names);
  p.noise = noise_of(noise, noise_sd, candidates, n), p.names = names;
  p.existing = existing, p.forbidden = forbidden, p.targets = targets;
  if (!cost.is_none()) p.cost = padded(values(cost, "costs"), "costs", candidates, n, 1);
  if (budget) p.budget = *budget;
  if (!at.is_none()) p.distance = distance_of(matrix(at, "candidates")), p.min_distance = min_distance;
  if (!group.empty()) p.group = group, p.per_group = per_group;
  return p;
}

/// k: how many; none: what the budget buys. words: what is known of the field.
nb::dict place_sensors(const FieldBelief& field, const PlacementProblem& where, const std::string& criterion,
                       Index candidates, std::optional<Index> k, const std::string& way,
                       const std::vector<Index>& set, nb::handle held_out,
                       const std::vector<std::string>& times, Index repeats,
                       std::optional<double> max_seconds, const std::string& words, const std::string& unit,
                       std::uint64_t seed, int threads) {
  const auto task = std::make_shared<Task>();
  task->problem = where, task->problem.fields = field.fields, task->plain = field.plain;
  check(task->problem);
  task->criterion = &criterion_called(criterion);
  task->k = k.value_or(candidates), task->way = way_called(way), task->set = set, task->repeats = repeats;
  task->options.seed = seed, task->options.threads = threads;
  if (max_seconds) task->options.max_seconds = *max_seconds;
  if (!held_out.is_none()) task->held = {field.mean, matrix(held_out, "held_out")};
  watched([task](const Wanted& wanted) { task->run(wanted); });
  const bool bought = std::isfinite(where.budget);
  return answered(*task, {task->criterion, words, candidates, task->way == Way::given, bought, unit}, times);
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
  m.def("places", &places, nb::kw_only(), "noise"_a, "noise_sd"_a.none(), "names"_a, "candidates"_a,
        "existing"_a, "forbidden"_a, "targets"_a, "cost"_a.none(), "budget"_a.none(), "at"_a.none(),
        "min_distance"_a, "group"_a, "per_group"_a);
  m.def("place", &place_sensors, "field"_a, "places"_a, "criterion"_a, nb::kw_only(), "candidates"_a,
        "k"_a.none(), "way"_a, "set"_a, "held_out"_a.none(), "times"_a, "repeats"_a, "max_seconds"_a.none(),
        "words"_a, "unit"_a, "seed"_a, "threads"_a, "Where to put sensors. Ctrl-C stops it.");
}

}  // namespace covary::python
