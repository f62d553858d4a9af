// Hyperplane hashing: what it finds is near, its distances are right, and buckets tell angles.
#include "covary/select/hyperplane_hash.h"

#include <cmath>
#include <set>

#include "support.h"

namespace covary::test::hyperplane_hash_test {
namespace {

/// Points with a spread of 1/j in direction j.
Matrix points(std::uint64_t seed, Index m, Index d) {
  Matrix x = random_points(seed, m, d);
  for (Index j = 0; j < d; ++j) x.col(j) /= double(j + 1);
  return x;
}

TEST(HyperplaneHash, LooksAtAsManyAsItWasToldAndNoneTwice) {
  const Matrix x = points(1, 5000, 8);
  const HyperplaneHash hash(x, {.bits = 7, .look = 300});
  Random rng(2);
  for (int t = 0; t < 20; ++t) {
    const Vector w = rng.normal(8, 1);
    const HyperplaneHash::Found f = hash.nearest(w);
    EXPECT_GE(std::ssize(f.points), 300);
    EXPECT_LT(std::ssize(f.points), 2500);
    EXPECT_EQ(std::set<Index>(f.points.begin(), f.points.end()).size(), f.points.size());
    double least = 1e9;
    for (size_t k = 0; k < f.points.size(); ++k) {
      const double own = x.row(f.points[k]).dot(w);
      EXPECT_NEAR(f.products[Index(k)], own, 1e-5);
      least = std::min(least, std::abs(own));
    }
    EXPECT_NEAR(std::abs(x.row(f.best).dot(w)), least, 1e-6);
  }
}

TEST(HyperplaneHash, LookingAtAllIsTheScan) {
  const Matrix x = points(3, 700, 5);
  const HyperplaneHash hash(x, {.bits = 5, .look = 700});
  const Vector w = Random(4).normal(5, 1);
  const HyperplaneHash::Found f = hash.nearest(w);
  EXPECT_EQ(std::ssize(f.points), 700);
  Index best = 0;
  (x * w).cwiseAbs().minCoeff(&best);
  EXPECT_EQ(f.best, best);
}

// Points at a small angle to the hyperplane are met more often than others, and more often than by chance.
TEST(HyperplaneHash, PrefersPointsNearTheHyperplane) {
  const Matrix x = points(5, 20000, 10);
  const HyperplaneHash hash(x, {.bits = 10, .look = 400});
  Random rng(6);
  double met = 0, looked = 0;
  for (int t = 0; t < 40; ++t) {
    const Vector w = rng.normal(10, 1);
    const Vector sine = (x * w).cwiseAbs().cwiseQuotient(x.rowwise().norm());
    std::vector<double> sorted(sine.begin(), sine.end());
    std::nth_element(sorted.begin(), sorted.begin() + 200, sorted.end());
    for (const Index i : hash.nearest(w).points) met += sine[i] <= sorted[200], looked += 1;
  }
  EXPECT_GT(met / looked, 1.3 * 0.01);
}

TEST(HyperplaneHash, OnlyOpenPointsAreFound) {
  const Matrix x = points(7, 400, 3);
  const HyperplaneHash hash(x, {.bits = 3, .look = 50});
  const Vector w = Random(8).normal(3, 1);
  const HyperplaneHash::Found f = hash.nearest(w, [](Index i) { return i % 7 == 3; });
  EXPECT_GE(std::ssize(f.points), 50);
  for (const Index i : f.points) EXPECT_EQ(i % 7, 3);
  EXPECT_EQ(hash.nearest(w, [](Index) { return false; }).best, -1);
}

TEST(HyperplaneHash, TheSameSeedTheSameBuckets) {
  const Matrix x = points(9, 1000, 4);
  const Vector w = Random(10).normal(4, 1);
  const HyperplaneHash a(x, {.bits = 6, .seed = 5, .threads = 1}), b(x, {.bits = 6, .seed = 5, .threads = 4});
  EXPECT_EQ(a.nearest(w).points, b.nearest(w).points);
}

TEST(HyperplaneHash, MistakesAreNamed) {
  const Matrix x = points(11, 100, 4);
  EXPECT_NE(error_of([&] { HyperplaneHash(x, {.bits = 25}); }, Problem::usage).find("1 to 24 bits, found 25"),
            std::string::npos);
  const HyperplaneHash hash(x);
  EXPECT_NE(error_of([&] { hash.nearest(Vector::Ones(3)); }, Problem::usage).find("4 numbers, found 3"),
            std::string::npos);
}

}  // namespace
}  // namespace covary::test::hyperplane_hash_test
