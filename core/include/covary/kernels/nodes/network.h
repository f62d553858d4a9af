// A network: one weighted, undirected graph whose nodes are the points of a process: roads, rivers, sensors.
//
// A row names a node by its code, the index in `nodes`. The weight of an edge is its conductance, such as 1 over its
// length: the larger it is, the more alike are the ends.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "covary/kernels/kernel.h"

namespace covary {

/// Made by read_network, which checks it, and not changed afterwards.
struct Network {
  struct Edge {
    Index a = 0, b = 0;  // a < b
    double weight = 1;
  };
  struct NamedEdge {
    std::string from, to;
    double weight = 1;
  };
  std::vector<std::string> nodes;
  std::vector<Edge> edges;  // each once
};

/// The network of a list of edges. Nodes are numbered as they first appear in it, after those of `nodes`, which may
/// have no edge. It need not be connected. Throws a data Error, which numbers edges from 1, for an edge of a node
/// with itself, an edge that is given twice (in either direction), a node without a name and a weight that is not
/// positive; a limit Error above internal::most_nodes nodes.
std::shared_ptr<const Network> read_network(const std::vector<Network::NamedEdge>& edges,
                                            const std::vector<std::string>& nodes = {});

namespace internal {
/// The same with a place for each edge, which begins the message of an error: "roads.csv, line 4, column 'to'".
std::shared_ptr<const Network> read_network(const std::vector<Network::NamedEdge>& edges,
                                            const std::vector<std::string>& nodes,
                                            const std::function<std::string(size_t)>& place);

/// The eigenvectors of the Laplacian take 9 N^3 flops and 8 N^2 bytes: at most this many nodes.
constexpr Index most_nodes = 4000;

/// N x N: L = D - W, W the weights and D their sums at each node.
Matrix laplacian(const Network& network);

/// A kernel that the registry made, on the nodes of a network; any other kernel as it is.
Kernel<Row> bind_network(const Kernel<Row>& kernel, std::shared_ptr<const Network> network);
}  // namespace internal

}  // namespace covary
