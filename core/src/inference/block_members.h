// The points of eight blocks of a set of observations, loaded into a batch.
#pragma once
#include <array>
#include <vector>

#include "covary/inference/vecchia_blocks.h"
#include "inference/block_batch.h"

namespace covary::internal {

constexpr Index block_run = 512;  // points that are summed one after the other: the unit of work

inline Index coordinate_count(const BlockKernel& k) { return k.fused ? k.coordinates->rows() : 0; }

/// What is loaded of a set of observations again and again: a kernel, and numbers (c x n) of each point.
class BlockMembers {
 public:
  BlockMembers(const BlockData& data, const FusedTerms* fused, const Matrix& columns);

  /// Blocks of the places first, ..., first + 7, those beyond the last as the last: its covariances, factorized.
  void load(BlockBatch& batch, Index first, bool slopes);
  /// The place of entry q in lane l of what was loaded; -1: none.
  Index place(Index q, Index l) const { return places_[static_cast<size_t>(q * simd::block_lanes + l)]; }
  Index lanes() const { return lanes_; }  // that are no repeats of the last
  /// Of a kernel that is not fused: the places of the block in lane l, its last one for those that are not there.
  const std::vector<Index>& set(Index l) const { return sets_[static_cast<size_t>(l)]; }

 private:
  void load_covariances(BlockBatch& batch);
  const BlockData& data_;
  const FusedTerms* fused_;
  const Matrix& columns_;
  std::vector<Index> places_;
  std::array<std::vector<Index>, size_t(simd::block_lanes)> sets_;
  Index lanes_ = 0;
};

}  // namespace covary::internal
