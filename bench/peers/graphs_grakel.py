"""GraKeL's Gram matrix of a set of bench/graphs.cc, normalized: the matrix to a file of doubles, the seconds as JSON.

    graphs_grakel.py --graphs graph_mutag.txt.gz --kernel weisfeiler_lehman --out matrix.bin
"""
import argparse
import gzip
import json
import time

import numpy as np
from grakel.kernels import ShortestPath, VertexHistogram, WeisfeilerLehman


def read(path):
    """An adjacency by node and a label by node for each graph."""
    with gzip.open(path, "rt") as lines:
        numbers = iter(map(int, lines.read().split()))
    graphs = []
    for _ in range(next(numbers)):
        n, _class = next(numbers), next(numbers)
        labels, edges = {}, {}
        for v in range(n):
            labels[v] = next(numbers)
            edges[v] = {next(numbers): 1.0 for _ in range(next(numbers))}
        graphs.append([edges, labels])
    return graphs


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--graphs"), options.add_argument("--kernel"), options.add_argument("--out")
    o = options.parse_args()
    graphs = read(o.graphs)
    repeats, seconds = (3 if len(graphs) < 1000 else 1), []
    for _ in range(repeats):
        if o.kernel == "weisfeiler_lehman":
            kernel = WeisfeilerLehman(n_iter=5, base_graph_kernel=VertexHistogram, normalize=True)
        else:
            kernel = ShortestPath(normalize=True, with_labels=True)
        begin = time.perf_counter()
        matrix = kernel.fit_transform(graphs)
        seconds.append(time.perf_counter() - begin)
    np.asarray(matrix, dtype=np.float64).tofile(o.out)
    print(json.dumps({"seconds": min(seconds)}))


main()
