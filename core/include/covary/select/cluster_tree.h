// A tree of clusters of a pool: Ward's agglomerative clustering in the kernel's metric.
//
//   d^2(x, z) = k(x, x) + k(z, z) - 2 k(x, z)
//   two clusters join next if that raises the sum of squared distances to the cluster means least
//
// Up to `most` points the tree is exact: m^2 kernel values, m^2 doubles, O(m^2) flops (nearest-neighbor chains). Of
// more points, 500 landmarks take the points nearest to them (500 m kernel values), each group has a tree of its own,
// and the landmarks, weighted by their groups, one above these: most^2 doubles at a time. The same points in the same
// order have the same tree; of equal joins, the one of the lowest index comes first.
#pragma once
#include "covary/algebra/covariances.h"

namespace covary {

/// Nodes 0 to m - 1 are the points; every further node joins two before it, and the last is the root.
class ClusterTree {
 public:
  explicit ClusterTree(const Covariances& k, Index most = 2000, int threads = 0);

  Index points() const { return points_; }            // m
  Index nodes() const { return std::ssize(nodes_); }  // 2 m - 1
  Index root() const { return nodes() - 1; }
  bool is_point(Index node) const { return node < points_; }
  Index left(Index node) const { return at(node).left; }  // -1 for a point
  Index right(Index node) const { return at(node).right; }
  Index parent(Index node) const { return at(node).parent; }  // -1 for the root
  Index size(Index node) const { return at(node).size; }      // points below it
  /// By how much its join raised the sum of squared distances; 0 for a point. For m <= most never above the parent's.
  double height(Index node) const { return at(node).height; }
  /// The points below a node: size(node) of them from order()[first(node)] on.
  Index first(Index node) const { return at(node).first; }
  const std::vector<Index>& order() const { return order_; }  // m

 private:
  struct Node {
    Index left = -1, right = -1, parent = -1, size = 1, first = 0;
    double height = 0;
  };
  const Node& at(Index node) const { return nodes_[static_cast<size_t>(node)]; }
  Index join(Index a, Index b, double height);
  Index build(const Covariances& k, const std::vector<Index>& points, Index most, int threads);
  Index grouped(const Covariances& k, const std::vector<Index>& points, Index most, int threads);
  Index halved(const std::vector<Index>& points);
  Index linked(Matrix joins, Vector weight, std::vector<Index> roots);
  void arrange();

  Index points_;
  std::vector<Node> nodes_;
  std::vector<Index> order_;
};

}  // namespace covary
