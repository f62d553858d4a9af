// Gradients of mean and variance with respect to x against differences: every kernel over numbers, every kind of
// trend, exact and inducing posteriors.
#include "covary/inference/input_gradients.h"

#include <gtest/gtest.h>

#include <cmath>

#include "covary/inference/registry.h"
#include "covary/process/mean_function.h"
#include "support.h"

namespace covary::test::input_gradients_test {
namespace {

/// Rows that the kernel takes, in tenths plus `off`: kernels over counts have a kink where two are equal.
Matrix points_off(const Entry<Row>& entry, std::uint64_t seed, Index n, Index d, double off) {
  const Matrix x = points_for(entry, seed, n, d) + 0.3 * random_points(seed + 50, n, d).cwiseAbs();
  return ((10 * x.array()).round() / 10 + off).matrix();
}

/// The gradients of mean and variance at each row are those of differences.
void expect_gradients(const Process<Row>& p, const Matrix& at) {
  const InputGradients g = input_gradients(p, at, 1);
  ASSERT_EQ(g.mean.rows(), at.rows());
  ASSERT_EQ(g.variance.cols(), at.cols());
  for (Index i = 0; i < at.rows(); ++i) {
    const auto moved = [&](const Vector& t) { return Matrix(at.row(i) + t.transpose()); };
    const Vector zero = Vector::Zero(at.cols());
    const Vector mean = differences([&](const Vector&t) { return p.mean(moved(t), 1)[0]; }, zero),
                 variance =
                     differences([&](const Vector&t) { return p.variance(moved(t), Of::f, 1)[0]; }, zero);
    const double size = std::max(1.0, p.kernel().diag(at)[i]);
    EXPECT_TRUE((g.mean.row(i).transpose() - mean).cwiseAbs().maxCoeff() <=
                1e-6 * std::max(size, mean.cwiseAbs().maxCoeff()))
        << "mean, row " << i << ": " << g.mean.row(i) << " and " << mean.transpose();
    EXPECT_TRUE((g.variance.row(i).transpose() - variance).cwiseAbs().maxCoeff() <=
                1e-6 * std::max(size, variance.cwiseAbs().maxCoeff()))
        << "variance, row " << i << ": " << g.variance.row(i) << " and " << variance.transpose();
  }
}

const std::vector<Mean<Row>>& trends() {
  static const std::vector<Mean<Row>> all{
      zero_mean<Row>(), constant_mean<Row>(), parse_mean("linear"), parse_mean("polynomial(degree=2)"),
      mean_of(std::make_shared<const RowFunction>(
          RowFunction{"wave", [](const Rows& x) -> Vector { return x.rowwise().sum().array().sin(); }}))};
  return all;
}

class EveryKernelOverNumbers : public ::testing::TestWithParam<std::string> {
 protected:
  const Entry<Row>& entry() const {
    for (const Entry<Row>& e : registry<Row>())
      if (e.name == GetParam()) return e;
    throw std::logic_error(GetParam());
  }
};

TEST_P(EveryKernelOverNumbers, HasTheGradientsOfDifferences) {
  for (Index d = std::max<Index>(1, entry().columns); d <= std::max<Index>(2, entry().columns); ++d) {
    Random rng(10 + static_cast<std::uint64_t>(d));
    const std::string text = random_call(rng, entry(), d);
    const Matrix x = with_repeats(points_off(entry(), 1, 25, d, 0), 3),
                 at = points_off(entry(), 2, 4, d, 0.05);
    const Vector y = random_targets(3, x);
    for (const Mean<Row>& trend : trends())
      for (const char* how : {"exact", "inducing(points=9)"}) {
        SCOPED_TRACE(text + ", " + trend.text + ", " + how);
        const Process<Row> prior(parsed_call(text), trend, Noise::of(0.1));
        expect_gradients(condition(parse_inference<Row>(how), prior, Rows(x), y, 1), at);
      }
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Entry<Row>& e : registry<Row>())
    if (e.reads == Reads::numbers) all.push_back(e.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Registry, EveryKernelOverNumbers, ::testing::ValuesIn(names()),
                         [](const auto& tested) { return tested.param; });

TEST(InputGradients, OfSumsProductsAndColumns) {
  const Matrix x = random_points(1, 30, 3), at = random_points(2, 5, 3);
  const Vector y = random_targets(3, x);
  for (const char* text :
       {"1.3 * se(lengthscale=[0.8, 1, 2]) + 0.2 * linear(1)", "on(2, periodic(1, 3)) * matern52(1.5) + 0.5",
        "on([1, 3], matern32(1)) * on(2, rational_quadratic(1, 2))"}) {
    SCOPED_TRACE(text);
    const Process<Row> prior(parse<Row>(text), parse_mean("linear"), Noise::of(0.05));
    const Process<Row> p = prior.condition(x, y);
    expect_gradients(p, at);
    expect_gradients(p.condition(random_points(4, 6, 3), Vector::Ones(6)), at);  // grown
  }
}

TEST(InputGradients, OfAPriorAndWithoutNoise) {
  const Matrix x = random_points(1, 12, 2), at = random_points(2, 5, 2);
  expect_gradients(Process<Row>(parse<Row>("2 * se(1) + linear(2)"), parse_mean("linear(1, 0.5, 2)")), at);
  expect_gradients(
      Process<Row>(parse<Row>("2 * se(1)"), constant_mean<Row>()).condition(x, random_targets(3, x)), at);
  EXPECT_NE(error_of([&] { input_gradients(Process<Row>(parse<Row>("se(1)"), constant_mean<Row>()), at); },
                     Problem::usage)
                .find("trend of a prior is unknown"),
            std::string::npos);
}

/// At a measured input the variance of a process without noise is least, and the mean has the slope of the data.
TEST(InputGradients, AreZeroWhereTheVarianceIsLeast) {
  const Matrix x = random_points(1, 8, 2);
  const Process<Row> p = Process<Row>(parse<Row>("se(1)")).condition(x, random_targets(2, x, 0));
  EXPECT_LT(input_gradients(p, x).variance.cwiseAbs().maxCoeff(), 1e-6);
}

TEST(InputGradients, ThreadsDoNotChangeABit) {
  const Matrix x = random_points(1, 40, 2), at = random_points(2, 700, 2);
  const Process<Row> p = Process<Row>(parse<Row>("matern52(1)"), constant_mean<Row>(), Noise::of(0.1))
                             .condition(x, random_targets(2, x));
  const InputGradients one = input_gradients(p, at, 1), two = input_gradients(p, at, 2);
  EXPECT_TRUE(same_bits(one.mean, two.mean));
  EXPECT_TRUE(same_bits(one.variance, two.variance));
}

}  // namespace
}  // namespace covary::test::input_gradients_test
