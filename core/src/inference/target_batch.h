// Blocks of eight new points: each with its nearest observations and, where they are asked for jointly, the nearest of
// the new points that come before it.
#pragma once
#include "inference/block_members.h"
#include "inference/neighbor_search.h"

namespace covary::internal {

class TargetBatch {
 public:
  /// m observations each; `among`: new points in an order, of each the earlier ones.
  TargetBatch(const BlockData& data, const FusedTerms* fused, const Matrix& columns, const BlockTargets& to,
              Index m, const NeighborSets* among = nullptr);

  /// Blocks of the targets first, ..., first + 7, those beyond the last as the last, factorized. With `among` these are
  /// places of its tree.
  void load(Index first);
  Index lanes() const { return lanes_; }
  Index target(Index l) const { return targets_[static_cast<size_t>(l)]; }
  const std::vector<Index>& set(Index l) const { return sets_[static_cast<size_t>(l)]; }  // observations
  /// The k-th earlier one as a place; -1: there are fewer.
  Index earlier(Index k, Index l) const { return earlier_[static_cast<size_t>(k * simd::block_lanes + l)]; }

 private:
  void load_lane(Index l);
  void load_earlier(Index l);
  void load_covariances(Index l);
  const BlockData& data_;
  const FusedTerms* fused_;
  const Matrix& columns_;
  const BlockTargets& to_;
  const NeighborSets* among_;
  const Index observed_, before_;  // entries of a block: observations, earlier targets, itself

 public:
  BlockBatch batch;

 private:
  NeighborSearch search_;
  std::array<std::vector<Index>, size_t(simd::block_lanes)> sets_;
  std::array<Index, size_t(simd::block_lanes)> targets_{}, places_{};
  std::vector<Index> earlier_;
  Index lanes_ = 0;
};

}  // namespace covary::internal
