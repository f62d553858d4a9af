#include "covary/kernels/registry.h"

#include "covary/kernels/graphs/graph.h"

namespace covary {

// Every kernel over graphs. To add one, write kernels/graphs/NAME.cc with `Entry<Graph> graph_entries::NAME()` and
// name it here.
#define COVARY_GRAPH_KERNELS(KERNEL) \
  KERNEL(constant)                   \
  KERNEL(weisfeiler_lehman)          \
  KERNEL(shortest_path)              \
  KERNEL(random_walk)

namespace graph_entries {

#define COVARY_DECLARE_GRAPH(name) Entry<Graph> name();
COVARY_GRAPH_KERNELS(COVARY_DECLARE_GRAPH)

Entry<Graph> constant() { return constant_entry<Graph>(); }

}  // namespace graph_entries

template <>
const std::vector<Entry<Graph>>& registry<Graph>() {
#define COVARY_LIST_GRAPH(name) graph_entries::name(),
  static const std::vector<Entry<Graph>> all{COVARY_GRAPH_KERNELS(COVARY_LIST_GRAPH)};
  return all;
}

}  // namespace covary
