// Sparse vectors of nonnegative weights by keys: points of kernels over sets and graphs, as they are prepared.
//
// A batch holds its entries by row and by key, so that a block of sums over shared keys touches those keys alone.
#pragma once
#include <memory>
#include <vector>

#include "covary/base/types.h"
#include "kernels/sets/key.h"

namespace covary::internal {

/// n of them, or a run of those. Immutable; slices share the entries.
class SparseRows {
 public:
  struct Weight {
    Key key;
    double value;
  };
  /// Weights of a key that is repeated in a row add up. About E steps for E entries.
  explicit SparseRows(const std::vector<std::vector<Weight>>& rows);

  Index count() const { return range_.count; }
  Vector totals() const;   // n: sum of the weights of a row, in the order of their keys
  Vector squares() const;  // n: sum of their squares

  friend SparseRows slice(SparseRows x, Range r) {
    x.range_ = {x.range_.first + r.first, r.count};
    return x;
  }
  /// n x m: sum_k a_ik b_jk and sum_k min(a_ik, b_jk), each sum in the order of the keys, whatever the block. One
  /// addition for each key that a pair shares.
  friend Matrix products(const SparseRows& a, const SparseRows& b);
  friend Matrix minima(const SparseRows& a, const SparseRows& b);

 private:
  struct Entries;
  template <class Term>
  static Matrix shared_sums(const SparseRows& a, const SparseRows& b, Term term);

  std::shared_ptr<const Entries> all_;
  Range range_;
};

}  // namespace covary::internal
