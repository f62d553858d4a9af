// The Weisfeiler-Lehman subtree kernel: common subtrees of up to h levels.
#include "covary/kernels/graphs/graphs.h"
#include "kernels/graphs/neighbors.h"
#include "kernels/sets/sparse_kernel.h"

namespace covary {
using namespace internal;
namespace {

/// label_0(v) = (0, the label of v),  label_t(v) = (t, label_(t-1)(v), {(edge, label_(t-1)(u)) : u beside v})
/// as keys: equal trees have equal keys in any batch. Every node's label of every t: (h + 1) n of them.
std::vector<SparseRows::Weight> subtrees(const Neighbors& g, int h) {
  std::vector<SparseRows::Weight> all;
  all.reserve(g.count() * (static_cast<size_t>(h) + 1));
  std::vector<Key> label(g.count()), next(g.count());
  for (size_t v = 0; v < g.count(); ++v) label[v] = pair_key(number_key(0), g.label[v]);
  for (int t = 1;; ++t) {
    for (const Key k : label) all.push_back({k, 1});
    if (t > h) return all;
    const Key level = number_key(static_cast<std::uint64_t>(t));
    for (size_t v = 0; v < g.count(); ++v) {
      Key around;
      for (size_t p = g.start[v]; p < g.start[v + 1]; ++p)
        around = around + pair_key(g.other[p].edge, label[g.other[p].node]);
      next[v] = pair_key(pair_key(level, label[v]), around);
    }
    std::swap(label, next);
  }
}

struct WeisfeilerLehman {
  int h;
  bool normalized;
  bool minmax;  // in the place of products

  SparseRows rows(std::span<const Graph> x) const {
    std::vector<std::vector<SparseRows::Weight>> all;
    all.reserve(x.size());
    for (const Graph& g : x) all.push_back(subtrees(neighbors(g), h));
    return SparseRows(all);
  }
  Matrix cross(const SparseRows& a, const SparseRows& b) const {
    if (minmax) return shares(minima(a, b), a.totals(), b.totals());
    Matrix s = products(a, b);
    return normalized ? normalized_sums(std::move(s), a.squares(), b.squares()) : s;
  }
  Vector diag(const SparseRows& a) const {
    return normalized || minmax ? Vector::Ones(a.count()) : a.squares();
  }
  Expression node() const {
    std::vector<Argument> settings{{"h", {double(h)}}, normalized_argument(normalized)};
    if (minmax) settings.push_back({"measure", {}, false, {}, "minmax"});
    return call_node("weisfeiler_lehman", {}, std::move(settings));
  }
};

}  // namespace

Kernel<Graph> weisfeiler_lehman(int h, bool normalized, bool minmax) {
  check_range("weisfeiler_lehman", "h", h, 0, 100);
  return SparseKernel<Graph, WeisfeilerLehman>{{h, normalized, minmax}};
}

namespace graph_entries {

Entry<Graph> weisfeiler_lehman() {
  return {"weisfeiler_lehman",
          "sum over trees of up to h levels of the product of their counts",
          "graphs with labels, as molecules: common neighborhoods of nodes",
          {"h", "normalized", "measure"},
          [](const Arguments& a) {
            return covary::weisfeiler_lehman(a.integer("h", 5, 0, 100), normalized_in(a), minmax_in(a));
          },
          0,
          Nature::local,
          Reads::numbers,
          {"h", "normalized", "measure"}};
}

}  // namespace graph_entries
}  // namespace covary
