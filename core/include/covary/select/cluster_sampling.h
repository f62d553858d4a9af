// Hierarchical sampling: labels for all of a pool, from random labels inside clusters [dasgupta2008].
//
// A pruning of the cluster tree is a set of clusters that together hold every point once; it begins with the root. A
// cluster v of n_v labels has the share p_vl of class l, known to within
//
//   D_vl = 1/n_v + sqrt(p_vl (1 - p_vl) / n_v).
//
// Class l is admissible for v if 1 - (p_vl - D_vl) < b (1 - (p_vl' + D_vl')) for every other l' (b = 2): its
// error is at most b times what another's might be. Then its error is 1 - p_vl, otherwise 1. With every label,
// the cluster it fell into gives way to the pruning below it of least error, if that is less than its own:
// prunings are refined, never undone.
//
// The next label is drawn from cluster v with probability proportional to w_v (1 - (p_vl - D_vl)), l its most frequent
// class and w_v its share of the points, and uniformly from the points of v without a label. Every point can be
// drawn at any time, so that every part of the pool is reached, and labels inside a cluster are a random sample
// of it.
#pragma once
#include "covary/select/cluster_tree.h"

namespace covary {

class ClusterSampling {
 public:
  /// Classes from 0 to kinds - 1; `factor`: b, over 1.
  ClusterSampling(ClusterTree tree, Index kinds, double factor = 2);

  /// The class of a point; a second one for the same point is not counted. O(depth kinds).
  void tell(Index point, Index kind);
  /// m: the probability that a point is the next to be labelled; 0 for those that have a label and those in `pending`.
  Vector chances(const std::vector<Index>& pending = {}) const;

  /// A cluster of the pruning.
  struct Cluster {
    Index node = 0, size = 0, labels = 0;  // of the tree; points; labels told
    Index kind = 0;               // most frequent class; without a label that of the cluster around it
    double share = 0, lower = 0;  // of that class among the labels; p - D
  };
  std::vector<Cluster> clusters() const;
  /// m: the cluster that each point is in.
  std::vector<Index> memberships() const;

  /// m: the label of each point: its own, or the class of its cluster.
  std::vector<Index> labels() const;
  /// m: the estimated probability that this label is wrong: 0 where it was told, or 1 - p_vl; 1 without any label.
  Vector errors() const;
  /// The estimated share of the points whose label is wrong: the mean of errors(). Too small where the classes
  /// of a cluster are mixed, because the pruning is chosen by the same labels.
  double error() const { return errors().mean(); }
  /// An upper limit of that share: the points without a label times the upper limit of each cluster's share by its
  /// binomial distribution (Clopper and Pearson, one-sided), summed over clusters.
  double error_limit(double percent = 95) const;

  const ClusterTree& tree() const { return tree_; }
  Index told() const { return told_; }

 private:
  Index labels_in(Index node) const;
  Index most_frequent(Index node) const;
  double half_width(Index node, Index kind) const;
  double own_error(Index node) const;
  double split_error(Index node) const;
  void refine(Index node);

  ClusterTree tree_;
  Index kinds_;
  double factor_;
  Index told_ = 0;
  std::vector<std::vector<Index>> counts_;  // of the classes in each node; empty: no label yet
  std::vector<double> error_;               // of the best pruning below each node
  std::vector<char> in_pruning_;
  std::vector<Index> kind_;  // m: told, or -1
};

}  // namespace covary
