#include "covary/kernels/graphs/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "covary/base/error.h"
#include "kernels/sets/json_text.h"

namespace covary {
using namespace internal;
using nlohmann::json;
namespace {

constexpr Index most_graph_nodes = 1'000'000;

std::string of_edge(size_t number, Index a, Index b) {
  return fmt::format("graph: edge {} ([{}, {}])", number, a, b);
}

/// The value as JSON, in ASCII, at most 40 bytes of it.
std::string shortened(const json& value) {
  constexpr size_t most = 40;
  const std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() > most ? text.substr(0, most) + "..." : text;
}

std::vector<std::string> node_labels(const json& nodes) {
  if (!nodes.is_array() && !nodes.is_number_integer())
    throw Error(Problem::data,
                fmt::format("graph: expected \"nodes\" to be a list of labels or a number, found {}",
                            nodes.type_name()));
  const bool few = nodes.is_array() ? std::ssize(nodes) <= most_graph_nodes
                                    : nodes >= json(0) && nodes <= json(most_graph_nodes);
  if (!few)
    throw Error(Problem::limit, fmt::format("graph: expected 0 to {} nodes, found {}", most_graph_nodes,
                                            nodes.is_array() ? std::to_string(nodes.size()) : nodes.dump()));
  if (nodes.is_number()) return std::vector<std::string>(nodes.get<size_t>());
  std::vector<std::string> all;
  for (const json& label : nodes) all.push_back(label_of(label, fmt::format("graph: node {}", all.size())));
  return all;
}

Graph::Edge edge_in(const json& e, size_t number) {
  const bool good = e.is_array() && (e.size() == 2 || e.size() == 3) && e[0].is_number_integer() &&
                    e[1].is_number_integer();
  if (!good)
    throw Error(Problem::data,
                fmt::format("graph: edge {}: expected two whole numbers and perhaps a label, as [0, 1] or "
                            "[0, 1, \"double\"], found {}",
                            number, shortened(e)));
  Graph::Edge out{e[0].get<Index>(), e[1].get<Index>(), ""};
  if (e.size() == 3) out.label = label_of(e[2], of_edge(number, out.a, out.b));
  return out;
}

}  // namespace

Graph graph_of(std::vector<std::string> nodes, std::vector<Graph::Edge> edges) {
  std::set<std::pair<Index, Index>> there;
  const Index n = std::ssize(nodes);
  size_t number = 0;
  for (Graph::Edge& e : edges) {
    const std::string where = of_edge(++number, e.a, e.b);
    for (const Index end : {e.a, e.b})
      if (end < 0 || end >= n)
        throw Error(Problem::data, fmt::format("{}: there is no node {}: {}", where, end,
                                               n ? fmt::format("nodes are numbered from 0 to {}", n - 1)
                                                 : "there are no nodes"));
    if (e.a == e.b) throw Error(Problem::data, where + ": a node cannot have an edge to itself");
    if (e.a > e.b) std::swap(e.a, e.b);
    if (!there.insert({e.a, e.b}).second)
      throw Error(Problem::data, where + ": it is there already; graphs are undirected, give each edge once");
  }
  std::sort(edges.begin(), edges.end());
  return {std::move(nodes), std::move(edges)};
}

Graph read_graph(std::string_view cell) {
  if (cell.find_first_not_of(" \t\r\n") == cell.npos) return {};
  const json j = json_of(cell, "graph");
  if (!j.is_object())
    throw Error(Problem::data, fmt::format("graph: expected {{\"nodes\": [...], \"edges\": [...]}}, found {}",
                                           j.type_name()));
  for (const auto& [name, value] : j.items())
    if (name != "nodes" && name != "edges")
      throw Error(Problem::data, fmt::format("graph: expected \"nodes\" and \"edges\", found \"{}\"", name));
  if (!j.contains("nodes")) throw Error(Problem::data, "graph: \"nodes\" is missing");
  std::vector<Graph::Edge> edges;
  if (j.contains("edges")) {
    if (!j["edges"].is_array())
      throw Error(Problem::data,
                  fmt::format("graph: expected \"edges\" to be a list, found {}", j["edges"].type_name()));
    for (const json& e : j["edges"]) edges.push_back(edge_in(e, edges.size() + 1));
  }
  return graph_of(node_labels(j["nodes"]), std::move(edges));
}

std::string text_of(const Graph& graph) {
  const bool plain =
      std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const std::string& l) { return l.empty(); });
  json edges = json::array();
  for (const Graph::Edge& e : graph.edges) {
    edges.push_back({e.a, e.b});
    if (!e.label.empty()) edges.back().push_back(e.label);
  }
  const json nodes = plain ? json(graph.nodes.size()) : json(graph.nodes);
  return fmt::format("{{\"nodes\":{},\"edges\":{}}}", internal::text_of(nodes, "graph"),
                     internal::text_of(edges, "graph"));
}

}  // namespace covary
