// What separators are found with: the dense solver, LIBSVM as its start.
#include "svm/dense_margin.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support.h"
#include "svm/libsvm.h"

namespace covary::test::dense_margin_test {
namespace {

Vector labels_of(const Matrix& x, double noise, std::uint64_t seed) {
  const Vector side = (2 * x.col(0).array()).sin() + x.col(1).array();
  const Vector seen = side + noise * Random(seed).normal(x.rows(), 1);
  return (seen.array() > 0).select(Vector::Ones(seen.size()), -Vector::Ones(seen.size()));
}

double dual(const Vector& w, const Matrix& k, const Vector& y) { return y.dot(w) - 0.5 * w.dot(k * w); }

TEST(DenseMargin, IsFoundWithoutLibsvmToo) {
  if (!has_libsvm()) GTEST_SKIP() << "built without LIBSVM";
  const Matrix x = random_points(30, 150, 2);
  const Vector y = labels_of(x, 0.4, 31), none = Vector::Zero(150);
  for (const char* text : {"se(0.7)", "linear(1)"})
    for (const double penalty : {0.1, 10.0, 1e4}) {
      const Matrix k = parse<Row>(text).cross(x, x);
      const DenseMargin with = widest_margin(k, y, Vector::Constant(y.size(), penalty), 1e-8, none, true);
      const DenseMargin without = widest_margin(k, y, Vector::Constant(y.size(), penalty), 1e-8, none, false);
      EXPECT_TRUE(near(with.weights, without.weights, 1e-7)) << text << " " << penalty;
      EXPECT_LT(with.steps, without.steps);
    }
}

/// A penalty of at most 100 in LIBSVM's units, and its own tolerance of 1e-3.
TEST(Libsvm, GivesAFeasibleStartThatIsNearlyOptimal) {
  if (!has_libsvm()) GTEST_SKIP() << "built without LIBSVM";
  const Matrix x = random_points(32, 120, 2);
  const Matrix k = parse<Row>("se(0.9)").cross(x, x);
  for (const double sign : {1.0, -1.0}) {  // the first label is another
    const Vector y = sign * labels_of(x, 0.4, 33);
    testing::internal::CaptureStdout();
    const Vector w = libsvm_start(k, y, 5);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_LE(std::abs(w.sum()), 1e-12 * w.lpNorm<1>());
    EXPECT_GE(w.cwiseProduct(y).minCoeff(), 0);
    EXPECT_LE(w.cwiseAbs().maxCoeff(), 5);
    const double best =
        dual(widest_margin(k, y, Vector::Constant(120, 5), 1e-9, Vector::Zero(120), false).weights, k, y);
    EXPECT_NEAR(dual(w, k, y), best, 1e-4 * best);
  }
}

}  // namespace
}  // namespace covary::test::dense_margin_test
