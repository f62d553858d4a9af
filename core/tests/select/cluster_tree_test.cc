// The cluster tree is Ward's: against a search over all pairs, and by what its joins add to the sum of squares.
#include "covary/select/cluster_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "covary/select/pool.h"
#include "support.h"

namespace covary::test::cluster_tree_test {
namespace {

Covariances of(const std::string& kernel, const Matrix& x) {
  return pool_of<Row>(Process<Row>(parse<Row>(kernel)), x);
}

std::vector<Index> points_of(const ClusterTree& t, Index node) {
  const auto first = t.order().begin() + t.first(node);
  std::vector<Index> out(first, first + t.size(node));
  std::sort(out.begin(), out.end());
  return out;
}

/// Sum of squared distances to the mean: sum_ij d^2_ij / (2 n).
double spread(const Covariances& k, const std::vector<Index>& some) {
  const Matrix g = internal::among(k, some, some);
  return g.trace() - g.sum() / double(some.size());
}

/// Three wide apart, of 100 points each, in turn.
Matrix three_groups(Index each) {
  Matrix x = Random(3).normal(3 * each, 2);
  for (Index i = 0; i < x.rows(); ++i) x(i, 0) += 20 * double(i % 3);
  return x;
}

void expect_a_tree(const ClusterTree& t, Index m) {
  ASSERT_EQ(t.points(), m);
  ASSERT_EQ(t.nodes(), 2 * m - 1);
  EXPECT_EQ(points_of(t, t.root()), internal::all_indices(m));
  EXPECT_EQ(t.parent(t.root()), -1);
  for (Index v = 0; v < t.nodes(); ++v) {
    if (t.is_point(v)) {
      EXPECT_EQ(points_of(t, v), std::vector<Index>{v});
      continue;
    }
    EXPECT_LT(std::max(t.left(v), t.right(v)), v);
    EXPECT_EQ(t.parent(t.left(v)), v);
    EXPECT_EQ(t.parent(t.right(v)), v);
    std::vector<Index> both = points_of(t, t.left(v)), right = points_of(t, t.right(v));
    both.insert(both.end(), right.begin(), right.end());
    std::sort(both.begin(), both.end());
    EXPECT_EQ(both, points_of(t, v));
  }
}

TEST(ClusterTree, JoinsWhatAddsLeastToTheSumOfSquares) {
  const Matrix x = random_points(1, 24, 3);
  for (const char* kernel : {"linear(lengthscale=1)", "se(lengthscale=1.5)"}) {
    const Covariances k = of(kernel, x);
    std::vector<std::vector<Index>> clusters;
    for (Index i = 0; i < 24; ++i) clusters.push_back({i});
    std::set<std::vector<Index>> expected(clusters.begin(), clusters.end());
    while (clusters.size() > 1) {
      double least = std::numeric_limits<double>::infinity();
      size_t a = 0, b = 0;
      for (size_t i = 0; i < clusters.size(); ++i)
        for (size_t j = i + 1; j < clusters.size(); ++j) {
          std::vector<Index> both = clusters[i];
          both.insert(both.end(), clusters[j].begin(), clusters[j].end());
          const double more = spread(k, both) - spread(k, clusters[i]) - spread(k, clusters[j]);
          if (more < least) least = more, a = i, b = j;
        }
      clusters[a].insert(clusters[a].end(), clusters[b].begin(), clusters[b].end());
      std::sort(clusters[a].begin(), clusters[a].end());
      expected.insert(clusters[a]);
      clusters.erase(clusters.begin() + std::ptrdiff_t(b));
    }
    const ClusterTree t(k);
    std::set<std::vector<Index>> found;
    for (Index v = 0; v < t.nodes(); ++v) found.insert(points_of(t, v));
    EXPECT_EQ(found, expected) << kernel;
  }
}

TEST(ClusterTree, HeightsAreWhatJoinsAdd) {
  const Matrix x = random_points(2, 150, 2);
  const Covariances k = of("se(lengthscale=0.7)", x);
  const ClusterTree t(k);
  expect_a_tree(t, 150);
  for (Index v = 150; v < t.nodes(); ++v) {
    const double more =
        spread(k, points_of(t, v)) - spread(k, points_of(t, t.left(v))) - spread(k, points_of(t, t.right(v)));
    EXPECT_NEAR(t.height(v), more, 1e-10);
    const double above = t.parent(v) < 0 ? std::numeric_limits<double>::infinity() : t.height(t.parent(v));
    EXPECT_LE(t.height(v), above * (1 + 1e-12));
  }
}

TEST(ClusterTree, GroupsWideApartAreNodesInSmallAndLargePools) {
  const Matrix x = three_groups(1000);
  const Covariances k = of("linear(lengthscale=1)", x);
  for (const Index most : {3000, 600, 50}) {  // exact; landmarks with exact groups; groups cut again
    const ClusterTree t(k, most);
    expect_a_tree(t, 3000);
    for (Index g = 0; g < 3; ++g) {
      Index v = g;
      while (t.size(v) < 1000) v = t.parent(v);
      ASSERT_EQ(t.size(v), 1000) << most;
      for (const Index i : points_of(t, v)) EXPECT_EQ(i % 3, g);
    }
  }
}

TEST(ClusterTree, EqualPointsMakeAFlatTree) {
  Matrix x = Matrix::Ones(5000, 2);
  for (const Index distinct : {0, 40}) {
    x.topRows(distinct) = random_points(4, distinct, 2);
    const ClusterTree t(of("se(lengthscale=1)", x), 100);
    expect_a_tree(t, 5000);
    Index deepest = 0;
    for (Index i = 100; i < 5000; ++i) {
      Index depth = 0;
      for (Index v = i; v >= 0; v = t.parent(v)) ++depth;
      deepest = std::max(deepest, depth);
    }
    EXPECT_LE(deepest, 60);
  }
}

TEST(ClusterTree, TheSameOnAnyNumberOfThreads) {
  const Matrix x = random_points(5, 900, 3);
  const Covariances k = of("se(lengthscale=1)", x);
  for (const Index most : {900, 100}) {
    const ClusterTree one(k, most, 1), four(k, most, 4);
    EXPECT_EQ(one.order(), four.order());
    for (Index v = 0; v < one.nodes(); ++v) EXPECT_EQ(one.height(v), four.height(v));
  }
}

TEST(ClusterTree, OneAndTwoPointsAndMistakes) {
  const Matrix x = random_points(6, 2, 1);
  expect_a_tree(ClusterTree(of("se(lengthscale=1)", x)), 2);
  expect_a_tree(ClusterTree(of("se(lengthscale=1)", x.topRows(1))), 1);
  EXPECT_EQ(error_of([] { ClusterTree{Covariances{}}; }, Problem::data),
            "a tree of clusters needs 1 point or more, found none");
  EXPECT_EQ(error_of([&] { ClusterTree(of("se(lengthscale=1)", x), 1); }, Problem::usage),
            "an exact tree of clusters has 2 points or more, found 1");
}

}  // namespace
}  // namespace covary::test::cluster_tree_test
