// The places that may still hold a sensor: forbidden places, minimum distances, groups, budget.
#pragma once
#include "covary/place/problem.h"

namespace covary {

class Allowed {
 public:
  /// Up to k sensors besides the existing ones. Throws Problem::usage, with what to change, if k places are not
  /// available: fewer are allowed, or the budget buys none. The problem is borrowed.
  Allowed(const PlacementProblem& problem, Index k);

  bool is_open(Index place) const { return open_[static_cast<size_t>(place)]; }
  Index open() const { return count_; }    // how many places
  Index left() const { return left_; }     // sensors
  double money() const { return money_; }  // of the budget
  bool is_bought() const;                  // there is a budget
  void take(Index place);
  /// Closes a place for another reason.
  void close(Index place);
  /// Why no place is open, in words; "" if one is.
  std::string why_none() const;

  /// The largest sum of `worth` (n; only what is positive counts) over sets of open places that keep to the
  /// number, to the groups and to the budget, of which part of a place may be bought: at least what any
  /// allowed set is worth. Distances are not looked at.
  double most(const Vector& worth) const;
  /// The same for 1, ..., left() places.
  Vector most_by_number(const Vector& worth) const;

 private:
  void check_possible(Index candidates);
  void close_too_dear();
  void stand(Index place);
  Index possible() const;
  size_t group_of(Index place) const { return static_cast<size_t>((*groups_)[static_cast<size_t>(place)]); }
  std::vector<Index> sorted(const Vector& worth, bool by_cost) const;
  Vector largest_sums(const Vector& worth) const;
  const PlacementProblem* problem_;
  std::vector<char> open_;
  std::shared_ptr<const std::vector<Index>> groups_;  // n: 0, 1, ...; null where they do not matter
  std::vector<Index> in_group_;                       // sensors
  Index count_ = 0, left_ = 0;
  double money_ = 0;
};

}  // namespace covary
