// Hierarchical sampling: its prunings hold every point once and are only refined, and what it says of its errors holds.
#include "covary/select/cluster_sampling.h"

#include <cmath>

#include "covary/select/pool.h"
#include "support.h"

namespace covary::test::cluster_sampling_test {
namespace {

/// m points of a few groups in the plane; some labels are of another class than the rest of their group.
struct Groups {
  Matrix x;
  std::vector<Index> kind;
  Groups(std::uint64_t seed, Index m, Index groups, Index kinds, double mixed) : x(m, 2) {
    Random rng(seed);
    Matrix middle(groups, 2);  // on a circle, wide apart
    for (Index g = 0; g < groups; ++g)
      middle.row(g) << 12 * std::cos(6.2832 * double(g) / double(groups)),
          12 * std::sin(6.2832 * double(g) / double(groups));
    for (Index i = 0; i < m; ++i) {
      const Index g = rng.integer(groups);
      x.row(i) = middle.row(g) + rng.normal(1, 2);
      kind.push_back(rng.uniform() < mixed ? rng.integer(kinds) : g % kinds);
    }
  }
  ClusterSampling sampling(Index kinds) const {
    const Pool pool = pool_of<Row>(Process<Row>(parse<Row>("se(lengthscale=5)")), x);
    return {ClusterTree(pool, 2000, 1), kinds};
  }
  double wrong(const ClusterSampling& s) const {
    double n = 0;
    const std::vector<Index> labels = s.labels();
    for (size_t i = 0; i < kind.size(); ++i) n += labels[i] != kind[i];
    return n / double(kind.size());
  }
};

Index draw(const Vector& chances, Random& rng) {
  double u = rng.uniform();
  Index i = 0, last = 0;
  for (; i < chances.size() && u >= 0; ++i)
    if (chances[i] > 0) last = i, u -= chances[i];
  return last;
}

void label(ClusterSampling& s, const Groups& g, Random& rng, Index labels) {
  for (Index i = 0; i < labels; ++i) {
    const Index point = draw(s.chances(), rng);
    s.tell(point, g.kind[static_cast<size_t>(point)]);
  }
}

TEST(ClusterSampling, PruningsHoldEveryPointOnceAndAreOnlyRefined) {
  const Groups g(1, 300, 5, 3, 0.1);
  ClusterSampling s = g.sampling(3);
  Random rng(1);
  std::vector<Index> before{s.tree().root()};
  for (int round = 0; round < 300; ++round) {
    label(s, g, rng, 1);
    Index points = 0, labels = 0;
    std::vector<Index> now;
    for (const ClusterSampling::Cluster& c : s.clusters()) {
      points += c.size, labels += c.labels;
      now.push_back(c.node);
      Index v = c.node;
      while (v >= 0 && std::count(before.begin(), before.end(), v) == 0) v = s.tree().parent(v);
      EXPECT_GE(v, 0) << "cluster " << c.node << " is in none of those before";
    }
    EXPECT_EQ(points, 300);
    EXPECT_EQ(labels, round + 1);
    before = now;
  }
  EXPECT_GT(before.size(), 4u);
  EXPECT_EQ(g.wrong(s), 0);
  EXPECT_EQ(s.error(), 0);
  EXPECT_EQ(s.error_limit(), 0);
}

TEST(ClusterSampling, EveryPointWithoutALabelCanBeDrawn) {
  const Groups g(2, 200, 4, 2, 0.2);
  ClusterSampling s = g.sampling(2);
  Random rng(2);
  for (int round = 0; round < 20; ++round) {
    label(s, g, rng, 5);
    const Vector p = s.chances({7, 11});
    EXPECT_NEAR(p.sum(), 1, 1e-12);
    EXPECT_EQ((p.array() == 0).count(),
              s.told() + 2 - Index(s.chances()[7] == 0) - Index(s.chances()[11] == 0));
    EXPECT_EQ(p[7] + p[11], 0);
  }
}

/// Pure groups: a few labels in each, and all is known.
TEST(ClusterSampling, LabelsPureGroupsWithFewLabels) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Groups g(100 + seed, 400, 4, 4, 0);
    ClusterSampling s = g.sampling(4);
    Random rng(seed);
    label(s, g, rng, 60);
    EXPECT_LE(g.wrong(s), 0.05) << seed;
  }
}

/// The limit of 95 % holds whether clusters are pure or mixed. The estimate is right for pure ones, and too small for
/// mixed ones: the pruning is chosen by the labels that it is estimated from.
TEST(ClusterSampling, TheErrorIsBelowItsLimit) {
  const int repeats = 100;
  for (const double mixed : {0.0, 0.2, 1.0}) {
    int held = 0;
    double estimate = 0, truth = 0;
    for (int r = 0; r < repeats; ++r) {
      const Groups g(1000 + std::uint64_t(r), 200, 6, 2, mixed);
      ClusterSampling s = g.sampling(2);
      Random rng{std::uint64_t(r)};
      label(s, g, rng, 50);
      held += g.wrong(s) <= s.error_limit();
      estimate += s.error() / repeats, truth += g.wrong(s) / repeats;
    }
    EXPECT_GE(held, 95) << mixed;
    if (mixed == 0)
      EXPECT_NEAR(estimate, truth, 0.05);
    else
      EXPECT_LT(estimate, truth) << mixed;
  }
}

TEST(ClusterSampling, ALimitOfOneClusterIsClopperAndPearsons) {
  const Matrix x = random_points(3, 40, 2);
  const Pool pool = pool_of<Row>(Process<Row>(parse<Row>("se(lengthscale=1)")), x);
  ClusterSampling s(ClusterTree(pool), 2);
  EXPECT_EQ(s.error_limit(), 1);
  for (Index i = 0; i < 10; ++i) s.tell(i, 1);  // one class: the root is pure
  ASSERT_EQ(s.clusters().size(), 1u);
  EXPECT_NEAR(s.error_limit(), 30.0 / 40 * (1 - std::pow(0.05, 0.1)), 1e-12);
  EXPECT_NEAR(s.clusters()[0].lower, 0.9, 1e-12);
  s.tell(0, 0);  // told before: not counted
  EXPECT_EQ(s.told(), 10);
  EXPECT_EQ(s.labels(), std::vector<Index>(40, 1));
}

TEST(ClusterSampling, Mistakes) {
  const Groups g(4, 20, 2, 2, 0);
  ClusterSampling s = g.sampling(2);
  EXPECT_EQ(error_of([&] { s.tell(20, 0); }, Problem::usage), "expected a point from 0 to 19, found 20");
  EXPECT_EQ(error_of([&] { s.tell(0, 2); }, Problem::data), "expected a class from 0 to 1, found 2");
  EXPECT_EQ(error_of([&] { g.sampling(1); }, Problem::usage), "there must be 2 classes or more, found 1");
  EXPECT_EQ(error_of([&] { ClusterSampling(s.tree(), 2, 1); }, Problem::usage),
            "factor must be a number over 1, found 1");
}

}  // namespace
}  // namespace covary::test::cluster_sampling_test
