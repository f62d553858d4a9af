#include "inference/neighbor_tree.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support.h"

namespace covary::test::neighbor_tree_test {
namespace {

using internal::NeighborTree;

double squared(const NeighborTree& t, Index columns, Index i, Index j) {
  double s = 0;
  for (Index c = 0; c < columns; ++c) s += (t.point(i)[c] - t.point(j)[c]) * (t.point(i)[c] - t.point(j)[c]);
  return s;
}

/// Every pair looked at.
std::vector<std::int32_t> nearest(const NeighborTree& t, Index columns, Index i, Index most) {
  std::vector<std::pair<double, std::int32_t>> all;
  for (Index j = 0; j < t.size(); ++j)
    if (t.position()[static_cast<size_t>(j)] < t.position()[static_cast<size_t>(i)])
      all.emplace_back(squared(t, columns, i, j), std::int32_t(j));
  std::sort(all.begin(), all.end());
  std::vector<std::int32_t> out;
  for (Index k = 0; k < std::min<Index>(most, std::ssize(all)); ++k)
    out.push_back(all[static_cast<size_t>(k)].second);
  return out;
}

TEST(NeighborTree, FindsTheNearestOfThoseBeforeEachPoint) {
  Matrix grid(400, 2);  // many at the same distance
  for (Index i = 0; i < 400; ++i) grid.row(i) << double(i % 20), double(i / 20);
  for (const Matrix& z :
       {random_points(1, 700, 1), random_points(2, 700, 2), random_points(3, 300, 6), grid}) {
    const NeighborTree t(z, 1);
    NeighborTree::Found found;
    for (Index i = 0; i < t.size(); ++i) {
      t.search(t.point(i), t.position()[static_cast<size_t>(i)], 12, 1000000, found);
      std::vector<std::int32_t> places;
      for (const auto& [distance, place] : found.nearest) places.push_back(place);
      ASSERT_EQ(places, nearest(t, z.cols(), i, 12)) << i;
    }
  }
}

TEST(NeighborTree, KeepsEveryPointOnceWithAPositionOfItsOwn) {
  const Matrix z = random_points(1, 5001, 3);
  const NeighborTree one(z, 1), two(z, 2);
  std::vector<std::int32_t> rows = one.row(), positions = one.position();
  EXPECT_EQ(rows, two.row());
  EXPECT_EQ(positions, two.position());
  std::sort(rows.begin(), rows.end()), std::sort(positions.begin(), positions.end());
  for (std::int32_t i = 0; i < 5001; ++i)
    ASSERT_TRUE(rows[static_cast<size_t>(i)] == i && positions[static_cast<size_t>(i)] == i);
}

/// The first k points cover all of them: the farthest point is nearer to one of them than to one of k drawn at random.
TEST(NeighborTree, ItsOrderGoesFromCoarseToFine) {
  const Matrix z = random_points(1, 4096, 2);
  const NeighborTree t(z, 1);
  for (const Index first : {15, 63, 255}) {
    std::vector<Index> places;
    for (Index i = 0; i < t.size(); ++i)
      if (t.position()[static_cast<size_t>(i)] < first) places.push_back(i);
    const auto farthest = [&](const std::vector<Index>& some) {
      double most = 0;
      for (Index i = 0; i < t.size(); ++i) {
        double least = std::numeric_limits<double>::infinity();
        for (const Index j : some) least = std::min(least, squared(t, 2, i, j));
        most = std::max(most, least);
      }
      return std::sqrt(most);
    };
    double drawn = 0;  // mean over sets
    for (std::uint64_t seed = 1; seed <= 10; ++seed) drawn += farthest(Random(seed).subset(4096, first)) / 10;
    EXPECT_LT(farthest(places), 0.8 * drawn) << first << " " << farthest(places) / drawn;
  }
}

/// In the order of greatest distances no two of the first k are nearer to each other than the farthest point is to the
/// nearest of them; this one is not far from that.
TEST(NeighborTree, TheFirstPointsStandApart) {
  const Matrix z = random_points(1, 4096, 2);
  const NeighborTree t(z, 1);
  for (const Index first : {15, 63, 255, 1023}) {
    std::vector<Index> places;
    for (Index i = 0; i < t.size(); ++i)
      if (t.position()[static_cast<size_t>(i)] < first) places.push_back(i);
    double apart = std::numeric_limits<double>::infinity(), farthest = 0;
    for (Index i = 0; i < t.size(); ++i) {
      double least = std::numeric_limits<double>::infinity();
      for (const Index j : places)
        if (i != j) least = std::min(least, squared(t, 2, i, j));
      if (t.position()[static_cast<size_t>(i)] < first)
        apart = std::min(apart, least);
      else
        farthest = std::max(farthest, least);
    }
    EXPECT_GT(std::sqrt(apart / farthest), 0.3) << first;
  }
}

TEST(NeighborTree, TakesPointsThatAreAllAlikeAndNone) {
  const NeighborTree same(Matrix::Constant(100, 2, 1.5), 1), none(Matrix(0, 2), 1);
  NeighborTree::Found found;
  same.search(same.point(0), 100, 7, 1000, found);
  EXPECT_EQ(found.nearest.size(), 7);
  EXPECT_EQ(none.size(), 0);
}

}  // namespace
}  // namespace covary::test::neighbor_tree_test
