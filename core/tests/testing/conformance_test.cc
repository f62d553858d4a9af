// The suites notice what does not conform.
#include "conformance.h"

#include <gtest/gtest.h>

namespace covary::test::conformance_test {
namespace {

/// Not symmetric, a diagonal of its own, and a pullback that is twice as large as it should be.
struct Wrong {
  double variance = 1;
  Matrix cross(const Rows& a, const Rows& b) const {
    return variance * (a.col(0) * Eigen::RowVectorXd::Ones(b.rows()));
  }
  Vector diag(const Rows& a) const { return Vector::Constant(a.rows(), 3 * variance); }
  Vector pullback(const Rows& a, const Rows& b, const Matrix& w) const {
    return Vector::Constant(1, 2 * w.cwiseProduct(cross(a, b)).sum());
  }
  Vector theta() const { return Vector::Constant(1, std::log(variance)); }
  Wrong with(const Vector& t) const { return {std::exp(t[0])}; }
  std::vector<Parameter> parameters() const { return {{"variance", Role::variance, variance}}; }
  std::string text() const { return "wrong()"; }
};

TEST(Conformance, NoticesAWrongKernel) {
  const Matrix a = random_points(1, 40, 1), b = random_points(2, 30, 1);
  const Kernel<Row> k = Wrong{};
  EXPECT_FALSE(conformance::symmetry<Row>(k, a, b).empty());
  EXPECT_FALSE(conformance::diagonal<Row>(k, a).empty());
  EXPECT_FALSE(conformance::pullback<Row>(k, a, b).empty());
  EXPECT_TRUE(conformance::with_is_identity<Row>(k, a, b).empty());
  const conformance::Failures all = conformance::kernel<Row>(k, a, b);
  ASSERT_GE(all.size(), 3);
  EXPECT_EQ(all[0].rfind("wrong(): ", 0), 0);
}

TEST(Conformance, ComparisonsNoticeSizesBitsAndNaN) {
  conformance::Failures f;
  const Matrix one = Matrix::Ones(2, 2);
  f.near(one, one, 0, "equal");
  f.same_bits(one, one, "equal");
  EXPECT_TRUE(f.empty());
  f.near(one, Matrix::Ones(2, 3), 1, "sizes");
  f.near(one, Matrix::Constant(2, 2, std::nan("")), 1, "NaN");
  f.near(one, (1 + 1e-9) * one, 1e-10, "values");
  f.same_bits(one, (1 + 1e-15) * one, "bits");
  f.close(1, std::nan(""), 1, "NaN");
  EXPECT_EQ(f.size(), 5);
}

}  // namespace
}  // namespace covary::test::conformance_test
