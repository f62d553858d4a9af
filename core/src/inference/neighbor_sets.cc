#include <algorithm>
#include <cmath>

#include "covary/base/parallel.h"
#include "inference/neighbor_search.h"

namespace covary::internal {

std::shared_ptr<const NeighborTree> neighbor_tree(const Rows& z, int threads) {
  return std::make_shared<const NeighborTree>(z, threads);
}

std::vector<Index> rows_by_place(const NeighborTree& tree) { return {tree.row().begin(), tree.row().end()}; }

void NeighborSearch::find(const double* point, Index before, std::vector<Index>& out) {
  const bool few = closest_ && tree_.size() <= few_points;
  tree_.search(point, before, few ? tree_.size() : (closest_ ? 3 : 1) * most_, visits(), found_);
  out.clear();
  for (const auto& [distance, place] : found_.nearest) out.push_back(place);
}

void NeighborSearch::keep_closest(const Vector& closeness, std::vector<Index>& places) const {
  if (std::ssize(places) <= most_) return;
  std::vector<Index> order = all_indices(std::ssize(places)), kept;
  std::nth_element(order.begin(), order.begin() + most_, order.end(), [&](Index a, Index b) {
    const double x = std::abs(closeness[a]), y = std::abs(closeness[b]);
    return x > y || (x == y && a < b);
  });
  std::sort(order.begin(), order.begin() + most_);
  for (Index i = 0; i < most_; ++i)
    kept.push_back(places[static_cast<size_t>(order[static_cast<size_t>(i)])]);
  places = std::move(kept);
}

/// O(n log n) where the points have few coordinates.
NeighborSets neighbor_sets(std::shared_ptr<const NeighborTree> tree, Index m, const Closeness& closeness,
                           int threads) {
  const Index n = tree->size();
  NeighborSets out{tree, std::min(m, std::max<Index>(n - 1, 0)), {}, m + 1 >= n};
  out.sets.assign(static_cast<size_t>(n * out.most), -1);
  for_runs(n, threads, [&](Range r) {
    NeighborSearch search(*tree, out.most, bool(closeness));
    std::vector<Index> set;
    for (Index i = r.first; i < r.end(); ++i) {
      search.find(tree->point(i), tree->position()[static_cast<size_t>(i)], set);
      if (closeness && std::ssize(set) > out.most) search.keep_closest(closeness(i, set), set);
      std::copy(set.begin(), set.end(), out.sets.begin() + i * out.most);
    }
  });
  return out;
}

}  // namespace covary::internal
