#include "inference/target_batch.h"

#include <algorithm>

namespace covary::internal {

TargetBatch::TargetBatch(const BlockData& data, const FusedTerms* fused, const Matrix& columns,
                         const BlockTargets& to, Index m, const NeighborSets* among)
    : data_(data),
      fused_(fused),
      columns_(columns),
      to_(to),
      among_(among),
      observed_(m),
      before_(among ? among->most : 0),
      batch(observed_ + before_ + 1, columns.rows(), coordinate_count(data.kernel), 0),
      search_(*data.neighbors.tree, m, bool(to.closeness)),
      earlier_(static_cast<size_t>(before_ * simd::block_lanes), -1) {}

void TargetBatch::load(Index first) {
  lanes_ = std::min<Index>(simd::block_lanes, to_.count - first);
  for (Index l = 0; l < simd::block_lanes; ++l) {
    const auto k = static_cast<size_t>(l);
    places_[k] = std::min(first + l, to_.count - 1);
    targets_[k] = among_ ? Index(among_->tree->row()[static_cast<size_t>(places_[k])]) : places_[k];
    load_lane(l);
    load_earlier(l);
  }
  if (fused_) batch.fill(*fused_, false);
  for (Index l = 0; l < simd::block_lanes; ++l) {
    if (!fused_) load_covariances(l);
    for (Index k = 0; k < before_; ++k)
      if (earlier(k, l) < 0) batch.clear(observed_ + k, l);
  }
  batch.factorize();
}

void TargetBatch::load_lane(Index l) {
  const Index at = target(l), last = batch.r - 1;
  std::vector<Index>& set = sets_[static_cast<size_t>(l)];
  search_.find(to_.search.col(at).data(), data_.y.size(), set);
  if (to_.closeness && std::ssize(set) > observed_) search_.keep_closest(to_.closeness(at, set), set);
  for (Index q = 0; q < observed_; ++q) {
    const Index place = set[static_cast<size_t>(q)];
    batch.noise(q, l) = data_.noise[place];
    for (Index c = 0; c < batch.width; ++c) batch.column(c, q, l) = columns_(c, place);
    for (Index k = 0; k < batch.coordinates; ++k)
      batch.coordinate(k, q, l) = (*data_.kernel.coordinates)(k, place);
  }
  batch.noise(last, l) = 0;
  batch.column(0, last, l) = 0;
  for (Index c = 1; c < batch.width; ++c) batch.column(c, last, l) = to_.basis(at, c - 1);
  for (Index k = 0; k < batch.coordinates; ++k) batch.coordinate(k, last, l) = to_.coordinates(k, at);
}

/// Their numbers are 0: what they add is known only once they are drawn.
void TargetBatch::load_earlier(Index l) {
  for (Index k = 0; k < before_; ++k) {
    const Index place = among_->sets[static_cast<size_t>(places_[static_cast<size_t>(l)] * before_ + k)],
                q = observed_ + k;
    earlier_[static_cast<size_t>(k * simd::block_lanes + l)] = place;
    const Index at = place < 0 ? target(l) : Index(among_->tree->row()[static_cast<size_t>(place)]);
    batch.noise(q, l) = 0;
    for (Index c = 0; c < batch.width; ++c) batch.column(c, q, l) = 0;
    for (Index i = 0; i < batch.coordinates; ++i) batch.coordinate(i, q, l) = to_.coordinates(i, at);
  }
}

void TargetBatch::load_covariances(Index l) {
  std::vector<Index> at;
  for (Index k = 0; k < before_; ++k)
    at.push_back(earlier(k, l) < 0 ? target(l)
                                   : Index(among_->tree->row()[static_cast<size_t>(earlier(k, l))]));
  at.push_back(target(l));
  const Matrix k = to_.covariance(set(l), at);
  for (Index i = 0; i < batch.r; ++i) {
    for (Index j = 0; j <= i; ++j) batch.covariance(i, j, l) = k(i, j);
    batch.covariance(i, i, l) += batch.noise(i, l);
  }
}

}  // namespace covary::internal
