// Labels for all of a table: what was given stays, what was drawn is right to its limit, and mistakes are named.
#include "covary/design/label_pool.h"

#include <set>

#include "support.h"

namespace covary::test::label_pool_test {
namespace {

/// 240 rows in three groups, a class each.
struct Table {
  Matrix x = random_points(1, 240, 2);
  std::vector<Index> truth;
  Table() {
    for (Index i = 0; i < 240; ++i)
      truth.push_back(i % 3), x(i, 0) += i % 3 == 1 ? 8 : 0, x(i, 1) += i % 3 == 2 ? 8 : 0;
  }
};

LabelledPool labelled(const Table& t, const std::vector<Index>& labels, const LabelPoolOptions& o = {}) {
  return label_pool(parse<Row>("se()"), t.x, labels, 3, o);
}

TEST(LabelPool, ALoopOfDrawingAndLabellingLabelsTheTable) {
  const Table t;
  std::vector<Index> labels(240, -1);
  LabelledPool all = labelled(t, labels, {.count = 6});
  EXPECT_EQ(all.error, 1);
  EXPECT_EQ(all.limit, 1);
  for (int round = 0; round < 8; ++round) {
    std::set<Index> drawn;
    for (const Choice& c : all.next) {
      EXPECT_TRUE(drawn.insert(c.candidate).second);
      EXPECT_EQ(labels[size_t(c.candidate)], -1);
      EXPECT_GT(c.probability, 0);
      labels[size_t(c.candidate)] = t.truth[size_t(c.candidate)];
    }
    all = labelled(t, labels, {.count = 6});
    for (size_t i = 0; i < 240; ++i) EXPECT_TRUE(labels[i] < 0 || all.labels[i] == labels[i]) << i;
  }
  EXPECT_EQ(all.labels, t.truth);
  EXPECT_LT(all.limit, 0.3);
  EXPECT_NEAR(all.error, all.errors.mean(), 1e-15);
  EXPECT_EQ(labelled(t, t.truth).limit, 0);
}

TEST(LabelPool, TheSameSeedTheSameRowsOtherLabelsOtherRows) {
  const Table t;
  std::vector<Index> labels(240, -1);
  const auto next = [&](std::uint64_t seed) {
    std::vector<Index> out;
    for (const Choice& c : labelled(t, labels, {.count = 10, .seed = seed}).next) out.push_back(c.candidate);
    return out;
  };
  const std::vector<Index> first = next(1);
  EXPECT_EQ(first, next(1));
  EXPECT_NE(first, next(2));
  labels[7] = 1;
  EXPECT_NE(first, next(1));
}

TEST(LabelPool, Mistakes) {
  const Table t;
  std::vector<Index> labels(240, 0);
  labels[3] = -1;
  EXPECT_EQ(error_of([&] { labelled(t, labels, {.count = 2}); }, Problem::data),
            "2 rows to label were asked for, 1 row has no label");
  labels[3] = 3;
  EXPECT_EQ(error_of([&] { labelled(t, labels); }, Problem::data), "expected a class from 0 to 2, found 3");
  labels.pop_back();
  EXPECT_THROW(labelled(t, labels), Error);
}

}  // namespace
}  // namespace covary::test::label_pool_test
