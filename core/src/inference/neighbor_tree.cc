#include "inference/neighbor_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "covary/base/parallel.h"
#include "covary/base/random.h"

namespace covary::internal {
namespace {

/// A node at `place` of `count` points: the halves of the others stand behind it, the first one the larger.
Range first_half(Range node) { return {node.first + 1, node.count / 2}; }
Range second_half(Range node) {
  const Index half = node.count / 2;
  return {node.first + 1 + half, node.count - 1 - half};
}

/// The corners of the box of some points, and its widest side.
struct Box {
  std::vector<double> low, high;
  Index widest = 0;
};
Box box_of(const Rows& z, const std::int32_t* rows, Index n) {
  const auto d = static_cast<size_t>(z.cols());
  Box b{std::vector<double>(d, std::numeric_limits<double>::infinity()),
        std::vector<double>(d, -std::numeric_limits<double>::infinity())};
  for (size_t c = 0; c < d; ++c) {
    const double* const column = z.data() + Index(c) * z.outerStride();
    for (Index i = 0; i < n; ++i) {
      b.low[c] = std::min(b.low[c], column[rows[i]]);
      b.high[c] = std::max(b.high[c], column[rows[i]]);
    }
    const auto w = static_cast<size_t>(b.widest);
    if (b.high[c] - b.low[c] > b.high[w] - b.low[w]) b.widest = Index(c);
  }
  return b;
}

/// The one nearest to the middle of the box.
Index middle_of(const Rows& z, const std::int32_t* rows, Index n, const Box& box) {
  Index best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < n; ++i) {
    double s = 0;
    for (Index c = 0; c < z.cols() && s < least; ++c) {
      const auto k = static_cast<size_t>(c);
      const double off = z(rows[i], c) - 0.5 * (box.low[k] + box.high[k]);
      s += off * off;
    }
    if (s < least) least = s, best = i;
  }
  return best;
}

}  // namespace

/// Splits nodes. `rank` (n, of each row): a node holds the first of its rows; empty: the one in the middle.
struct NeighborTree::Builder {
  NeighborTree& tree;
  const Rows& z;
  const std::vector<std::int32_t>& rank;
  std::vector<std::int32_t> depths;  // n, by place

  /// O(n) for each depth of the tree.
  void build(Range node, int threads, Index depth) {
    if (node.count == 0) return;
    std::int32_t* const rows = tree.row_.data() + node.first;
    depths[static_cast<size_t>(node.first)] = std::int32_t(depth);
    Node& own = tree.nodes_[static_cast<size_t>(node.first)];
    own = {0, 0};
    if (node.count == 1) return;
    const Box box = box_of(z, rows, node.count);
    std::swap(rows[0],
              rank.empty() ? rows[middle_of(z, rows, node.count, box)] : *first_of(rows, node.count));
    const double* const column = z.data() + box.widest * z.outerStride();
    const Range first = first_half(node), second = second_half(node);
    const auto lower = [column](std::int32_t a, std::int32_t b) {
      return column[a] < column[b] || (column[a] == column[b] && a < b);
    };
    std::int32_t* const middle = rows + 1 + first.count;
    own.dimension = std::int32_t(box.widest);
    if (second.count > 0) {
      std::nth_element(rows + 1, middle, rows + node.count, lower);
      own.split = column[*middle];
    } else {
      own.split = std::numeric_limits<double>::infinity();
    }
    const int each = node.count > 4096 ? std::max(1, threads / 2) : 1;
    parallel_for(2, node.count > 4096 ? threads : 1,
                 [&](Index half) { build(half ? second : first, each, depth + 1); });
  }

  std::int32_t* first_of(std::int32_t* rows, Index n) const {
    return std::min_element(rows, rows + n, [&](std::int32_t a, std::int32_t b) {
      return rank[static_cast<size_t>(a)] < rank[static_cast<size_t>(b)];
    });
  }
};

NeighborTree::NeighborTree(const Rows& z, int threads)
    : columns_(z.cols()),
      points_(static_cast<size_t>(z.size())),
      nodes_(static_cast<size_t>(z.rows())),
      row_(static_cast<size_t>(z.rows())) {
  std::iota(row_.begin(), row_.end(), 0);
  std::vector<std::int32_t> rank;
  Builder builder{*this, z, rank, std::vector<std::int32_t>(row_.size())};
  builder.build({0, z.rows()}, threads, 0);
  copy_points(z, threads);
  position_ = positions_by_depth(builder.depths);
  const std::vector<std::int32_t> spread = positions_by_distance(threads);
  rank.resize(row_.size());
  for (size_t i = 0; i < row_.size(); ++i) rank[static_cast<size_t>(row_[i])] = spread[i];
  builder.build({0, z.rows()}, threads, 0);
  copy_points(z, threads);
  for (size_t i = 0; i < row_.size(); ++i) position_[i] = rank[static_cast<size_t>(row_[i])];
}

