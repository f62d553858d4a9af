// The neighbors of a point: nearest in the coordinates of a tree, or the closest by the kernel among near ones.
#pragma once
#include "covary/inference/vecchia_blocks.h"
#include "inference/neighbor_tree.h"

namespace covary::internal {

class NeighborSearch {
 public:
  NeighborSearch(const NeighborTree& tree, Index most, bool closest)
      : tree_(tree), most_(most), closest_(closest) {}
  /// The nearest of those before a position; with `closest` three times as many, or all of few.
  void find(const double* point, Index before, std::vector<Index>& out);
  /// The closest `most` of them, in the same order.
  void keep_closest(const Vector& closeness, std::vector<Index>& places) const;

 private:
  static constexpr Index few_points = 1000;
  /// In many dimensions most of a tree would be looked at; so many points are near enough.
  Index visits() const { return 2000 + 60 * most_; }
  const NeighborTree& tree_;
  Index most_;
  bool closest_;
  NeighborTree::Found found_;
};

}  // namespace covary::internal
