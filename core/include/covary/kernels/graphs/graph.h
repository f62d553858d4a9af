// A graph with labelled nodes and edges, as a point of a process: a molecule, a circuit, a sentence.
//
// In a cell of a table it is a JSON object: a label for each node, or their number if they have none, and the edges
// as pairs of nodes counted from 0, with a label or without. Labels are texts or numbers.
//
//   {"nodes": ["C", "C", "O"], "edges": [[0, 1], [1, 2, "double"]]}
//   {"nodes": 4, "edges": [[0, 1], [1, 2], [2, 3], [0, 3]]}
#pragma once
#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "covary/base/types.h"

namespace covary {

/// Undirected. Nodes are numbered from 0.
struct Graph {
  struct Edge {
    Index a = 0, b = 0;                             // a < b
    std::string label;                              // may be empty
    auto operator<=>(const Edge&) const = default;  // NOLINT(modernize-use-nullptr): there is none
  };
  std::vector<std::string> nodes;  // the label of each, may be empty
  std::vector<Edge> edges;         // each once, ascending
  auto operator<=>(const Graph&) const = default;
};

/// With the edges put in order: a < b, ascending. Throws a data Error naming the first edge to a node that is not
/// there, from a node to itself, or that is there already, in either direction.
Graph graph_of(std::vector<std::string> nodes, std::vector<Graph::Edge> edges);

/// The same from JSON, at most a million nodes. An empty text is the graph without nodes.
Graph read_graph(std::string_view cell);

/// What read_graph reads back to an equal graph.
std::string text_of(const Graph& graph);

}  // namespace covary