void NeighborTree::copy_points(const Rows& z, int threads) {
  for_runs(size(), threads, [&](Range r) {
    for (Index i = r.first; i < r.end(); ++i)
      for (Index c = 0; c < columns_; ++c)
        points_[static_cast<size_t>(i * columns_ + c)] = z(row_[static_cast<size_t>(i)], c);
  });
}

/// By depth, and at random in one.
std::vector<std::int32_t> NeighborTree::positions_by_depth(const std::vector<std::int32_t>& depths) const {
  std::vector<std::int32_t> out(row_.size());
  if (out.empty()) return out;
  const Index deepest = *std::max_element(depths.begin(), depths.end());
  std::vector<std::vector<std::int32_t>> at(static_cast<size_t>(deepest + 1));
  for (size_t i = 0; i < depths.size(); ++i) at[static_cast<size_t>(depths[i])].push_back(std::int32_t(i));
  Random rng(1);
  std::int32_t next = 0;
  for (std::vector<std::int32_t>& places : at) {
    for (Index i = std::ssize(places) - 1; i > 0; --i)
      std::swap(places[static_cast<size_t>(i)], places[static_cast<size_t>(rng.integer(i + 1))]);
    for (const std::int32_t place : places) out[static_cast<size_t>(place)] = next++;
  }
  return out;
}

/// By the distance from the nearest before, the greatest first.
std::vector<std::int32_t> NeighborTree::positions_by_distance(int threads) const {
  constexpr Index visits = 2000;  // in many dimensions one that is near will do
  std::vector<double> distance(row_.size(), std::numeric_limits<double>::infinity());
  for_runs(size(), threads, [&](Range r) {
    Found found;
    for (Index i = r.first; i < r.end(); ++i) {
      search(point(i), position_[static_cast<size_t>(i)], 1, visits, found);
      if (!found.nearest.empty()) distance[static_cast<size_t>(i)] = found.nearest[0].first;
    }
  });
  std::vector<std::int32_t> order(row_.size()), out(row_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    const auto i = static_cast<size_t>(a), j = static_cast<size_t>(b);
    return distance[i] > distance[j] || (distance[i] == distance[j] && position_[i] < position_[j]);
  });
  for (size_t k = 0; k < order.size(); ++k) out[static_cast<size_t>(order[k])] = std::int32_t(k);
  return out;
}

/// Depth first, the nearer half before the other; `offsets` is the point's way to the half in each coordinate.
struct NeighborTree::Search {
  static constexpr Index few = 10;
  const NeighborTree& tree;
  const double* point;
  Index before, most, visits;
  Found& found;

  void visit(Range node, double nearest) {
    if (node.count == 0 || tree.position_[static_cast<size_t>(node.first)] >= before) return;
    auto& best = found.nearest;
    const bool full = std::ssize(best) == most;
    if (full && (nearest > best.front().first || found.visited >= visits)) return;
    if (node.count <= few) {  // one after the other is quicker than to go down
      found.visited += node.count;
      for (Index i = node.first; i < node.end(); ++i)
        if (tree.position_[static_cast<size_t>(i)] < before) take(i);
      return;
    }
    ++found.visited;
    take(node.first);
    const Node& own = tree.nodes_[static_cast<size_t>(node.first)];
    const double off = point[own.dimension] - own.split;
    const bool lower = off < 0;
    visit(lower ? first_half(node) : second_half(node), nearest);
    double& offset = found.offsets[static_cast<size_t>(own.dimension)];
    const double was = offset;
    offset = std::abs(off);
    visit(lower ? second_half(node) : first_half(node), nearest - was * was + off * off);
    offset = was;
  }

  void take(Index place) {
    const double* const other = tree.point(place);
    double s = 0;
    for (Index c = 0; c < tree.columns_; ++c) s += (point[c] - other[c]) * (point[c] - other[c]);
    auto& best = found.nearest;
    const std::pair<double, std::int32_t> own{s, std::int32_t(place)};
    if (std::ssize(best) < most) {
      best.push_back(own);
      std::push_heap(best.begin(), best.end());
    } else if (own < best.front()) {  // in the place of the farthest, and down the heap
      const size_t n = best.size();
      size_t at = 0;
      for (size_t child = 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && best[child] < best[child + 1]) ++child;
        if (!(own < best[child])) break;
        best[at] = best[child], at = child;
      }
      best[at] = own;
    }
  }
};

void NeighborTree::search(const double* point, Index before, Index most, Index visits, Found& found) const {
  found.nearest.clear();
  found.offsets.assign(static_cast<size_t>(columns_), 0.0);
  found.visited = 0;
  if (most <= 0) return;
  Search{*this, point, before, most, visits, found}.visit({0, size()}, 0);
  std::sort_heap(found.nearest.begin(), found.nearest.end());
}

}  // namespace covary::internal
