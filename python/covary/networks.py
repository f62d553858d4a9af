"""Networks whose nodes a column names: from lists of edges, frames and graphs of networkx."""

from ._covary import Network, network
from .frames import column_at, is_frame, labels_of
from .numeric import as_float
from .objects import is_network


def network_of(graph) -> Network | None:
    """The network of edges (from, to[, weight]), a frame of them, or a graph of networkx with weights `weight`."""
    if graph is None or isinstance(graph, Network):
        return graph
    if is_network(graph):
        if graph.is_directed():
            raise ValueError("graph: expected an undirected graph, found a directed one")
        edges = [_edge(i, edge) for i, edge in enumerate(graph.edges(data="weight", default=1.0))]
        return network(edges, [_node(n) for n in graph.nodes])
    rows = zip(*(column_at(graph, k) for k in range(len(labels_of(graph))))) if is_frame(graph) else graph
    return network([_edge(i, edge) for i, edge in enumerate(rows)])


def _edge(i, edge):
    parts = () if isinstance(edge, str) else tuple(edge)
    weight = as_float(parts[2]) if len(parts) == 3 else 1.0
    if len(parts) not in (2, 3) or weight is None:
        raise ValueError(f"graph: edge {i + 1}: expected from, to and perhaps a weight, found {edge!r}")
    return _node(parts[0]), _node(parts[1]), weight


def _node(name):
    """The name of a node: that of a whole number has no point."""
    return str(int(name)) if isinstance(name, float) and name.is_integer() else str(name)
