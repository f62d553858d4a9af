// The structure of kernels as data.
#include "covary/kernels/node.h"

#include <gtest/gtest.h>

#include "conformance.h"
#include "covary/basis/basis_kernel.h"
#include "covary/kernels/columns.h"
#include "covary/kernels/function.h"
#include "covary/kernels/stationary.h"

namespace covary::test::node_test {
namespace {

using Kind = Expression::Kind;

TEST(Node, IsTheTreeOfTheExpression) {
  const Expression e =
      parse<Row>("2 * on([b, a], se([1, 2])) * periodic(1, period=fixed(12)) + fixed(0.5)", {"a", "b"})
          .node();
  ASSERT_EQ(e.kind, Kind::sum);
  ASSERT_EQ(e.parts.size(), 2);
  EXPECT_EQ(e.parts[1].name, "fixed");
  EXPECT_EQ(e.parts[1].parts.at(0).value, 0.5);
  const Expression& scaled = e.parts[0];
  ASSERT_EQ(scaled.kind, Kind::scaled);
  EXPECT_EQ(scaled.value, 2);
  const Expression& product = scaled.parts.at(0);
  ASSERT_EQ(product.kind, Kind::product);
  const Expression& on = product.parts.at(0);
  EXPECT_EQ(on.name, "on");
  EXPECT_EQ(on.columns, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(on.reads, (std::vector<Index>{1, 0}));
  const Expression& se = on.parts.at(0);
  EXPECT_EQ(se.name, "se");
  EXPECT_EQ(se.arguments.at(0).values, (std::vector<double>{1, 2}));
  EXPECT_EQ(se.parameters.size(), 2);
  const Expression& periodic = product.parts.at(1);
  EXPECT_TRUE(periodic.arguments.at(1).limits.at(0).fixed);
  EXPECT_EQ(periodic.arguments.at(1).values.at(0), 12);
}

TEST(Node, RandomExpressionsConform) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random rng(seed);
    const std::string text = random_expression(rng, 3, 3);
    SCOPED_TRACE(text);
    const Kernel<Row> k = parse<Row>(text);
    expect_none(conformance::node<Row>(k));
    expect_none(conformance::node<Row>(k.amplified().sized(random_points(1, 5, 3))));
    EXPECT_EQ(parse<Row>(text_of(internal::read_expression(k.text()))).text(), k.text());
  }
}

TEST(Node, SumsInsideProductsHaveBrackets) {
  const Kernel<Row> sum = se(1.0) + matern32(2.0);
  const std::string inside = "(se(lengthscale=1) + matern32(lengthscale=2))";
  EXPECT_EQ((sum * se(3.0)).text(), inside + " * se(lengthscale=3)");
  EXPECT_EQ((0.5 * sum).text(), "0.5 * " + inside);
  EXPECT_EQ((internal::with_variance<Row>(sum) + 1.0).text(),
            "se(lengthscale=1) + matern32(lengthscale=2) + 1");
  Product<Row> product;
  product.parts = {internal::with_variance<Row>(sum), se(3.0)};
  EXPECT_EQ(Kernel<Row>(product).text(), inside + " * se(lengthscale=3)");
}

TEST(Node, WhatIsNotGivenIsLeftOut) {
  EXPECT_TRUE(se().node().arguments.empty());
  EXPECT_EQ(se().node().parameters.size(), 1);
  EXPECT_EQ(se().sized(Matrix::Zero(2, 3)).node().parameters.size(), 3);
  EXPECT_EQ(se().sized(Matrix::Zero(2, 3)).text(), "se()");
  EXPECT_EQ(parse<Row>("se(lengthscale=1..2)").sized(Matrix::Zero(2, 3)).text(), "se(lengthscale=1..2)");
}

/// The text of features(...) and lists of numbers survive a parameter that is fixed.
TEST(Node, FixedParametersOfFeaturesReadBack) {
  const std::string text = "features(\"a, b\", variances=[1, 2], variance=fixed(0.5))";
  const Kernel<Row> k = parse<Row>(text, {"a", "b"});
  EXPECT_EQ(k.text(), text);
  const Matrix x = random_points(1, 8, 2);
  EXPECT_TRUE(same_bits(parse<Row>(k.text(), {"a", "b"}).cross(x, x), k.cross(x, x)));
}

TEST(Node, FunctionsAreInIt) {
  const auto f = std::make_shared<BlockFunction>(
      BlockFunction{"flat", {"variance"}, [](const Rows& a, const Rows& b, const Vector& v) -> Matrix {
                      return Matrix::Constant(a.rows(), b.rows(), v[0]);
                    }});
  const Kernel<Row> k = 2.0 * on({1}, internal::kernel_of(f, Vector::Constant(1, 3)) + se(1.0));
  EXPECT_EQ(k.node().parts[0].parts[0].parts[0].function, f);
  EXPECT_EQ(internal::functions_in(k), Functions{f});
  expect_none(conformance::node<Row>(k));
}

/// A kernel without node() is a leaf.
struct Plain {
  Matrix cross(Rows a, Rows b) const { return Matrix::Ones(a.rows(), b.rows()); }
  Vector diag(Rows a) const { return Vector::Ones(a.rows()); }
  Vector pullback(Rows, Rows, const Matrix&) const { return Vector(0); }
  Vector theta() const { return Vector(0); }
  Plain with(const Vector&) const { return {}; }
  std::string text() const { return "plain(7)"; }
};

TEST(Node, OfAKernelWithoutOneIsItsText) {
  const Expression e = Kernel<Row>(Plain{}).node();
  EXPECT_EQ(e.kind, Kind::leaf);
  EXPECT_EQ(text_of(e), "plain(7)");
  EXPECT_EQ((2.0 * Kernel<Row>(Plain{})).text(), "2 * plain(7)");
}

}  // namespace
}  // namespace covary::test::node_test
