// A field from past readings: means and covariances of places that were read at the same times.
//
//   S = sum_t (r_t - m)(r_t - m)' / (T - 1),  C = (1 - s) S + s target
//
//   HistoryCovariance h = from_history(readings, {.shrinkage = 0.1});  // times x places, NaN: missing
//   Field field = field_of(h.covariance);
//
// With few times S is noisy and, if they are not more than the places, singular: shrinkage mends both. The
// errors of the readings are part of S, as a nugget at each place.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "covary/base/types.h"

namespace covary {

struct HistoryOptions {
  double shrinkage = std::numeric_limits<double>::quiet_NaN();  // 0 to 1; NaN: chosen by cross-validation
  Matrix target = {};  // n x n, what C is shrunk towards: a kernel's covariances; empty: the diagonal of S
  double nugget = 0;   // the field will have so much variance more everywhere
  bool may_be_singular = false;         // something else, such as sensor noise, will regularize it
  std::vector<std::string> names = {};  // n, for messages; empty: "place 17"
  int threads = 0;
};

struct HistoryCovariance {
  Vector mean;           // n
  Matrix covariance;     // n x n; without the nugget
  double shrinkage = 0;  // the one that was used
  Index times = 0;       // T
  bool singular = false;
  /// If it was chosen: the shrinkages tried, and the mean log density of a held-out reading with each.
  Vector tried, scores;
  std::vector<std::string> notes;
};

namespace internal {
/// The places of `readings` (T x n) whose covariances can be known: each has at least 2 readings, and any two
/// have at least 2 in common. Of those that do not fit together the ones that lack most pairs are left out,
/// the last of them first. O(T n^2)
std::vector<Index> places_with_history(const Rows& readings);

/// m and S of `readings` (T x n). Where values are missing each covariance is that of the times two places
/// share, with their means there, and eigenvalues below 0 are then set to 0. Throws Problem::data naming a
/// place with fewer than 2 readings, and two places with fewer than 2 in common. 2 T n^2 flops.
HistoryCovariance sample_covariance(const Rows& readings, const std::vector<std::string>& names = {});
}  // namespace internal

/// S shrunk towards the target. Throws Problem::data, with what to change, if it stays singular and
/// `may_be_singular` is not set.
HistoryCovariance from_history(const Rows& readings, const HistoryOptions& options = {});

namespace internal {
/// The shrinkage under which held-out readings are most likely, of 21 from 0 to 1: five runs of consecutive
/// times are left out in turn, because consecutive readings are highly correlated; each is scored under
/// N(m, C + nugget) of the other times. 105 n^3/3 flops; with gaps, as much again for up to 40 rows of each
/// run.
struct ChosenShrinkage {
  double shrinkage = 0;
  Vector tried, scores;
  std::vector<std::string> notes;
};
ChosenShrinkage choose_shrinkage(const Rows& readings, const HistoryOptions& options = {});
}  // namespace internal

}  // namespace covary
