#include "covary/kernels/nodes/network.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "covary/base/error.h"

namespace covary {
using namespace internal;
namespace {

/// `edge`: what messages call it.
void check_edge(const std::string& edge, const Network::NamedEdge& e) {
  if (e.from.empty() || e.to.empty()) throw Error(Problem::data, edge + " has a node without a name");
  if (e.from == e.to) throw Error(Problem::data, edge + " joins a node with itself; remove such edges");
  if (!(e.weight > 0 && e.weight <= 1e100))
    throw Error(Problem::data, fmt::format("{} must have a positive weight, found {}; a node may be left "
                                           "without an edge",
                                           edge, e.weight));
}

}  // namespace

std::shared_ptr<const Network> read_network(const std::vector<Network::NamedEdge>& edges,
                                            const std::vector<std::string>& nodes) {
  return internal::read_network(edges, nodes, [](size_t) { return "network"; });
}

std::shared_ptr<const Network> internal::read_network(const std::vector<Network::NamedEdge>& edges,
                                                      const std::vector<std::string>& nodes,
                                                      const std::function<std::string(size_t)>& place) {
  auto network = std::make_shared<Network>();
  std::map<std::string, Index> code;
  const auto code_of = [&](const std::string& name) {
    const auto [at, is_new] = code.emplace(name, std::ssize(network->nodes));
    if (is_new) network->nodes.push_back(name);
    return at->second;
  };
  for (const std::string& name : nodes)
    if (name.empty()) throw Error(Problem::data, "network: a node has no name");
  for (const std::string& name : nodes) code_of(name);
  std::set<std::pair<Index, Index>> seen;
  for (size_t i = 0; i < edges.size(); ++i) {
    const std::string edge =
        fmt::format("{}: edge {} ('{}' to '{}')", place(i), i + 1, edges[i].from, edges[i].to);
    check_edge(edge, edges[i]);
    const auto [a, b] = std::minmax({code_of(edges[i].from), code_of(edges[i].to)});
    if (!seen.emplace(a, b).second)
      throw Error(Problem::data,
                  edge + " was given before; edges have no direction, so give each pair of nodes once");
    network->edges.push_back({a, b, edges[i].weight});
  }
  if (network->nodes.empty()) throw Error(Problem::data, "network: it has no nodes");
  if (std::ssize(network->nodes) > most_nodes)
    throw Error(Problem::limit, fmt::format("network: at most {} nodes, found {}: the eigenvectors of its "
                                            "Laplacian would take too long",
                                            most_nodes, network->nodes.size()));
  return network;
}

Matrix internal::laplacian(const Network& network) {
  const Index n = std::ssize(network.nodes);
  Matrix l = Matrix::Zero(n, n);
  for (const Network::Edge& e : network.edges) {
    l(e.a, e.a) += e.weight, l(e.b, e.b) += e.weight;
    l(e.a, e.b) -= e.weight, l(e.b, e.a) -= e.weight;
  }
  return l;
}

}  // namespace covary
