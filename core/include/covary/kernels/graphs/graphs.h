// Kernels over graphs with labelled nodes and edges.
//
// weisfeiler_lehman (Shervashidze et al., 2011): every node has its label; h times, the label of a node becomes
// the pair of its label and the multiset of its neighbors' labels, each with the label of the edge to it. With c_l(G)
// the number of nodes that ever had label l, in rounds 0 to h,
//   k(G, H) = sum_l c_l(G) c_l(H)                                            h edges for a graph, n + shared labels
// or, measure=minmax, sum_l min(c_l(G), c_l(H))/sum_l max(c_l(G), c_l(H)), as fingerprints of molecules are compared.
//
// shortest_path (Borgwardt and Kriegel, 2005): with c(a, b, d) the number of ordered pairs of nodes labelled a and b
// at a distance of d edges; pairs without a path are left out, labels of edges are not read,
//   k(G, H) = sum_(a, b, d) c_G(a, b, d) c_H(a, b, d)                         n (n + edges) for a graph
//
// random_walk (Gaertner et al., 2003), up to `steps` edges: with X the product graph, whose nodes are pairs of nodes
// with the same label and whose edges are pairs of edges with the same label,
//   k(G, H) = sum_(s=0)^steps decay^s w_s,  w_s = 1' A_X^s 1: walks of s edges that both have, by their labels.
// A finite sum, so every decay > 0 will do; it is learned if not given. steps (n_G edges_H + n_H edges_G) for a pair
//
// normalized: divided by sqrt(k(G, G) k(H, H)); two graphs that have nothing to count are equal (1).
//
// Labels are compared by 128-bit hashes that are the same in every batch: of a million labels two are taken for one
// another with probability 2e-27.
#pragma once
#include <limits>

#include "covary/kernels/graphs/graph.h"
#include "covary/kernels/kernel.h"

namespace covary {

Kernel<Graph> weisfeiler_lehman(int h = 5, bool normalized = true, bool minmax = false);
Kernel<Graph> shortest_path(bool normalized = true);
/// decay NaN: not given.
Kernel<Graph> random_walk(double decay = std::numeric_limits<double>::quiet_NaN(), int steps = 8,
                          bool normalized = true);

}  // namespace covary
