// Where choosing labels pays, and where it misleads: thresholds on a line, and a cluster that the first
// separator hides.
#include "demo/hidden_cluster.h"

#include <algorithm>

#include "covary/base/parallel.h"
#include "covary/select/selector.h"
#include "support.h"

namespace covary::hidden_cluster_test {
namespace {

/// Labels until two neighbors differ, both ends counted; class 1 begins at `edge`.
Index labels_needed(const std::string& strategy, const std::string& kernel, const Matrix& x, Index edge) {
  const Process<Row> prior(parse<Row>(kernel));
  Selector s(parse_strategy(strategy), pool_of<Row>(prior, x), {.kinds = 2});
  Index low = 0, high = x.rows() - 1, labels = 2;
  s.tell({low, high}, (Vector(2) << 0, 1).finished());
  for (; high - low > 1 && labels < 100; ++labels) {
    const Index chosen = s.suggest()[0].candidate;
    s.tell(chosen, double(chosen >= edge));
    (chosen >= edge ? high : low) = chosen;
  }
  return labels;
}

void expect_halving(Index n, int thresholds) {
  const Matrix x = Vector::LinSpaced(n, 0, 1);
  Random rng(5);
  const double most = std::log2(double(n)) + 4;
  for (int i = 0; i < thresholds; ++i) {
    const Index edge = 1 + rng.integer(n - 1);
    EXPECT_LE(double(labels_needed("svm-margin(penalty=1e14)", "linear(lengthscale=1)", x, edge)), most)
        << edge;
    EXPECT_LE(double(labels_needed("uncertainty", "matern12(lengthscale=1)", x, edge)), most) << edge;
  }
}

TEST(Thresholds, AreFoundByHalving) {
  expect_halving(1000, 20);
  expect_halving(10000, 5);
}
TEST(Thresholds, AreFoundByHalvingSlow) {
  expect_halving(100000, 5);
  expect_halving(1000000, 2);
}

std::vector<HiddenClusterRun> runs(const std::string& strategy, double random_share, Index repeats,
                                   Index budget = 100) {
  std::vector<HiddenClusterRun> out(static_cast<size_t>(repeats));
  internal::parallel_for(repeats, internal::threads_or_all(0), [&](Index i) {
    out[static_cast<size_t>(i)] = run(HiddenCluster(100 + std::uint64_t(i)), strategy, random_share, budget);
  });
  return out;
}

double share_wrong(const std::vector<HiddenClusterRun>& all) {
  return double(std::count_if(all.begin(), all.end(), [](const HiddenClusterRun& t) { return t.missed; })) /
         double(all.size());
}

/// The labels that a share of the runs is content with.
Index labels_for(double share, const std::vector<HiddenClusterRun>& all) {
  std::vector<Index> sorted;
  for (const HiddenClusterRun& t : all) sorted.push_back(t.until);
  std::sort(sorted.begin(), sorted.end());
  return sorted[static_cast<size_t>(share * double(sorted.size()))];
}

void expect_mended(Index repeats) {
  const std::vector<HiddenClusterRun> plain = runs("svm-margin(penalty=10)", 0, repeats);
  const std::vector<HiddenClusterRun> mended = runs("uncertainty(sd=1)", 0.2, repeats),
                                      random = runs("random", 0, repeats);
  EXPECT_GE(share_wrong(plain), 0.9);
  EXPECT_LE(share_wrong(mended), 0.05);
  EXPECT_LT(labels_for(0.5, mended), labels_for(0.5, random));
  EXPECT_LT(labels_for(0.95, mended), labels_for(0.95, random));
  const auto warned = std::count_if(plain.begin(), plain.end(),
                                    [](const HiddenClusterRun& t) { return !t.coverage.warnings.empty(); });
  EXPECT_GE(double(warned), 0.95 * double(repeats));
}

TEST(HiddenCluster, IsMissedByMarginsAndFoundByTheMend) { expect_mended(10); }
TEST(HiddenCluster, IsMissedByMarginsAndFoundByTheMendSlow) { expect_mended(200); }

/// Half of the pool is labelled: margins still pass the hidden cluster by, clusters cannot.
void expect_never_trapped(Index repeats) {
  const std::vector<HiddenClusterRun> clusters = runs("hierarchical", 0, repeats, 300);
  EXPECT_EQ(share_wrong(clusters), 0);
  for (const HiddenClusterRun& t : clusters) EXPECT_GT(t.found, 0);
  EXPECT_GE(share_wrong(runs("svm-margin(penalty=10)", 0, repeats, 300)), 0.5);
}

TEST(HiddenCluster, HierarchicalSamplingIsNeverTrapped) { expect_never_trapped(4); }
TEST(HiddenCluster, HierarchicalSamplingIsNeverTrappedSlow) { expect_never_trapped(200); }

/// Its draws have known probabilities: the risk is estimated without a random share.
TEST(HiddenCluster, TheRiskOfHierarchicalSamplingIsCoveredSlow) {
  const Index repeats = 400;
  double held = 0;
  for (const HiddenClusterRun& t : runs("hierarchical", 0, repeats, 100)) {
    const Risk r = risk(t.seen);
    held += double(r.lower <= t.truth && t.truth <= r.upper) / double(repeats);
  }
  EXPECT_GE(held, 0.95 - 3 * std::sqrt(0.95 * 0.05 / double(repeats)));
}

TEST(HiddenCluster, TheRiskIsCoveredOnceCorrectedSlow) {
  const Index repeats = 1000;
  double held = 0, naive = 0;
  for (const HiddenClusterRun& t : runs("uncertainty(sd=1)", 0.2, repeats)) {
    const Risk r = risk(t.seen);
    held += double(r.lower <= t.truth && t.truth <= r.upper) / double(repeats);
    naive += double(r.naive_lower <= t.truth && t.truth <= r.naive_upper) / double(repeats);
  }
  EXPECT_GE(held, 0.95 - 3 * std::sqrt(0.95 * 0.05 / double(repeats)));
  EXPECT_LT(naive, 0.5);
}

}  // namespace
}  // namespace covary::hidden_cluster_test
