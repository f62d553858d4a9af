// Placement of k sensors: greedy, refined by swaps, or proven optimal; with the gain of each and a lower bound
// on the quality of the set.
//
//   PlacementProblem p{.fields = {field_of(matern52<Row>(), places)}, .noise = Vector::Constant(1, 0.01)};
//   Placed set = place(p, criterion_called("mutual-information"), 10);
//   for (const Pick& pick : set.picks) ... pick.place, pick.gain, pick.share()
#pragma once
#include "covary/place/criterion.h"

namespace covary {

struct Pick {
  Index place = 0;
  double gain = 0;   // what it added to those before it
  double value = 0;  // of all up to it
  /// No allowed set of as many sensors (under a budget: none that it buys) is worth more. Infinite: withheld.
  double bound = std::numeric_limits<double>::infinity();
  double least = 0;                    // what shares count from: the value of an uninformative set
  double cost = 0;                     // of all up to it
  double mean_sd = 0, largest_sd = 0;  // of the field at the targets, given all up to it
  /// At least this share of the best possible, (value - least) / (bound - least); NaN: withheld.
  double share() const;
};

struct Placed {
  std::vector<Pick> picks;
  double mean_sd = 0, largest_sd = 0;  // before the first
  std::string stopped;                 // why fewer were placed than asked for; "": they were not
  bool optimal = false;                // proven: no allowed set of this size is better
  std::vector<std::string> notes;
  std::vector<Index> places() const;
  double value() const;  // of all; 0 if there are none
};

struct PlaceOptions {
  std::uint64_t seed = 1;
  int threads = 0;
  Index neighbors = 50;             // that local criteria compare each place with
  long long max_nodes = 2'000'000;  // of branch and bound
  double max_seconds = std::numeric_limits<double>::infinity();  // of that, too: then results may vary
  /// Called with the share that is done; false cancels, and an interrupted Error is thrown.
  std::function<bool(double)> progress = {};
};

/// One at a time, the best next: exact gains at every place. With costs, the better of two such sets: by
/// gain, and by gain per cost; that has (1 - 1/e)/2 of the best if F is monotone and submodular. Stops at a
/// gain below 0 and where no place is left, and says so.
Placed place(const PlacementProblem& problem, const CriterionEntry& criterion, Index k,
             const PlaceOptions& options = {});

namespace internal {
/// Swaps one sensor for another place as long as that is worth more: k n gains a round. Ranks stay: a new
/// place takes the rank of the one it replaces.
Placed refined(const PlacementProblem& problem, const CriterionEntry& criterion, const Placed& start,
               const PlaceOptions& options = {});

/// The best set there is, by branch and bound, in the order in which greedy would take its members. If
/// max_nodes or max_seconds were not enough, the best found, with what is proven of it.
Placed best(const PlacementProblem& problem, const CriterionEntry& criterion, Index k,
            const PlaceOptions& options = {});

/// The set of greatest value after the worst loss of one of its k sensors: swaps from the greedy set. Values,
/// gains and bounds are those after the loss; a heuristic with a valid bound.
Placed robust(const PlacementProblem& problem, const CriterionEntry& criterion, Index k,
              const PlaceOptions& options = {});

/// A given set, in its order: scored as if it had been chosen here. Throws if it is not allowed.
Placed assessed(const PlacementProblem& problem, const CriterionEntry& criterion,
                const std::vector<Index>& sensors, const PlaceOptions& options = {});

/// Greedy for a user's own function of sets whose gains are costly and only shrink as the set grows: a gain
/// is computed again only when its last value is still among the largest. gain(y, chosen) -> F(chosen + y) -
/// F(chosen).
struct LazyChoice {
  std::vector<Index> places;
  std::vector<double> gains;
  long long evaluations = 0;  // n k if nothing were saved
};
LazyChoice lazy_greedy(Index n, Index k, const std::function<double(Index, const std::vector<Index>&)>& gain);
}  // namespace internal

}  // namespace covary
