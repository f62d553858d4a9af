// An order of points from coarse to fine, and of each point its nearest neighbors among those before it.
//
// A tree whose nodes hold one point each, and two halves of the others, split at the median of the widest coordinate.
// At first the point is the one nearest to the middle of its box, and the order goes by depth, at random within one:
// each depth has twice the points of the one before, spread evenly. Then points go by their distance from the nearest
// before them, the farthest first, which is nearly the order of greatest distances (maximum-minimum distance), and the
// tree is built once more, its nodes with the first point of their box. Points before the i-th are then a top of the
// tree, so a search among them is a search of a balanced tree that stops there; libraries for nearest neighbors know a
// set of points that is whole, and would have to be asked for one tree after the other.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "covary/base/types.h"

namespace covary::internal {

class NeighborTree {
 public:
  NeighborTree() = default;
  /// Of the rows of z (n x d). O(n log n)
  NeighborTree(const Rows& z, int threads);

  Index size() const { return std::ssize(row_); }
  /// Places: where the tree keeps points, those near each other side by side. The row of z at a place, and the
  /// position in the order of the point there.
  const std::vector<std::int32_t>& row() const { return row_; }
  const std::vector<std::int32_t>& position() const { return position_; }
  const double* point(Index place) const { return points_.data() + place * columns_; }

  /// Nothing but space for a search; one for each thread.
  struct Found {
    std::vector<std::pair<double, std::int32_t>> nearest;  // squared distances, places; ascending
    std::vector<double> offsets;
    Index visited = 0;
  };
  /// The `most` nearest to `point` of those whose position is below `before`, into found.nearest; of equally near
  /// ones those at lower places. Where more than `visits` points would have to be looked at: of those seen.
  void search(const double* point, Index before, Index most, Index visits, Found& found) const;

 private:
  struct Node {
    double split;
    std::int32_t dimension;
  };
  struct Builder;
  void copy_points(const Rows& z, int threads);
  std::vector<std::int32_t> positions_by_depth(const std::vector<std::int32_t>& depths) const;
  std::vector<std::int32_t> positions_by_distance(int threads) const;
  struct Search;
  Index columns_ = 0;
  std::vector<double> points_;  // n x d, point after point
  std::vector<Node> nodes_;     // n, of the place of their point
  std::vector<std::int32_t> row_, position_;
};

}  // namespace covary::internal
