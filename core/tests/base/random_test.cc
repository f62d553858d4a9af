// Random numbers: fixed for a seed, with the distributions they claim.
#include "covary/base/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace covary::test::random_test {
namespace {

/// The 10000th draw of the 64-bit Mersenne twister with its default seed is in the C++ standard.
TEST(Random, IsTheMersenneTwister) {
  Random rng(5489);
  std::uint64_t last = 0;
  for (int i = 0; i < 10000; ++i) last = rng.fork();
  EXPECT_EQ(last, 9981545732273789042ULL);
}

TEST(Random, ASeedIsAStream) {
  Random a(7), b(7), c(8);
  for (int i = 0; i < 100; ++i) {
    const double v = a.normal();
    EXPECT_EQ(v, b.normal());
    EXPECT_NE(v, c.normal());
  }
}

TEST(Random, Moments) {
  Random rng(1);
  constexpr int n = 200000;
  double sum = 0, squares = 0, cubes = 0, uniform = 0, gamma = 0, gamma2 = 0;
  for (int i = 0; i < n; ++i) {
    const double z = rng.normal(), u = rng.uniform(), g = rng.gamma(2.5);
    ASSERT_TRUE(u >= 0 && u < 1);
    ASSERT_GE(g, 0);
    sum += z, squares += z * z, cubes += z * z * z, uniform += u, gamma += g, gamma2 += g * g;
  }
  const double error = 5 / std::sqrt(double(n));
  EXPECT_NEAR(sum / n, 0, error);
  EXPECT_NEAR(squares / n, 1, error * std::sqrt(2.0));
  EXPECT_NEAR(cubes / n, 0, error * std::sqrt(15.0));
  EXPECT_NEAR(uniform / n, 0.5, error * std::sqrt(1 / 12.0));
  EXPECT_NEAR(gamma / n, 2.5, error * std::sqrt(2.5));
  EXPECT_NEAR(gamma2 / n, 2.5 * 3.5, 4 * error * 2.5 * 3.5);
}

TEST(Random, MatricesAreFilledColumnByColumn) {
  Random a(3), b(3);
  const Matrix m = a.normal(4, 3);
  for (Index j = 0; j < 3; ++j)
    for (Index i = 0; i < 4; ++i) EXPECT_EQ(m(i, j), b.normal());
}

TEST(Random, Integers) {
  Random rng(4);
  std::vector<int> seen(6);
  for (int i = 0; i < 6000; ++i) ++seen[static_cast<size_t>(rng.integer(6))];
  for (const int s : seen) EXPECT_NEAR(s, 1000, 150);
}

TEST(Random, SubsetsAscendWithoutRepeats) {
  Random rng(5);
  std::vector<int> often(10);
  for (int i = 0; i < 2000; ++i) {
    const std::vector<Index> s = rng.subset(10, 4);
    ASSERT_EQ(s.size(), 4U);
    ASSERT_TRUE(std::is_sorted(s.begin(), s.end()));
    ASSERT_EQ(std::set<Index>(s.begin(), s.end()).size(), 4U);
    for (const Index k : s) ++often[static_cast<size_t>(k)];
  }
  for (const int o : often) EXPECT_NEAR(o, 800, 120);
  EXPECT_EQ(rng.subset(3, 10).size(), 3U);
  EXPECT_TRUE(rng.subset(0, 4).empty());
}

}  // namespace
}  // namespace covary::test::random_test
