#include "covary/kernels/sets/sets.h"

#include "kernels/sets/set_measure.h"

namespace covary {
using namespace internal;
namespace {
using ItemSetKernel = SparseKernel<ItemSet, SetMeasure>;
}

template <>
Kernel<ItemSet> jaccard<ItemSet>() {
  return ItemSetKernel{{SetMeasure::Kind::jaccard}};
}
template <>
Kernel<ItemSet> minmax<ItemSet>() {
  return ItemSetKernel{{SetMeasure::Kind::minmax}};
}
template <>
Kernel<ItemSet> intersection<ItemSet>(bool normalized) {
  return ItemSetKernel{{SetMeasure::Kind::intersection, normalized}};
}

namespace set_entries {

Entry<ItemSet> jaccard() {
  return {"jaccard",
          "|A and B|/|A or B|",
          "sets of items: the share of items in common (Tanimoto)",
          {},
          [](const Arguments&) { return covary::jaccard(); }};
}
Entry<ItemSet> minmax() {
  return {"minmax",
          "sum min(a, b)/sum max(a, b)",
          "sets of items with weights or counts (weighted Tanimoto)",
          {},
          [](const Arguments&) { return covary::minmax(); }};
}
Entry<ItemSet> intersection() {
  return {"intersection",
          "sum min(a, b); normalized: /sqrt(sum a sum b)",
          "sets of items with weights or counts: the weight in common",
          {"normalized"},
          [](const Arguments& a) { return covary::intersection(normalized_in(a)); },
          0,
          Nature::local,
          Reads::numbers,
          {"normalized"}};
}

}  // namespace set_entries
}  // namespace covary
