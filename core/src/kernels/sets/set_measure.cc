#include "kernels/sets/set_measure.h"

namespace covary::internal {

SparseRows SetMeasure::rows(std::span<const ItemSet> x) const {
  std::vector<std::vector<SparseRows::Weight>> all(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t k = 0; k < x[i].items.size(); ++k)
      all[i].push_back({text_key(x[i].items[k]), kind == Kind::jaccard ? 1 : x[i].weights[k]});
  return SparseRows(all);
}

Matrix SetMeasure::cross(const SparseRows& a, const SparseRows& b) const {
  Matrix s = minima(a, b);
  if (kind != Kind::intersection) return shares(std::move(s), a.totals(), b.totals());
  return normalized ? normalized_sums(std::move(s), a.totals(), b.totals()) : s;
}

Vector SetMeasure::diag(const SparseRows& a) const {
  if (kind == Kind::intersection && !normalized) return a.totals();
  return Vector::Ones(a.count());
}

Expression SetMeasure::node() const {
  if (kind == Kind::intersection) return call_node("intersection", {}, {normalized_argument(normalized)});
  return call_node(kind == Kind::jaccard ? "jaccard" : "minmax", {});
}

}  // namespace covary::internal
