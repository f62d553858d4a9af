// How well the labels represent the pool: the share of it that they leave uncovered, and their bias.
#pragma once
#include "covary/select/belief.h"

namespace covary {

struct PoolCoverage {
  double uncovered = 0;           // share of the candidates without a label of whose variance the labels
                                  // explain less than half
  double by_chance = 0;           // the same for as many labels drawn by chance (averaged over draws); 0, and
                                  // not looked at, if that share is below 2 %
  Index region = -1;              // the candidate in the middle of the largest uncovered region, or -1
  double region_share = 0;        // of those candidates in that region
  double distance = 0;            // between labels and pool in the kernel's metric (mean discrepancy)
  double distance_by_chance = 0;  // the largest of as many random labels
  std::vector<std::string> warnings = {};  // one sentence each; may be empty
};

/// Looks at up to `most` candidates (r), and compares with `draws` random sets of labels: it warns of what
/// is worse than all of them by a quarter. `name` gives the name of a candidate; none: "candidate 17", counted
/// from 1. r^2 kernel values and n^2 (n/3 + r) flops, and for each set as many kernel values, and where the
/// labels leave more than 2 % open as many flops.
PoolCoverage coverage(const PoolPosterior& belief, std::uint64_t seed = 1,
                      const std::function<std::string(Index)>& name = {}, Index most = 1000, int draws = 20);

namespace internal {
/// The bias of the labels: for every column the mean of the labelled rows minus that of the pool, in standard
/// deviations of the pool.
Vector leaning(const Rows& pool, const std::vector<Index>& labelled);
}  // namespace internal

}  // namespace covary
