// The shortest-path kernel: pairs of nodes by their labels and their distance.
#include <algorithm>

#include "covary/kernels/graphs/graphs.h"
#include "kernels/graphs/neighbors.h"
#include "kernels/sets/sparse_kernel.h"

namespace covary {
using namespace internal;
namespace {

constexpr size_t largest_table = 1 << 22;  // entries

/// A number for each distinct label, from 0, ascending by key.
std::vector<size_t> label_numbers(const std::vector<Key>& label, std::vector<Key>& distinct) {
  distinct = label;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<size_t> all;
  for (const Key k : label)
    all.push_back(
        static_cast<size_t>(std::lower_bound(distinct.begin(), distinct.end(), k) - distinct.begin()));
  return all;
}

/// How many ordered pairs (u, v), u != v, there are of each (label u, label v, distance), by a breadth-first search
/// from every node: n (n + edges). Pairs without a path are left out. They are counted in a table of distances x
/// labels^2 where that is small, else one by one.
std::vector<SparseRows::Weight> path_counts(const Neighbors& g) {
  std::vector<Key> distinct;
  const std::vector<size_t> number = label_numbers(g.label, distinct);
  const size_t n = g.count(), labels = distinct.size();
  const bool small = labels * labels <= largest_table / std::max<size_t>(1, n);
  std::vector<double> counts;
  std::vector<SparseRows::Weight> all;
  const auto add = [&](size_t d, size_t a, size_t b, double times) {
    all.push_back({pair_key(number_key(d), pair_key(distinct[a], distinct[b])), times});
  };
  std::vector<size_t> seen_from(n, n), reached, distance(n);
  for (size_t from = 0; from < n; ++from) {
    reached.assign(1, from);
    seen_from[from] = from, distance[from] = 0;
    for (size_t r = 0; r < reached.size(); ++r) {
      const size_t v = reached[r];
      if (r && small) {
        const size_t at = ((distance[v] - 1) * labels + number[from]) * labels + number[v];
        if (at >= counts.size()) counts.resize(distance[v] * labels * labels);
        ++counts[at];
      } else if (r) {
        add(distance[v], number[from], number[v], 1);
      }
      for (size_t p = g.start[v]; p < g.start[v + 1]; ++p) {
        const size_t u = g.other[p].node;
        if (seen_from[u] == from) continue;
        seen_from[u] = from, distance[u] = distance[v] + 1;
        reached.push_back(u);
      }
    }
  }
  for (size_t at = 0; at < counts.size(); ++at)
    if (counts[at] > 0) add(at / (labels * labels) + 1, at / labels % labels, at % labels, counts[at]);
  return all;
}

struct ShortestPath {
  bool normalized;

  SparseRows rows(std::span<const Graph> x) const {
    std::vector<std::vector<SparseRows::Weight>> all;
    all.reserve(x.size());
    for (const Graph& g : x) all.push_back(path_counts(neighbors(g)));
    return SparseRows(all);
  }
  Matrix cross(const SparseRows& a, const SparseRows& b) const {
    Matrix s = products(a, b);
    return normalized ? normalized_sums(std::move(s), a.squares(), b.squares()) : s;
  }
  Vector diag(const SparseRows& a) const { return normalized ? Vector::Ones(a.count()) : a.squares(); }
  Expression node() const { return call_node("shortest_path", {}, {normalized_argument(normalized)}); }
};

}  // namespace

Kernel<Graph> shortest_path(bool normalized) { return SparseKernel<Graph, ShortestPath>{{normalized}}; }

namespace graph_entries {

Entry<Graph> shortest_path() {
  return {"shortest_path",
          "sum over (label, label, distance) of the product of their counts",
          "graphs with labels, as molecules: distances between labelled nodes",
          {"normalized"},
          [](const Arguments& a) { return covary::shortest_path(normalized_in(a)); },
          0,
          Nature::local,
          Reads::numbers,
          {"normalized"}};
}

}  // namespace graph_entries
}  // namespace covary
