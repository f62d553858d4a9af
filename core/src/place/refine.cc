// Swaps, and sets that can lose any one sensor.
#include <algorithm>
#include <cmath>

#include "place/steps.h"

namespace covary {
namespace {

using placing::Average;

/// Everything of a set but some of its members.
struct Without {
  Allowed allowed;
  Average team;
};

Without without(const Average& nothing, const Allowed& start, const std::vector<Index>& set,
                const std::vector<size_t>& lost) {
  Without out{start, nothing};
  for (size_t i = 0; i < set.size(); ++i)
    if (std::find(lost.begin(), lost.end(), i) == lost.end()) out.allowed.take(set[i]), out.team.add(set[i]);
  return out;
}

struct Swap {
  Index place = -1;
  double value = -std::numeric_limits<double>::infinity();
};

/// The best place instead of member i, by `values` (n).
Swap best_swap(const Allowed& allowed, const Vector& values, Index old) {
  Swap best;
  for (Index y = 0; y < values.size(); ++y)
    if (y != old && allowed.is_open(y) && values[y] > best.value) best = {y, values[y]};
  return best;
}

bool clearly_more(double a, double b) { return a > b + 1e-9 * std::max(1e-300, std::abs(b)); }

/// Swaps members as long as that is worth more; `swapped(i)` gives the best place instead of member i.
double improve(std::vector<Index>& set, double value,
               const std::function<Swap(const std::vector<Index>&, size_t)>& swapped, const PlaceOptions& o) {
  constexpr int most_rounds = 50;
  bool any = true;
  for (int round = 0; any && round < most_rounds; ++round) {
    any = false;
    for (size_t i = 0; i < set.size(); ++i) {
      placing::report(o, double(i) / double(set.size()));
      const Swap swap = swapped(set, i);
      if (swap.place < 0 || !clearly_more(swap.value, value)) continue;
      set[i] = swap.place, value = swap.value, any = true;
    }
  }
  return value;
}

}  // namespace

Placed internal::refined(const PlacementProblem& problem, const CriterionEntry& entry, const Placed& begin,
                         const PlaceOptions& o) {
  if (begin.picks.empty()) return begin;
  check(problem);
  std::vector<Index> set = begin.places();
  const Allowed start(problem, std::ssize(set));
  const Average nothing(problem, entry, o);
  improve(
      set, begin.picks.back().value,
      [&](const std::vector<Index>& now, size_t i) {
        const Without w = without(nothing, start, now, {i});
        return best_swap(w.allowed, w.team.gains().array() + w.team.value(), now[i]);
      },
      o);
  Placed out = assessed(problem, entry, set, o);
  placing::lower_bounds(out, begin);
  out.stopped = begin.stopped, out.notes = begin.notes;
  return out;
}

namespace {

/// The value of the set after the worst loss of one sensor.
double after_loss(const Average& nothing, const Allowed& start, const std::vector<Index>& set) {
  double worst = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < set.size(); ++i)
    worst = std::min(worst, without(nothing, start, set, {i}).team.value());
  return worst;
}

/// n: the same with each place instead of member i.
Vector after_loss_with(const Average& nothing, const Allowed& start, const std::vector<Index>& set, size_t i,
                       double lost_new) {
  Vector worst = Vector::Constant(nothing.gains().size(), lost_new);
  for (size_t j = 0; j < set.size(); ++j) {
    if (j == i) continue;
    const Without w = without(nothing, start, set, {i, j});
    worst = worst.cwiseMin((w.team.gains().array() + w.team.value()).matrix());
  }
  return worst;
}

/// Values after the worst loss among the first 1, 2, ...; the best of j sensors, less one, is no better than
/// the best of j - 1.
void restate(Placed& placed, const Average& nothing, const Allowed& start) {
  const std::vector<Index> set = placed.places();
  std::vector<double> bounds{0};
  for (const Pick& p : placed.picks) bounds.push_back(p.bound);
  double before = 0;
  for (size_t j = 0; j < set.size(); ++j) {
    Pick& p = placed.picks[j];
    p.value = j == 0 ? 0 : after_loss(nothing, start, {set.begin(), set.begin() + Index(j) + 1});
    p.gain = p.value - before, before = p.value;
    p.bound = bounds[j];
    p.least = p.least / double(j + 1) * double(j);
  }
}

}  // namespace

Placed internal::robust(const PlacementProblem& problem, const CriterionEntry& entry, Index k,
                        const PlaceOptions& o) {
  Placed begin = place(problem, entry, k, o);
  if (begin.picks.empty()) return begin;
  std::vector<Index> set = begin.places();
  const Allowed start(problem, k);
  const Average nothing(problem, entry, o);
  if (set.size() > 1)
    improve(
        set, after_loss(nothing, start, set),
        [&](const std::vector<Index>& now, size_t i) {
          const Without w = without(nothing, start, now, {i});
          return best_swap(w.allowed, after_loss_with(nothing, start, now, i, w.team.value()), now[i]);
        },
        o);
  Placed out = assessed(problem, entry, set, o);
  placing::lower_bounds(out, begin);
  out.stopped = begin.stopped, out.notes = begin.notes;
  restate(out, nothing, start);
  return out;
}

}  // namespace covary
