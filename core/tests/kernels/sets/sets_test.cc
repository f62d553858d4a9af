// Kernels over sets and over columns: the conformance suite, and values from the definitions.
#include "covary/kernels/sets/sets.h"

#include <gtest/gtest.h>

#include <map>

#include "conformance.h"

namespace covary::test::sets_test {
namespace {

using Sets = std::vector<ItemSet>;

/// Up to 6 of 9 items, with weights 1, small counts or any positive numbers; the first is empty, the last repeats it
/// and others.
Sets random_sets(std::uint64_t seed, Index n) {
  Random rng(seed);
  Sets all(1);
  while (std::ssize(all) < n - 4) {
    ItemSet s;
    const Index kind = rng.integer(3);
    for (const Index k : rng.subset(9, rng.integer(7))) {
      s.items.push_back("item " + std::to_string(k));
      s.weights.push_back(kind == 0 ? 1 : kind == 1 ? double(1 + rng.integer(4)) : std::exp(rng.normal()));
    }
    all.push_back(s);
  }
  for (size_t i = 0; i < 4; ++i) all.push_back(all[i]);
  return all;
}

/// sum min and sum max of the weights, and of the items alone.
struct Sums {
  double least = 0, most = 0, shared = 0, any = 0, a = 0, b = 0;
};
Sums sums(const ItemSet& a, const ItemSet& b) {
  std::map<std::string, std::pair<double, double>> both;
  for (size_t i = 0; i < a.items.size(); ++i) both[a.items[i]].first = a.weights[i];
  for (size_t i = 0; i < b.items.size(); ++i) both[b.items[i]].second = b.weights[i];
  Sums s;
  for (const auto& [name, w] : both) {
    s.least += std::min(w.first, w.second), s.most += std::max(w.first, w.second);
    s.shared += w.first > 0 && w.second > 0 ? 1 : 0, s.any += 1;
    s.a += w.first, s.b += w.second;
  }
  return s;
}

TEST(Sets, EveryKernelConforms) {
  const Sets a = random_sets(1, 40), b = random_sets(2, 25);
  for (const char* text :
       {"constant(variance=2)", "jaccard()", "minmax()", "intersection(normalized=yes)",
        "intersection(normalized=no)", "2 * jaccard() + 0.5 * minmax() * intersection()"}) {
    const Kernel<ItemSet> k = parse<ItemSet>(text);
    expect_conforms<ItemSet>(k, a, b);
    EXPECT_EQ(parse<ItemSet>(k.text()).text(), k.text());
    EXPECT_TRUE(same_bits(parse<ItemSet>(k.text()).cross(a, b), k.cross(a, b))) << text;
  }
  for (const Entry<ItemSet>& e : registry<ItemSet>())
    EXPECT_TRUE(!e.about.empty() && !e.formula.empty()) << e.name;
}

TEST(Sets, ValuesAreTheirDefinitions) {
  const Sets a = random_sets(3, 30), b = random_sets(4, 30);
  const Matrix ratio = jaccard().cross(a, b), weighted = minmax().cross(a, b),
               common = intersection(false).cross(a, b), normal = intersection().cross(a, b);
  for (Index i = 0; i < 30; ++i)
    for (Index j = 0; j < 30; ++j) {
      const Sums s = sums(a[size_t(i)], b[size_t(j)]);
      const bool empty = s.a == 0 && s.b == 0;
      EXPECT_DOUBLE_EQ(ratio(i, j), empty ? 1 : s.shared / s.any);
      EXPECT_NEAR(weighted(i, j), empty ? 1 : s.least / s.most, 1e-15);
      EXPECT_NEAR(common(i, j), s.least, 1e-14);
      EXPECT_NEAR(normal(i, j), empty ? 1 : s.a * s.b == 0 ? 0 : s.least / std::sqrt(s.a * s.b), 1e-15);
    }
}

/// The same weights as columns have the values of the sets.
TEST(Sets, ColumnsAreSets) {
  Random rng(5);
  Matrix x = Matrix::Zero(30, 12);
  Sets sets(30);
  for (Index i = 0; i < 30; ++i)
    for (Index k = 0; k < 12; ++k)
      if (rng.uniform() < 0.4) {
        x(i, k) = std::exp(rng.normal());
        sets[size_t(i)].items.push_back(std::string(1, char('a' + k)));
        sets[size_t(i)].weights.push_back(x(i, k));
      }
  EXPECT_TRUE(near(jaccard<Row>().cross(x, x), jaccard().cross(sets, sets), 1e-15));
  EXPECT_TRUE(near(minmax<Row>().cross(x, x), minmax().cross(sets, sets), 1e-15));
  for (const bool normalized : {true, false})
    EXPECT_TRUE(
        near(intersection<Row>(normalized).cross(x, x), intersection(normalized).cross(sets, sets), 1e-15));
}

/// Of weights that are not near one another, where the kernels are smooth.
TEST(Sets, DerivativesInColumnsAreThoseOfDifferences) {
  Random rng(6);
  Matrix a(10, 5), b(12, 5);
  for (double& v : a.reshaped()) v = 1 + double(rng.integer(20));
  for (double& v : b.reshaped()) v = 1.5 + double(rng.integer(20));
  for (const Kernel<Row>& k :
       {jaccard<Row>(), minmax<Row>(), intersection<Row>(true), intersection<Row>(false)})
    expect_none(conformance::pullback_inputs<Row>(k, a, b));
}

TEST(Sets, DerivativesInColumnsAreFiniteWhereThereIsNothing) {
  const Matrix zero = Matrix::Zero(2, 3), some = Matrix::Identity(3, 3);
  for (const Kernel<Row>& k :
       {jaccard<Row>(), minmax<Row>(), intersection<Row>(true), intersection<Row>(false)})
    for (const Matrix& z : {zero, some}) {
      EXPECT_TRUE(k.pullback_inputs(zero, z, Matrix::Ones(2, z.rows())).allFinite()) << k.text();
      EXPECT_TRUE(k.pullback_inputs(some, z, Matrix::Ones(3, z.rows())).allFinite()) << k.text();
    }
}

TEST(Sets, NegativeColumnsAreNamed) {
  Matrix x = Matrix::Ones(3, 2);
  x(1, 1) = -0.5;
  for (const Kernel<Row>& k : {jaccard<Row>(), minmax<Row>(), intersection<Row>()}) {
    const std::string said = error_of([&] { k.cross(x, x); }, Problem::data);
    EXPECT_NE(said.find("row 2, column 2: expected a number of 0 or more, found -0.5"), std::string::npos)
        << said;
  }
}

TEST(Sets, WordsOtherThanYesAndNoAreRefused) {
  const std::string said = error_of([] { parse<ItemSet>("intersection(normalized=maybe)"); }, Problem::usage);
  EXPECT_NE(said.find("normalized must be one of yes, no, found 'maybe'"), std::string::npos) << said;
}

}  // namespace
}  // namespace covary::test::sets_test
