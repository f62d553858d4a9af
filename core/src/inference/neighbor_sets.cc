#include <algorithm>
#include <cmath>
#include <cstring>

#include "covary/base/parallel.h"
#include "covary/base/ranks.h"
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

namespace {

/// The sets of the points that each rank has, on all of them.
void join_sets(std::vector<std::int32_t>& sets, Range own, Index m) {
  const std::string bytes(reinterpret_cast<const char*>(sets.data() + own.first * m),
                          static_cast<size_t>(own.count * m) * sizeof sets[0]);
  size_t at = 0;
  for (const std::string& part : ranks()->gathered("neighbors", bytes)) {
    std::memcpy(reinterpret_cast<char*>(sets.data()) + at, part.data(), part.size());
    at += part.size();
  }
}

}  // namespace

/// O(n log n) where the points have few coordinates; on a cluster each rank finds those of some points.
NeighborSets neighbor_sets(std::shared_ptr<const NeighborTree> tree, Index m, const Closeness& closeness,
                           int threads) {
  const Index n = tree->size();
  NeighborSets out{tree, std::min(m, std::max<Index>(n - 1, 0)), {}, m + 1 >= n};
  out.sets.assign(static_cast<size_t>(n * out.most), -1);
  const Range own = own_part(n, n);
  for_runs(own.count, threads, [&](Range r) {
    r.first += own.first;
    NeighborSearch search(*tree, out.most, bool(closeness));
    std::vector<Index> set;
    for (Index i = r.first; i < r.end(); ++i) {
      search.find(tree->point(i), tree->position()[static_cast<size_t>(i)], set);
      if (closeness && std::ssize(set) > out.most) search.keep_closest(closeness(i, set), set);
      std::copy(set.begin(), set.end(), out.sets.begin() + i * out.most);
    }
  });
  if (own.count < n) join_sets(out.sets, own, out.most);
  return out;
}

}  // namespace covary::internal
