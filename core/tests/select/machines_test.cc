#include "covary/select/machines.h"

#include "support.h"

namespace covary::machines_test {
namespace {

/// 60 candidates of the plane in three groups.
struct Groups {
  Matrix x = Random(1).normal(60, 2);
  std::vector<Index> kind = std::vector<Index>(60);
  Process<Row> p{parse<Row>("se(lengthscale=1.5)"), zero_mean<Row>(), Noise::of(0.01)};
  Pool pool;
  Groups() {
    for (Index i = 0; i < 60; ++i) {
      kind[static_cast<size_t>(i)] = i % 3;
      x.row(i) *= 0.5;
      x(i, 0) += 4.0 * double(i % 3);
    }
    pool = pool_of<Row>(p, x);
  }
  Matrix decision(const internal::Machines& m) const {
    return m.decision(60, [&](const std::vector<Index>& some) { return pool.block({0, 60}, some); });
  }
  /// The first n labels; with `merged`, of classes 0 and 1 only.
  void train(internal::Machines& m, Index n, Index kinds, bool anew = false) const {
    std::vector<Index> classes;
    for (Index i = 0; i < n; ++i) classes.push_back(std::min(kind[static_cast<size_t>(i)], kinds - 1));
    m.train(pool, internal::all_indices(n), classes, kinds, anew);
  }
};

TEST(Machines, TwoClassesAreOneSeparator) {
  const Groups g;
  internal::Machines m({.penalty = 10, .threads = 1});
  g.train(m, 30, 2);
  ASSERT_EQ(m.count(), 1);
  const Matrix k = g.pool.among(internal::all_indices(30), internal::all_indices(30));
  Vector labels(30);
  for (Index i = 0; i < 30; ++i) labels[i] = i % 3 ? 1 : -1;
  const internal::Separator s = internal::separate(k, labels, {.penalty = 10, .threads = 1});
  const Matrix f = g.decision(m);
  EXPECT_TRUE(test::near(f.col(1), decision(s, g.pool.among(internal::all_indices(60), s.support)), 1e-6));
  EXPECT_EQ(f.col(0), -f.col(1));
}

TEST(Machines, SeveralClassesAreFoundAgain) {
  const Groups g;
  internal::Machines m({.penalty = 10, .threads = 1});
  g.train(m, 30, 3);
  EXPECT_EQ(m.count(), 3);
  EXPECT_EQ(internal::winners(g.decision(m)), g.kind);
}

TEST(Machines, OneLabelAtATimeIsAllAtOnce) {
  const Groups g;
  internal::Machines one({.penalty = 10, .threads = 1}), all({.penalty = 10, .threads = 1});
  for (Index n = 0; n <= 30; ++n) g.train(one, n, 3);
  g.train(all, 30, 3);
  EXPECT_TRUE(test::near(g.decision(one), g.decision(all), 1e-5));
  g.train(one, 30, 3, true);
  EXPECT_TRUE(test::same_bits(g.decision(one), g.decision(all)));
}

TEST(Machines, BeforeThereAreTwoClasses) {
  const Groups g;
  internal::Machines m;
  m.train(g.pool, {}, {}, 2);
  EXPECT_FALSE(m.any());
  EXPECT_EQ(g.decision(m), Matrix::Constant(60, 2, -1));
  m.train(g.pool, {0, 3}, {0, 0}, 2);
  EXPECT_FALSE(m.any());
  EXPECT_EQ(internal::winners(g.decision(m)), std::vector<Index>(60, 0));
  m.train(g.pool, {0, 3, 1}, {0, 0, 1}, 2);
  EXPECT_TRUE(m.any());
}

TEST(Machines, AClassWithoutALabelIsNeverForeseen) {
  const Groups g;
  internal::Machines m({.penalty = 10, .threads = 1});
  m.train(g.pool, {0, 1, 3, 4}, {0, 1, 0, 1}, 3);
  EXPECT_FALSE(m.machine(2));
  for (const Index w : internal::winners(g.decision(m))) EXPECT_NE(w, 2);
}

TEST(Machines, ForgetsWhatIsTrainedAnewWithoutLabels) {
  const Groups g;
  internal::Machines m;
  g.train(m, 30, 2);
  m.train(g.pool, {}, {}, 2);
  EXPECT_FALSE(m.any());
}

TEST(Winners, TheFirstOfEquals) {
  EXPECT_EQ(internal::winners((Matrix(2, 3) << 1, 1, 0, 0, 2, 2).finished()), (std::vector<Index>{0, 1}));
}

}  // namespace
}  // namespace covary::machines_test
