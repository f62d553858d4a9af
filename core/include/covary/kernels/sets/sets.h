// Kernels over sets of items with weights (ItemSet), and over columns of nonnegative numbers (Row): fingerprints.
//
// With a_k and b_k the weights of item (or column) k, 0 where a set does not have it:
//
//   jaccard       |A and B|/|A or B|, whatever the weights           1 for two empty sets
//   minmax        sum_k min(a_k, b_k)/sum_k max(a_k, b_k)            1 for two empty sets; jaccard where weights are 1
//   intersection  sum_k min(a_k, b_k)
//   normalized    the same, divided by sqrt(sum a sum b)             1 for two empty sets, 0 for an empty and another
//
//   Kernel<ItemSet> k = minmax();
//   Kernel<Row> columns = minmax<Row>();     a negative entry is a data Error
//
// None has hyper-parameters but the variance in front. Items are compared by 128-bit hashes: two of a million items
// are taken for one another with probability 2e-27. One addition for each item that two sets share.
#pragma once
#include "covary/kernels/kernel.h"
#include "covary/kernels/sets/item_set.h"

namespace covary {

template <class X = ItemSet>
Kernel<X> jaccard();
template <class X = ItemSet>
Kernel<X> minmax();
template <class X = ItemSet>
Kernel<X> intersection(bool normalized = true);

template <>
Kernel<ItemSet> jaccard<ItemSet>();
template <>
Kernel<ItemSet> minmax<ItemSet>();
template <>
Kernel<ItemSet> intersection<ItemSet>(bool normalized);
template <>
Kernel<Row> jaccard<Row>();
template <>
Kernel<Row> minmax<Row>();
template <>
Kernel<Row> intersection<Row>(bool normalized);

}  // namespace covary
