// Greedy, and the scoring of a set that is given.
#include <fmt/format.h>

#include <cmath>
#include <queue>

#include "place/steps.h"

namespace covary {
using namespace internal;

double Pick::share() const {
  const double best = bound - least;
  if (!std::isfinite(best) || !(best > 0)) return std::numeric_limits<double>::quiet_NaN();
  return std::min(1.0, (value - least) / best);
}

double Placed::value() const { return picks.empty() ? 0 : picks.back().value; }

std::vector<Index> Placed::places() const {
  std::vector<Index> out;
  for (const Pick& p : picks) out.push_back(p.place);
  return out;
}

namespace placing {

Steps::Steps(const PlacementProblem& problem, const CriterionEntry& entry, Index k,
             const PlaceOptions& options)
    : start(problem, k), allowed(start), team(problem, entry, options), problem_(&problem) {
  team.reserve(start.left());
  placed.mean_sd = team.mean_sd(), placed.largest_sd = team.largest_sd();
  bounds_ = team.most(start);
}

void Steps::take(Index place, double gain) {
  allowed.take(place);
  team.add(place);
  bounds_ = bounds_.cwiseMin(team.most(start));
  const double before = placed.picks.empty() ? 0 : placed.picks.back().cost;
  Pick p{place, gain, team.value()};
  p.cost = before + problem_->cost_at(place);
  p.mean_sd = team.mean_sd(), p.largest_sd = team.largest_sd();
  p.least = start.is_bought() ? 0 : double(placed.picks.size() + 1) * team.least();
  placed.picks.push_back(p);
}

Placed Steps::done() {
  placed.notes = team.notes();
  for (size_t j = 0; j < placed.picks.size(); ++j)
    placed.picks[j].bound = std::min(placed.picks[j].bound, bounds_[Index(j)]);
  return placed;
}

void lower_bounds(Placed& placed, const Placed& other) {
  for (size_t j = 0; j < std::min(placed.picks.size(), other.picks.size()); ++j)
    placed.picks[j].bound = std::min(placed.picks[j].bound, other.picks[j].bound);
}

void report(const PlaceOptions& o, double share) {
  if (o.progress && !o.progress(share)) throw Error(Problem::interrupted, "placement was canceled");
}

}  // namespace placing

namespace {

using placing::Steps;

Placed greedy(const PlacementProblem& problem, const CriterionEntry& entry, Index k, const PlaceOptions& o,
              bool per_cost) {
  Steps steps(problem, entry, k, o);
  const Index asked = steps.allowed.left();
  while (steps.allowed.left() > 0) {
    const Index taken = std::ssize(steps.placed.picks);
    placing::report(o, double(taken) / double(asked));
    if (steps.allowed.open() == 0) {
      if (!steps.start.is_bought())
        steps.placed.stopped =
            fmt::format("no place is left for sensor {}: {}", taken + 1, steps.allowed.why_none());
      break;
    }
    const Index y = steps.team.next(steps.allowed, per_cost);
    const double gain = y < 0 ? 0 : steps.team.gains()[y];
    if (y < 0)
      steps.placed.stopped = "the readings at all other places are known already";
    else if (gain < -1e-12 * std::max(1.0, steps.team.value()) && (entry.stops || steps.start.is_bought()))
      steps.placed.stopped = fmt::format(
          "another sensor would lower the {}, by {:.2g} at least{}", entry.name, -gain,
          entry.stops ? ""
                      : ", which in smaller units of the field it would not; or give a number of sensors");
    if (!steps.placed.stopped.empty()) break;
    steps.take(y, gain);
  }
  return steps.done();
}

}  // namespace

Placed place(const PlacementProblem& problem, const CriterionEntry& entry, Index k, const PlaceOptions& o) {
  check(problem);
  Placed by_gain = greedy(problem, entry, k, o, false);
  if (!std::isfinite(problem.budget) || problem.cost.size() == 0 || entry.baseline) return by_gain;
  Placed by_cost = greedy(problem, entry, k, o, true);
  const bool cheap = by_cost.value() > by_gain.value();
  Placed& better = cheap ? by_cost : by_gain;
  placing::lower_bounds(better, cheap ? by_gain : by_cost);
  if (by_cost.value() != by_gain.value())
    better.notes.push_back(cheap ? "chosen by gain per cost, which was worth more than by gain"
                                 : "chosen by gain, which was worth more than by gain per cost");
  return better;
}

Placed internal::assessed(const PlacementProblem& problem, const CriterionEntry& entry,
                          const std::vector<Index>& sensors, const PlaceOptions& o) {
  check(problem);
  Steps steps(problem, entry, std::ssize(sensors), o);
  for (const Index y : sensors) {
    if (y < 0 || y >= problem.size())
      throw Error(Problem::usage,
                  fmt::format("there is no place {}, they are 0 to {}", y, problem.size() - 1));
    if (!steps.allowed.is_open(y) || steps.allowed.left() == 0)
      throw Error(
          Problem::usage,
          fmt::format("{} cannot hold a sensor of this set: it is forbidden or has one, or stands too "
                      "near to another, or in a group that is full, or costs too much",
                      problem.name(y)));
    steps.take(y, steps.team.gains()[y]);
  }
  Placed out = steps.done();
  if (!sensors.empty() && !entry.baseline)
    placing::lower_bounds(out, place(problem, entry, std::ssize(sensors), o));
  return out;
}

LazyChoice internal::lazy_greedy(Index n, Index k,
                                 const std::function<double(Index, const std::vector<Index>&)>& gain) {
  if (k < 0 || k > n) throw Error(Problem::usage, fmt::format("{} of {} cannot be chosen", k, n));
  struct Known {
    double gain;
    Index place;
    size_t chosen;  // how many there were when it was computed
    /// The larger first, and the first of equals.
    bool operator<(const Known& o) const { return gain < o.gain || (gain == o.gain && place > o.place); }
  };
  LazyChoice out;
  std::priority_queue<Known> queue;
  for (Index i = 0; i < n; ++i) queue.push({std::numeric_limits<double>::infinity(), i, size_t(-1)});
  while (std::ssize(out.places) < k) {
    Known top = queue.top();
    queue.pop();
    if (top.chosen == out.places.size()) {
      out.places.push_back(top.place), out.gains.push_back(top.gain);
      continue;
    }
    top.gain = gain(top.place, out.places), top.chosen = out.places.size();
    ++out.evaluations;
    queue.push(top);
  }
  return out;
}

}  // namespace covary
