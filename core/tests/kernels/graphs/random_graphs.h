// Graphs for tests: without nodes, of one node, disconnected, with and without labels.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "covary/base/random.h"
#include "covary/kernels/graphs/graph.h"

namespace covary::test {

using Graphs = std::vector<Graph>;

/// Up to `most` nodes of three labels, an edge between two of them in 3 of 10 cases, half of the graphs with labels of
/// edges.
inline Graph random_graph(Random& rng, Index most) {
  std::vector<std::string> nodes;
  const Index n = rng.integer(most + 1);
  for (Index v = 0; v < n; ++v) nodes.push_back(std::string(1, "CNO"[rng.integer(3)]));
  const bool labelled = rng.uniform() < 0.5;
  std::vector<Graph::Edge> edges;
  for (Index a = 0; a < n; ++a)
    for (Index b = 0; b < a; ++b)
      if (rng.uniform() < 0.3) edges.push_back({a, b, labelled && rng.uniform() < 0.5 ? "=" : ""});
  return graph_of(nodes, edges);
}

/// n of them: the first has no nodes, the second one; the last four are the first four again.
inline Graphs random_graphs(std::uint64_t seed, Index n, Index most = 7) {
  Random rng(seed);
  Graphs all{Graph{}, graph_of({"C"}, {})};
  while (std::ssize(all) < n - 4) all.push_back(random_graph(rng, most));
  for (size_t i = 0; i < 4; ++i) all.push_back(all[i]);
  return all;
}

/// The same graph with its nodes in another order.
inline Graph renumbered(Random& rng, const Graph& g) {
  std::vector<Index> to = internal::all_indices(std::ssize(g.nodes));
  for (size_t v = to.size(); v > 1; --v) std::swap(to[v - 1], to[size_t(rng.integer(Index(v)))]);
  std::vector<std::string> nodes(g.nodes.size());
  for (size_t v = 0; v < to.size(); ++v) nodes[size_t(to[v])] = g.nodes[v];
  std::vector<Graph::Edge> edges = g.edges;
  for (Graph::Edge& e : edges) e.a = to[size_t(e.a)], e.b = to[size_t(e.b)];
  return graph_of(nodes, edges);
}

}  // namespace covary::test
