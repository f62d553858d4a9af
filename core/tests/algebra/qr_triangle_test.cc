#include "covary/algebra/qr_triangle.h"

#include <Eigen/QR>

#include "support.h"

namespace covary::triangle_test {
namespace {

using test::near;
using test::random_points;

/// R'R, R'z and z'z + rest: what a triangle means, by the normal equations of small well-conditioned
/// problems.
void expect_means(const internal::Triangle& t, const Matrix& a, const Vector& b, double tolerance = 1e-12) {
  EXPECT_TRUE(near(t.r.transpose() * t.r, a.transpose() * a, tolerance));
  EXPECT_TRUE(near(t.r.transpose() * t.z, a.transpose() * b, tolerance));
  EXPECT_NEAR(t.z.squaredNorm() + t.rest, b.squaredNorm(), tolerance * b.squaredNorm());
  EXPECT_TRUE(t.r.isUpperTriangular(0));
  EXPECT_GE(t.r.diagonal().minCoeff(), 0);
}

TEST(Triangle, OfAnyShape) {
  for (const auto& [n, columns] : std::vector<std::pair<Index, Index>>{
           {1, 1}, {3, 7}, {7, 7}, {40, 3}, {1023, 5}, {1024, 5}, {1025, 5}, {40000, 3}, {700, 130}}) {
    const Matrix a = random_points(1, n, columns);
    const Vector b = random_points(2, n, 1);
    expect_means(internal::triangle(internal::row_blocks(a), b, internal::Triangle(columns)), a, b);
  }
}

TEST(Triangle, AnyPortionsMeanTheSame) {
  const Matrix a = random_points(3, 300, 12);
  const Vector b = random_points(4, 300, 1);
  for (const Index portion : {1, 2, 3, 50, 299}) {
    internal::Triangle t(12);
    for (Index i = 0; i < 300; i += portion) {
      const Index q = std::min<Index>(portion, 300 - i);
      t = t.with(a.middleRows(i, q), b.segment(i, q));
    }
    expect_means(t, a, b);
  }
}

TEST(Triangle, TheSameBitsOnAnyNumberOfThreads) {
  for (const Index columns : {4, 140}) {
    const Matrix a = random_points(5, 30000, columns);
    const Vector b = random_points(6, 30000, 1);
    const internal::Triangle one =
        internal::triangle(internal::row_blocks(a), b, internal::Triangle(columns), 1);
    const internal::Triangle two =
        internal::triangle(internal::row_blocks(a), b, internal::Triangle(columns), 2);
    EXPECT_TRUE(test::same_bits(one.r, two.r));
    EXPECT_TRUE(test::same_bits(one.z, two.z));
    EXPECT_EQ(one.rest, two.rest);
  }
}

TEST(Triangle, AColumnOfZeros) {
  Matrix a = random_points(7, 30, 4);
  a.col(1).setZero();
  const Vector b = random_points(8, 30, 1);
  expect_means(internal::triangle(internal::row_blocks(a), b, internal::Triangle(4)), a, b);
  internal::Triangle t(4);
  for (Index i = 0; i < 30; ++i) t = t.with(a.row(i), b.segment(i, 1));
  expect_means(t, a, b);
}

// Forming A'A would lose half the digits: 1e6 beside 1.
TEST(Triangle, AnOffsetCostsNothing) {
  Matrix a(200, 2);
  a << Vector::Constant(200, 1e6) + random_points(9, 200, 1), Vector::Ones(200);
  const Vector w = (Vector(2) << 2, -3).finished();
  const Vector b = a * w;
  const internal::Triangle t = internal::triangle(internal::row_blocks(a), b, internal::Triangle(2));
  EXPECT_NEAR(t.r.triangularView<Eigen::Upper>().solve(t.z)[0], 2, 1e-9);
}

TEST(Triangle, Scaled) {
  const Matrix a = random_points(10, 20, 3);
  const Vector b = random_points(11, 20, 1);
  expect_means(internal::triangle(internal::row_blocks(a), b, internal::Triangle(3)).scaled(0.5), 0.5 * a,
               0.5 * b);
}

}  // namespace
}  // namespace covary::triangle_test
