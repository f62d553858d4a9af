// Sums, products, scalings, on(...) and fixed(...): the conformance suite, and what each operator means.
#include "covary/kernels/compose.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "conformance.h"
#include "covary/kernels/columns.h"
#include "covary/kernels/linear.h"
#include "covary/kernels/periodic.h"
#include "covary/kernels/stationary.h"

namespace covary::test::compose_test {
namespace {

const std::vector<std::string>& expressions() {
  static const std::vector<std::string> all{
      "se(0.7) + matern12(2)",
      "2.5 * se(0.7) + 0.3",
      "0.3 + se([0.5, 2]) + linear(2)",
      "se(1) * periodic(lengthscale=0.9, period=2)",
      "1.5 * se(3) * periodic(lengthscale=0.9, period=2) * linear(1)",
      "(se(1) + linear(2)) * matern32([1, 3])",
      "matern32([1, 3]) * (se(1) + linear(2))",
      "(se(1) + 0.5) * (matern52(2) + linear(1))",
      "2 * (se(1) + 3 * matern12(0.5))",
      "on(1, se(1)) + on(2, matern52(0.4))",
      "on(1, se(1)) * on(2, matern52(0.4))",
      "on([2, 1], se([0.5, 2]))",
      "on([1, 1], se([0.5, 2]))",
      "on(2, 1.7 * periodic(period=1.3, lengthscale=0.8) + linear(3))",
      "on([1, 2], on(2, se(0.6)))",
      "fixed(se(1)) + matern32(1)",
      "fixed(2 * se(1)) * matern32(1)",
      "fixed(2.5) * se(1)",
      "periodic(lengthscale=0.8, period=fixed(2))",
      "2 * se(lengthscale=[fixed(1), 2 in 0.5..4]) + matern32(lengthscale=1 in 0.1..10)",
      "rational_quadratic(lengthscale=fixed(0.7), alpha=1.5 in 1..2) * constant(variance=2 in 1..3)",
      "fixed(se(1) + 0.2) * fixed(linear(1)) + 0.1",
      "2 * fixed(se(0.5))",
      "fixed(fixed(se(0.5)))",
      "on(1, fixed(se(0.5))) + on(2, se(0.5))",
      "polynomial(degree=2, offset=0.7) * se(2)",
      "polynomial(degree=3, offset=0.7) + 0.2",
      "rational_quadratic([0.6, 1.6], alpha=0.7) * 2 * (linear(1) + 1)",
      "rational_quadratic(1, alpha=3) * rational_quadratic(2, alpha=0.5)",
      "se(1) * se(1) * se(1) * se(2)",
      "se(1) + se(1) + se(1)",
      "3 * (2 * se(1)) * (4 * linear(1))",
      "(0.5 + 0.25) * se(1)",
      "constant(0.5) * matern12(1) + constant(0.2)",
      "periodic(period=3, lengthscale=[0.8, 1.5]) + se(1)",
  };
  return all;
}

class EveryComposite : public ::testing::TestWithParam<size_t> {};

TEST_P(EveryComposite, Conforms) {
  const Kernel<Row> k = parse<Row>(expressions()[GetParam()]);
  const Matrix a = with_repeats(random_points(11, 41, 2), 4), b = random_points(12, 35, 2);
  expect_conforms<Row>(k, a, b);
  const Kernel<Row> again = parse<Row>(k.text());
  EXPECT_EQ(again.text(), k.text());
  EXPECT_TRUE(same_bits(again.cross(a, b), k.cross(a, b))) << k.text();
  EXPECT_TRUE(same_bits(again.theta(), k.theta())) << k.text();
  ASSERT_EQ(again.parameters().size(), k.parameters().size());
  for (size_t i = 0; i < k.parameters().size(); ++i)
    EXPECT_EQ(full_name(again.parameters()[i]), full_name(k.parameters()[i])) << k.text();
}
INSTANTIATE_TEST_SUITE_P(Expressions, EveryComposite, ::testing::Range(size_t{0}, expressions().size()));

/// Operators on both sides of random expressions, against the operation on matrices.
TEST(Compose, OperatorsAreTheOperationsOnMatrices) {
  const Matrix a = random_points(13, 9, 2), b = random_points(14, 7, 2);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Kernel<Row> l = random_kernel(seed, 2), r = random_kernel(1000 + seed, 2);
    SCOPED_TRACE(l.text() + "   |   " + r.text());
    const Matrix kl = l.cross(a, b), kr = r.cross(a, b);
    EXPECT_TRUE(near((l + r).cross(a, b), kl + kr, 1e-14));
    EXPECT_TRUE(near((l * r).cross(a, b), kl.cwiseProduct(kr), 1e-13));
    EXPECT_TRUE(near((2.5 * l).cross(a, b), 2.5 * kl, 1e-14));
    EXPECT_TRUE(near((l * 2.5).cross(a, b), 2.5 * kl, 1e-14));
    EXPECT_TRUE(near((l + 0.5).cross(a, b), kl.array() + 0.5, 1e-14));
    EXPECT_TRUE(near((0.5 + r).cross(a, b), kr.array() + 0.5, 1e-14));
    EXPECT_TRUE(same_bits(fixed(l).cross(a, b), kl));
    EXPECT_TRUE(same_bits(on({0, 1}, l).cross(a, b), kl));
    EXPECT_EQ((l + r).theta().size(), l.theta().size() + r.theta().size());
  }
}

TEST(Compose, RandomExpressionsReadBackToTheSameBits) {
  const Matrix a = random_points(15, 9, 3), b = random_points(16, 7, 3);
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random rng(seed);
    const Kernel<Row> k = parse<Row>(random_expression(rng, 3, 3));
    const Kernel<Row> again = parse<Row>(k.text());
    ASSERT_EQ(again.text(), k.text());
    ASSERT_TRUE(same_bits(again.cross(a, b), k.cross(a, b))) << k.text();
    ASSERT_TRUE(same_bits(again.theta(), k.theta())) << k.text();
  }
}

