// The neighbors of every node of a graph, with the keys of labels.
#pragma once
#include <vector>

#include "covary/kernels/graphs/graph.h"
#include "kernels/sets/key.h"

namespace covary::internal {

struct Neighbor {
  size_t node;
  Key edge;  // of the edge's label
};

struct Neighbors {
  std::vector<Key> label;       // n: of the nodes
  std::vector<size_t> start;    // n + 1
  std::vector<Neighbor> other;  // 2 edges: those of node v from start[v] to start[v + 1]
  size_t count() const { return label.size(); }
};

Neighbors neighbors(const Graph& g);

}  // namespace covary::internal
