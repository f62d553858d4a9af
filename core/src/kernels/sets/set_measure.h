// Similarity of two sets by the weights of their items, for kernels over sets and over columns.
#pragma once
#include "covary/kernels/sets/item_set.h"
#include "kernels/sets/sparse_kernel.h"

namespace covary::internal {

struct SetMeasure {
  enum class Kind { jaccard, minmax, intersection };
  Kind kind;
  bool normalized = false;  // of an intersection

  SparseRows rows(std::span<const ItemSet> x) const;
  SparseRows rows(Rows x) const;  // an item for each column that is not 0
  Matrix cross(const SparseRows& a, const SparseRows& b) const;
  Vector diag(const SparseRows& a) const;
  /// Derivatives from the right: sums of minima have corners where two weights meet.
  Matrix pullback_inputs(Rows a, Rows b, const Matrix& w) const;
  Expression node() const;
};

}  // namespace covary::internal