TEST(Compose, ParameterPathsSayTheirPlace) {
  const auto paths = [](const std::string& text) {
    std::vector<std::string> all;
    for (const Parameter& p : parse<Row>(text).parameters()) all.push_back(full_name(p, {"x", "t"}));
    return all;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(paths("se(1)"), (Names{"lengthscale"}));
  EXPECT_EQ(paths("se([1, 2])"), (Names{"lengthscale.x", "lengthscale.t"}));
  EXPECT_EQ(paths("2 * se(1) + matern32(1) * periodic(1, 2)"),
            (Names{"1.variance", "1.lengthscale", "2.1.lengthscale", "2.2.lengthscale", "2.2.period"}));
  EXPECT_EQ(paths("on(2, se(1)) + on([2, 1], se([1, 2]))"),
            (Names{"1.lengthscale.t", "2.lengthscale.t", "2.lengthscale.x"}));
}

TEST(Compose, NumbersGatherInFront) {
  const auto text = [](const std::string& t) { return parse<Row>(t).text(); };
  EXPECT_EQ(text("3 * (2 * se(1)) * (4 * linear(1))"), "24 * se(lengthscale=1) * linear(lengthscale=1)");
  EXPECT_EQ(text("se(1) * 2"), "2 * se(lengthscale=1)");
  EXPECT_EQ(text("(se(1) + se(2)) + se(3)"), "se(lengthscale=1) + se(lengthscale=2) + se(lengthscale=3)");
  EXPECT_EQ(text("(se(1) + 1) * se(3)"), "(se(lengthscale=1) + 1) * se(lengthscale=3)");
  EXPECT_EQ(text("2 * 3"), "6");
}

TEST(Compose, ATermWithoutANumberGetsAVarianceToLearn) {
  const auto count_of = [](const std::string& t) { return parse<Row>(t).amplified().theta().size(); };
  EXPECT_EQ(count_of("se()"), 2);
  EXPECT_EQ(count_of("2 * se()"), 2);
  EXPECT_EQ(count_of("se() + se()"), 4);
  EXPECT_EQ(count_of("se() * se()"), 3);
  EXPECT_EQ(count_of("fixed(2) * se()"), 1);
  EXPECT_EQ(count_of("fixed(se(1))"), 0);
  EXPECT_EQ(count_of("fixed(se(1)) + fixed(linear(1))"), 0);
  EXPECT_EQ(count_of("constant() * se()"), 2);
  // A kept term among learned ones has its variance to learn, unless that is kept too.
  EXPECT_EQ(count_of("fixed(periodic(1, 2)) + se()"), 3);
  EXPECT_EQ(count_of("fixed(1 * periodic(1, 2)) + se()"), 2);
  EXPECT_EQ(count_of("fixed(0.5) + se()"), 2);
  EXPECT_EQ(count_of("linear()"), 1);
  EXPECT_EQ(count_of("constant()"), 1);
}

TEST(Compose, FixedKeepsAndNeedsEveryParameter) {
  const Kernel<Row> k = parse<Row>("fixed(2 * se([1, 3]))");
  EXPECT_EQ(k.theta().size(), 0);
  EXPECT_EQ(k.parameters().size(), 3U);
  for (const Parameter& p : k.parameters()) EXPECT_TRUE(p.fixed);
  EXPECT_NE(error_of([] { parse<Row>("fixed(se())"); }, Problem::usage).find("'lengthscale' was not given"),
            std::string::npos);
}

TEST(Compose, OnSeesOnlyItsColumns) {
  const Matrix a = random_points(17, 5, 3);
  Matrix other = a;
  other.col(1).setConstant(99);
  const Kernel<Row> k = on({0, 2}, se(1.0));
  EXPECT_TRUE(same_bits(k.cross(a, a), k.cross(other, other)));
  EXPECT_NE(error_of([&] { on({3}, se(1.0)).cross(a, a); }, Problem::usage).find("column 4"),
            std::string::npos);
  EXPECT_THROW(on({}, se(1.0)), Error);
}

TEST(Compose, OnPrintsNamesThatReadBack) {
  const std::vector<std::string> columns{"temp", "two words", "a\"b", "7"};
  for (const char* text :
       {"on(temp, se(1))", "on([temp, \"two words\"], se([1, 2]))", "on(\"a\"\"b\", se(1))"}) {
    const Kernel<Row> k = parse<Row>(text, columns);
    EXPECT_EQ(k.text(), parse<Row>(k.text(), columns).text());
  }
  EXPECT_EQ(parse<Row>("on(\"7\", se(1))", columns).parameters()[0].column, 3)
      << "a name goes before a number";
}

}  // namespace
}  // namespace covary::test::compose_test
