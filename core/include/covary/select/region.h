// The region of disagreement of a pool: the candidates whose label does not follow from the labels so far.
//
// A kernel of small rank (linear kernels: the number of inputs) has explicit features, and a VersionSpace decides
// every candidate exactly. Other kernels have a separator for any labels of distinct points: then every candidate that
// repeats no label is in the region, unless separators must have a margin:
//
//   in the region if the widest margins of the labels with (x, 1) and with (x, -1) are both `margin` or more
//
// Classes: one against the rest, in the region if any of those is. A candidate that left the region never comes back.
#pragma once
#include <optional>

#include "covary/kernels/registry.h"
#include "covary/select/explicit_features.h"
#include "covary/select/machines.h"
#include "covary/select/version_space.h"

namespace covary::internal {

struct RegionOptions {
  double margin = 0;   // least margin of separators, in the metric of the kernel; 0: any
  bool offset = true;  // false: separators through the origin of the kernel's features
};

/// "margin" and "offset" of a strategy's arguments.
RegionOptions region_options(const Arguments& a);

class DisagreementRegion {
 public:
  static constexpr Index most_rank = 32;  // of a kernel with explicit features

  /// Borrows what k borrows.
  explicit DisagreementRegion(const Covariances& k, RegionOptions options = {}, int threads = 1);

  /// Classes of some candidates; those told before come first. Throws EmptyVersionSpace with candidates whose labels
  /// contradict every separator, as far as they can be named.
  void tell(const std::vector<Index>& candidates, const std::vector<Index>& classes, Index kinds);

  bool contains(Index i) const;
  Index size() const;  // candidates in the region
  /// m: 0 outside of the region; inside the larger the nearer to the middle of the version space: 1/(1 + |f|) in
  /// margins. On a line the candidates inside are ranked, and the middle one has the most. With labels of one class
  /// the squared distance to the nearest.
  Vector scores() const;
  std::string reason(Index i) const;

 private:
  struct Side {  // one class against the rest
    std::optional<VersionSpace> space = {};
    bool both = false;         // labels of both kinds
    Eigen::VectorXi agreed{};  // m: 0 in the region
  };
  void tell_space(Side& s, Index own, Index from);
  void follow_distances(Index from);
  void train(Index kinds);
  void settle_by_repeats(Side& s, Index own);
  void settle_by_margin(Side& s, Index own, Index which);
  Vector closeness(const Side& s) const;
  Vector by_rank(const Side& s) const;

  Pool k_;
  RegionOptions options_;
  int threads_;
  Matrix features_;  // m x d; empty: there are too many
  bool explicit_ = false;
  std::vector<Index> candidates_, classes_;
  std::vector<Side> sides_;
  Machines machines_;
  Matrix decision_;                   // m x kinds, of the machines
  Vector nearest_;                    // m: squared distance to the nearest label
  std::vector<Index> nearest_label_;  // m: which
};

}  // namespace covary::internal
