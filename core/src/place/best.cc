// Branch and bound: the best set, proven.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "place/steps.h"

namespace covary {
using namespace internal;
namespace {

using placing::Average;

/// Depth first, the most promising place first; what was tried is closed for its siblings.
class BestSearch {
 public:
  BestSearch(const CriterionEntry& entry, const PlaceOptions& o, std::vector<Index> known, double value)
      : entry_(entry), options_(o), best_(std::move(known)), value_(value) {}

  void explore(const Average& team, Allowed allowed) {
    ++nodes_;
    if (is_spent()) return give_up(team, allowed);
    if (nodes_ % 64 == 0) placing::report(options_, share_spent());
    if (allowed.left() == 0 || allowed.open() == 0 || any_number(allowed)) consider(team.value());
    if (allowed.left() == 0) return;
    const Vector gains = team.gains();
    for (const Index y : promising(gains, allowed)) {
      if (!is_hopeful(team, allowed)) return;
      if (is_spent()) return give_up(team, allowed);
      chosen_.push_back(y);
      if (allowed.left() == 1) {
        consider(team.value() + gains[y]);
      } else {
        Allowed rest = allowed;
        Average more = team;
        rest.take(y), more.add(y);
        if (is_hopeful(more, rest)) explore(more, rest);
      }
      chosen_.pop_back();
      allowed.close(y);
    }
  }

  const std::vector<Index>& best() const { return best_; }
  double value() const { return value_; }
  double bound() const { return std::max(value_, open_); }
  bool proven() const { return !spent_; }
  long long nodes() const { return nodes_; }

 private:
  double share_spent() const {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began_;
    return std::max(double(nodes_) / double(options_.max_nodes), seconds.count() / options_.max_seconds);
  }
  bool is_spent() { return spent_ = spent_ || share_spent() > 1; }
  /// Sets of any size up to k compete, except for entropies, whose sign is a matter of units.
  bool any_number(const Allowed& allowed) const { return entry_.stops || allowed.is_bought(); }
  bool is_hopeful(const Average& team, const Allowed& allowed) const {
    const double enough = value_ + 1e-12 * std::abs(value_);
    return team.most_beyond(allowed, enough) > enough;
  }
  void give_up(const Average& team, const Allowed& allowed) {
    open_ = std::max(open_, team.most_beyond(allowed, value_));
  }
  void consider(double value) {
    if (!(value > value_)) return;
    value_ = value, best_ = chosen_;
  }
  static std::vector<Index> promising(const Vector& gains, const Allowed& allowed) {
    std::vector<Index> order;
    for (Index i = 0; i < gains.size(); ++i)
      if (allowed.is_open(i)) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return gains[a] > gains[b]; });
    return order;
  }

  const CriterionEntry& entry_;
  const PlaceOptions& options_;
  std::vector<Index> chosen_, best_;
  double value_, open_ = -std::numeric_limits<double>::infinity();
  long long nodes_ = 0;
  bool spent_ = false;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// The members in the order in which greedy takes them.
std::vector<Index> ranked(const PlacementProblem& problem, const CriterionEntry& entry,
                          const std::vector<Index>& set, const PlaceOptions& o) {
  Average team(problem, entry, o);
  std::vector<Index> left = set, out;
  while (!left.empty()) {
    const Vector gains = team.gains();
    const auto best =
        std::max_element(left.begin(), left.end(), [&](Index a, Index b) { return gains[a] < gains[b]; });
    out.push_back(*best), team.add(*best), left.erase(best);
  }
  return out;
}

}  // namespace

Placed internal::best(const PlacementProblem& problem, const CriterionEntry& entry, Index k,
                      const PlaceOptions& o) {
  if (entry.baseline)
    throw Error(Problem::usage, fmt::format("criterion {} is a baseline: it has no best set", entry.name));
  Placed begin = refined(problem, entry, place(problem, entry, k, o), o);
  BestSearch search(entry, o, begin.places(), begin.value());
  search.explore(Average(problem, entry, o), Allowed(problem, k));
  if (search.best().empty()) return begin;  // every sensor takes away
  Placed out = assessed(problem, entry, ranked(problem, entry, search.best(), o), o);
  placing::lower_bounds(out, begin);
  out.notes = begin.notes;
  out.optimal = search.proven();
  Pick& last = out.picks.back();
  last.bound = out.optimal ? last.value : std::min(last.bound, search.bound());
  out.notes.push_back(
      out.optimal ? fmt::format("proven to be the best: {} partial sets were looked at", search.nodes())
                  : fmt::format("not proven: after {} partial sets the search was ended", search.nodes()));
  return out;
}

}  // namespace covary
