#include "kernels/graphs/neighbors.h"

namespace covary {

internal::Neighbors internal::neighbors(const Graph& g) {
  Neighbors out;
  const size_t n = g.nodes.size();
  for (const std::string& label : g.nodes) out.label.push_back(text_key(label));
  out.start.assign(n + 1, 0);
  const auto at = [](Index node) { return static_cast<size_t>(node); };
  for (const Graph::Edge& e : g.edges) ++out.start[at(e.a) + 1], ++out.start[at(e.b) + 1];
  for (size_t v = 0; v < n; ++v) out.start[v + 1] += out.start[v];
  out.other.resize(out.start[n]);
  std::vector<size_t> next(out.start.begin(), out.start.end() - 1);
  for (const Graph::Edge& e : g.edges) {
    const Key edge = text_key(e.label);
    out.other[next[at(e.a)]++] = {at(e.b), edge};
    out.other[next[at(e.b)]++] = {at(e.a), edge};
  }
  return out;
}

}  // namespace covary
