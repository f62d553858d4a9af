// Labels for all of a pool from the labels of a few of its rows, how many are wrong, and which rows to label next:
// hierarchical sampling (select/cluster_sampling.h).
//
//   LabelledPool all = label_pool(parse<Row>("se()"), x, labels, 3, {.count = 10});
//   all.labels[i], all.errors[i], all.error, all.limit, all.next[0].candidate
//
// The limit holds for labels drawn by all.next: it treats the labels inside a cluster as a random sample of the
// cluster.
#pragma once
#include "covary/kernels/kernel.h"
#include "covary/select/cluster_sampling.h"
#include "covary/select/selector.h"

namespace covary {

struct LabelPoolOptions {
  Index count = 0;         // rows to draw that are to be labelled next
  double factor = 2;       // b: a class is admissible if its error is at most b times what another's might be
  double percent = 95;     // of the upper limit
  std::uint64_t seed = 1;  // other rows are drawn as soon as there are more labels
  int threads = 0;
};

struct LabelledPool {
  std::vector<Index> labels;   // m: as given, or the most frequent class of the row's cluster
  Vector errors;               // m: the estimated probability that it is wrong; 0 where it was given
  std::vector<Index> cluster;  // m: of `clusters`
  std::vector<ClusterSampling::Cluster> clusters;
  double error = 0, limit = 0;  // share of wrong labels: estimated, and at most
  std::vector<Choice> next;     // in the order they were drawn
};

/// m rows; `labels` holds for each a class from 0 to kinds - 1, or -1 where there is none. Length-scales that the kernel
/// leaves open come from the columns' spreads. Throws Problem::data if fewer than `count` rows have no label. The cost of
/// the tree (select/cluster_tree.h), and O(m) for each label and each row drawn.
LabelledPool label_pool(const Kernel<Row>& kernel, const Rows& x, const std::vector<Index>& labels,
                        Index kinds, const LabelPoolOptions& options = {});

}  // namespace covary
