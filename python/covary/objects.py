"""Sets and graphs of Python as the texts that tables hold, which the core reads."""

import json

import numpy as np

SETS = (set, frozenset, list, tuple, dict)


def is_network(value):
    """Whether it is a graph of networkx, or has what one has."""
    return hasattr(value, "nodes") and hasattr(value, "edges") and hasattr(value, "number_of_nodes")


def _is_list(value):
    return isinstance(value, (list, tuple)) or (hasattr(value, "tolist") and getattr(value, "ndim", 0) > 0)


def _is_pair(value):
    """(nodes, edges): labels or their number, and pairs of nodes."""
    if not isinstance(value, tuple) or len(value) != 2:
        return False
    nodes, edges = value
    counted = hasattr(nodes, "__index__") and not isinstance(nodes, bool)
    return (counted or _is_list(nodes)) and _is_list(edges) and all(_is_list(e) for e in edges)


def is_graph(value):
    """A graph of networkx, a pair (nodes, edges), or {"nodes": ..., "edges": ...}."""
    if isinstance(value, dict):
        lists = _is_list(value.get("nodes")) or _is_list(value.get("edges"))
        return lists and "nodes" in value and set(value) <= {"nodes", "edges"}
    return is_network(value) or _is_pair(value)


def listed(values):
    """Objects as an array of one dimension, whatever they are."""
    out = np.empty(len(values), object)
    for i, value in enumerate(values):
        out[i] = value
    return out


def is_set(value):
    """A set, a list of items, or weights by item."""
    return isinstance(value, SETS) or _is_list(value)


def _plain(value):
    """A number or an array of NumPy as Python has it; other objects by their text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def set_text(value) -> str:
    """A list of items, or weights by item, in JSON. An item without a weight is not in the set."""
    if isinstance(value, dict):
        return json.dumps({str(k): v for k, v in value.items() if v is not None}, default=_plain)
    return json.dumps(list(value), default=_plain)


def graph_text(value) -> str:
    """Labels of nodes, or their number, and edges in JSON. Of networkx, labels are the attribute `label`."""
    if is_network(value):
        value = _of_network(value)
    elif not isinstance(value, dict):
        value = {"nodes": value[0], "edges": value[1]}
    return json.dumps({"nodes": value["nodes"], "edges": value.get("edges", [])}, default=_plain)


def _of_network(graph):
    if graph.is_directed():
        raise ValueError("expected an undirected graph, found a directed one: graph.to_undirected() makes it one")
    at = {node: i for i, node in enumerate(graph.nodes)}
    labels = [data.get("label", "") for _, data in graph.nodes(data=True)]
    edges = [
        [at[a], at[b], data["label"]] if "label" in data else [at[a], at[b]] for a, b, data in graph.edges(data=True)
    ]
    return {"nodes": labels if any(label != "" for label in labels) else len(labels), "edges": edges}
