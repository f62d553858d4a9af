#include "inference/block_members.h"

#include <algorithm>

namespace covary::internal {

BlockMembers::BlockMembers(const BlockData& data, const FusedTerms* fused, const Matrix& columns)
    : data_(data), fused_(fused), columns_(columns) {}

void BlockMembers::load(BlockBatch& batch, Index first, bool slopes) {
  const Index n = data_.y.size(), r = batch.r, m = data_.neighbors.most;
  lanes_ = std::min<Index>(simd::block_lanes, n - first);
  places_.resize(static_cast<size_t>(r * simd::block_lanes));
  bool gaps = false;
  for (Index l = 0; l < simd::block_lanes; ++l) {
    const Index own = std::min(first + l, n - 1);
    for (Index q = 0; q < r; ++q) {
      const Index place = q + 1 < r ? data_.neighbors.sets[static_cast<size_t>(own * m + q)] : own;
      const Index at = std::max<Index>(place, 0);
      const double there = place < 0 ? 0 : 1;
      gaps = gaps || place < 0;
      places_[static_cast<size_t>(q * simd::block_lanes + l)] = place;
      batch.noise(q, l) = there * data_.noise[at];
      for (Index c = 0; c < batch.width; ++c) batch.column(c, q, l) = there * columns_(c, at);
      if (fused_)
        for (Index k = 0; k < batch.coordinates; ++k)
          batch.coordinate(k, q, l) = (*data_.kernel.coordinates)(k, at);
    }
  }
  if (fused_)
    batch.fill(*fused_, slopes);
  else
    load_covariances(batch);
  for (Index q = 0; gaps && q + 1 < r; ++q)
    for (Index l = 0; l < simd::block_lanes; ++l)
      if (place(q, l) < 0) batch.clear(q, l);
  batch.factorize();
}

/// Block by block: the eight have some points in common, but all pairs of all of them are several times as many.
void BlockMembers::load_covariances(BlockBatch& batch) {
  for (Index l = 0; l < simd::block_lanes; ++l) {
    std::vector<Index>& own = sets_[static_cast<size_t>(l)];
    own.clear();
    for (Index q = 0; q < batch.r; ++q) own.push_back(place(q, l) < 0 ? place(batch.r - 1, l) : place(q, l));
    const Matrix k = data_.kernel.covariance(own);
    for (Index i = 0; i < batch.r; ++i) {
      for (Index j = 0; j <= i; ++j) batch.covariance(i, j, l) = k(i, j);
      batch.covariance(i, i, l) += batch.noise(i, l);
    }
  }
}

}  // namespace covary::internal
