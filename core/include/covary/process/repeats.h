// Repeated inputs collapse exactly: rows with the same x become one, with the mean of y and less noise.
//
// For a observations of variance v at one input: their mean has variance v/a, and the evidence gains a
// constant, so ten repeats of one input do not cost ten rows.
#pragma once
#include <functional>
#include <unordered_map>
#include <vector>

#include "covary/base/types.h"

namespace covary::internal {

/// The same of rows of numbers, -0 and 0 alike: a hash table of row numbers, O(n d).
std::vector<Index> first_equal_rows(const Rows& x);

/// n: for each row, the first row with the same input.
template <class B, class X = internal::index_of<B>>
std::vector<Index> first_alike(const B& x) {
  if constexpr (std::same_as<X, Row>) return first_equal_rows(x);
  std::vector<Index> first = all_indices(count(x));
  if constexpr (requires {
                  std::hash<std::remove_cvref_t<decltype(IndexedBy<X>::key(x, 0))>>{}(
                      IndexedBy<X>::key(x, 0));
                }) {
    std::unordered_map<std::remove_cvref_t<decltype(IndexedBy<X>::key(x, 0))>, Index> seen;
    for (Index& i : first) i = seen.emplace(IndexedBy<X>::key(x, i), i).first->second;
  }
  return first;
}

/// How many distinct inputs there are.
Index distinct_rows(const std::vector<Index>& first_alike);

/// n observations at m distinct inputs.
struct MergedRows {
  std::vector<Index> rows;   // m: the first row of each distinct input
  std::vector<Index> group;  // n: which distinct input a row has
  Vector y;                  // m: mean of the observations, weighted by their precision
  Vector repeats;            // m: how many there are
  Vector noise;              // m: variance of that mean; for a common variance v it is v/repeats
  double within = 0;         // sum of squares of the observations about their group's mean
  double constant = 0;       // what merging adds to the log evidence, for known variances

  Index merged() const { return std::ssize(group) - std::ssize(rows); }
  /// The change of the log evidence by merging when every observation has this variance:
  /// -1/2 [(n - m) log(2 pi v) + sum log a_i + within/v].
  double constant_at(double variance) const;
};

/// Merges rows that are alike. `variances` (n): of each observation; all may be 0.
MergedRows merge(const std::vector<Index>& first_alike, const Vector& y, const Vector& variances);

}  // namespace covary::internal
