#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "covary/kernels/stationary.h"
#include "support.h"

namespace covary::wendland_test {
namespace {

using namespace covary::test;

double at(const Kernel<Row>& k, double r, Index d) {
  Matrix a = Matrix::Zero(1, d), b = a;
  b(0, 0) = r;
  return k.cross(a, b)(0, 0);
}

/// The forms that textbooks print for one and for three columns [rasmussen2006, 4.21].
TEST(Wendland, IsThePiecewisePolynomial) {
  const Kernel<Row> once = wendland(Vector::Constant(1, 2.0), 1),
                    twice = wendland(Vector::Constant(1, 2.0), 2);
  for (const double r : {0.0, 0.1, 0.5, 0.9}) {
    EXPECT_NEAR(at(once, 2 * r, 1), std::pow(1 - r, 3) * (3 * r + 1), 1e-15);
    EXPECT_NEAR(at(twice, 2 * r, 1), std::pow(1 - r, 5) * (8 * r * r + 5 * r + 1), 1e-15);
    EXPECT_NEAR(at(once, 2 * r, 3), std::pow(1 - r, 4) * (4 * r + 1), 1e-15);
    EXPECT_NEAR(at(twice, 2 * r, 3), std::pow(1 - r, 6) * (35 * r * r / 3 + 6 * r + 1), 1e-15);
  }
  for (const double r : {1.0, 1.0001, 50.0}) EXPECT_EQ(at(twice, 2 * r, 2), 0);
}

TEST(Wendland, IsPositiveDefiniteInManyColumns) {
  for (const Index d : {1, 2, 5, 9})
    for (const int q : {1, 2}) {
      const Matrix x = random_points(5, 120, d);
      const Kernel<Row> k = wendland(Vector::Constant(1, 4.0), q);
      const Vector values = Eigen::SelfAdjointEigenSolver<Matrix>(k.cross(x, x)).eigenvalues();
      EXPECT_GT(values[0], -1e-12) << d << " columns, " << q;
    }
}

TEST(Wendland, OtherSmoothnessIsRefused) {
  EXPECT_THROW((void)wendland(Vector::Constant(1, 1.0), 3), Error);
  EXPECT_THROW((void)parse<Row>("wendland(smoothness=0)"), Error);
}

}  // namespace
}  // namespace covary::wendland_test
