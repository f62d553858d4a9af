// A criterion averaged over several fields, and the choice of the next place.
#pragma once
#include "covary/place/placement.h"

namespace covary::placing {

class Average {
 public:
  Average(const PlacementProblem& problem, const CriterionEntry& entry, const PlaceOptions& options);
  Average(const Average& other);
  Average(Average&&) = default;

  Vector gains() const;
  void add(Index place);
  void reserve(Index sensors);
  double value() const;
  Vector most(const Allowed& start) const;
  double most_beyond(const Allowed& rest, double enough) const;
  double least() const;
  std::vector<std::string> notes() const { return all_.front()->notes(); }

  /// The open place to take next: the best score (per cost, if asked for), scores equal to 1e-12 going to the
  /// criterion's second thought and then to the first. -1: every open place's reading is known.
  Index next(const Allowed& allowed, bool per_cost) const;

  /// sd of the field at the targets.
  double mean_sd() const;
  double largest_sd() const;

 private:
  template <class F>
  Vector mean(const F& of) const;
  template <class F>
  double mean_number(const F& of) const;
  std::vector<Index> targets() const;
  const PlacementProblem* problem_;
  std::vector<std::unique_ptr<Criterion>> all_;
};

}  // namespace covary::placing
