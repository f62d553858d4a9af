// Repeated inputs: which rows are alike, and what merging keeps.
#include "covary/process/repeats.h"

#include <gtest/gtest.h>

#include <cmath>

#include "covary/kernels/stationary.h"
#include "support.h"

namespace covary::test::merge_test {
namespace {

TEST(Merge, AlikeMeansEveryBitButTheSignOfZero) {
  Matrix x(6, 2);
  x << 0.0, 1, -0.0, 1, 0, 1 + 1e-16, 0, 1 + 3e-16, 5, 5, 0.0, 1;
  EXPECT_EQ(internal::first_alike(x), (std::vector<Index>{0, 0, 0, 3, 4, 0})) << "1 + 1e-16 is 1";
}

/// The hash table says what comparing every pair would, through collisions too; -0 is 0.
TEST(Merge, FirstEqualRowsAreThoseOfAllPairs) {
  Random rng(5);
  for (const Index n : {0, 1, 2, 7, 300}) {
    Matrix x(n, 2);
    for (double& v : x.reshaped()) v = (rng.uniform() < 0.5 ? -1 : 1) * double(rng.integer(4));
    const std::vector<Index> first = internal::first_equal_rows(x);
    ASSERT_EQ(std::ssize(first), n);
    for (Index i = 0; i < n; ++i) {
      Index j = 0;
      while (x.row(j) != x.row(i)) ++j;
      EXPECT_EQ(first[static_cast<size_t>(i)], j) << i;
    }
  }
}

TEST(Merge, KeepsMeansCountsAndNoise) {
  const std::vector<Index> alike{0, 1, 0, 0, 1, 5};
  Vector y(6);
  y << 1, 10, 2, 6, 20, 7;
  const internal::MergedRows m = internal::merge(alike, y, Vector::Constant(6, 0.5));
  EXPECT_EQ(m.rows, (std::vector<Index>{0, 1, 5}));
  EXPECT_EQ(m.group, (std::vector<Index>{0, 1, 0, 0, 1, 2}));
  EXPECT_EQ(m.merged(), 3);
  EXPECT_TRUE(near(m.y, Eigen::Vector3d(3, 15, 7), 1e-15));
  EXPECT_TRUE(near(m.repeats, Eigen::Vector3d(3, 2, 1), 0));
  EXPECT_TRUE(near(m.noise, Eigen::Vector3d(0.5 / 3, 0.25, 0.5), 1e-15));
  EXPECT_NEAR(m.within, 4 + 1 + 9 + 25 + 25, 1e-13);
  EXPECT_NEAR(m.constant, m.constant_at(0.5), 1e-13);
}

TEST(Merge, WeighsByPrecision) {
  Vector y(2), v(2);
  y << 1, 4;
  v << 0.5, 2;
  const internal::MergedRows m = internal::merge({0, 0}, y, v);
  EXPECT_NEAR(m.y[0], (1 / 0.5 + 4 / 2.0) / (1 / 0.5 + 1 / 2.0), 1e-15);
  EXPECT_NEAR(m.noise[0], 1 / (1 / 0.5 + 1 / 2.0), 1e-15);
}

TEST(Merge, EqualObservationsStayExact) {
  const Vector y = Vector::Constant(3, 0.1 + 0.2);
  const internal::MergedRows m = internal::merge({0, 0, 0}, y, Vector::Zero(3));
  EXPECT_EQ(m.y[0], y[0]);
  EXPECT_EQ(m.within, 0);
  EXPECT_EQ(m.noise[0], 0);
}

TEST(Merge, AnExactObservationOutweighsNoisyOnes) {
  Vector y(3), v(3);
  y << 4, 1, 7;
  v << 0.5, 0, 0.25;
  const internal::MergedRows m = internal::merge({0, 0, 2}, y, v);
  EXPECT_EQ(m.y[0], 1);
  EXPECT_EQ(m.noise[0], 0);
  EXPECT_EQ(m.noise[1], 0.25);
  EXPECT_NEAR(m.constant, log_density(4, 1, 0.5), 1e-14) << "given f = 1, the noisy one is independent";
}

TEST(Merge, VariancesOfAnySize) {
  for (const double v : {5e-324, 1e-320, 1e-300, 1e300}) {
    const internal::MergedRows m =
        internal::merge({0, 0, 2}, Eigen::Vector3d(2, 2, 3), Vector::Constant(3, v));
    EXPECT_EQ(m.y[0], 2) << v;
    EXPECT_NEAR(m.noise[0], v / 2, 1e-15 * v + 5e-324) << v;
    EXPECT_EQ(m.noise[1], v) << v;
  }
  const internal::MergedRows m =
      internal::merge({0, 0}, Eigen::Vector2d(1, 2), Eigen::Vector2d(1e300, 1e-300));
  EXPECT_EQ(m.y[0], 2);
  EXPECT_EQ(m.noise[0], 1e-300);
}

TEST(Merge, NothingToMergeAddsNothing) {
  const internal::MergedRows m = internal::merge({0, 1, 2}, Vector::Random(3), Vector::Constant(3, 0.1));
  EXPECT_EQ(m.constant, 0);
  EXPECT_EQ(m.constant_at(0.3), 0);
}

/// The evidence and the predictions of merged rows are those of the full n x n algebra.
TEST(Merge, EqualsTheUnmergedAlgebra) {
  const Matrix x = join(with_repeats(random_points(31, 12, 2), 5), random_points(31, 2, 2)),
               at = random_points(32, 9, 2);
  const Vector y = random_targets(33, x);
  const Kernel<Row> k = parse<Row>("1.3 * matern32([0.8, 1.5])");
  Vector common = Vector::Constant(y.size(), 0.07), each(y.size());
  Random rng(34);
  for (double& v : each) v = 0.02 + rng.uniform();
  for (const Vector& v : {common, each}) {
    const Noise noise = v == common ? Noise::of(0.07) : Noise::rows(v.cwiseSqrt());
    const Process<Row> p = Process<Row>(k, {}, noise).condition(x, y);
    EXPECT_LT(p.distinct(), p.size());
    const Matrix full = covariance(k, x, v), inverse = inverse_of(full), cross = k.cross(at, x);
    EXPECT_NEAR(p.log_evidence(), log_density(y, full), 1e-11 * std::abs(p.log_evidence()));
    EXPECT_TRUE(near(p.mean(at), cross * inverse * y, 1e-12));
    EXPECT_TRUE(near(p.joint(at).covariance(), k.cross(at, at) - cross * inverse * cross.transpose(), 1e-12));
  }
}

}  // namespace
}  // namespace covary::test::merge_test
