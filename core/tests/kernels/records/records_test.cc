// Records: kernels over columns of several types in one expression.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>

#include "conformance.h"
#include "covary/kernels/expression.h"
#include "covary/kernels/function.h"
#include "covary/kernels/nodes/network.h"
#include "covary/kernels/records/objects.h"
#include "covary/kernels/records/schema.h"

namespace covary::test::records_test {
namespace {

std::shared_ptr<const Network> ring(int n) {
  std::vector<Network::NamedEdge> edges;
  for (int i = 0; i < n; ++i) edges.push_back({fmt::format("n{}", i), fmt::format("n{}", (i + 1) % n), 1.0});
  return read_network(edges);
}

/// Two numbers, a date, and a column of each other type.
Schema mixed() {
  return Schema({{.name = "temp"},
                 {.name = "depth", .type = ColumnType::integer},
                 {.name = "day", .type = ColumnType::date},
                 {.name = "catalyst", .type = ColumnType::category},
                 {.name = "sequence", .type = ColumnType::text},
                 {.name = "parts", .type = ColumnType::set},
                 {.name = "molecule", .type = ColumnType::graph},
                 {.name = "station", .type = ColumnType::node, .network = ring(6)}});
}

/// n records of `mixed` columns.
Matrix records(const Schema& s, std::uint64_t seed, Index n) {
  Random rng(seed);
  Matrix x(n, s.size());
  const std::vector<std::string> catalysts{"Pd", "Pt", "Ni", "Cu"}, parts{"a", "b", "c", "d", "e"};
  for (Index i = 0; i < n; ++i) {
    std::string sequence, set, graph = R"({"nodes":["C")";
    for (int k = 0; k < 12; ++k) sequence += "ACGT"[rng.integer(4)];
    for (const std::string& p : parts)
      if (rng.uniform() < 0.5) set += (set.empty() ? "" : ";") + p;
    const Index atoms = 1 + rng.integer(4);
    for (Index k = 0; k < atoms; ++k) graph += rng.uniform() < 0.5 ? R"(,"C")" : R"(,"O")";
    graph += R"(],"edges":[)";
    for (Index k = 0; k < atoms; ++k) graph += fmt::format("{}[{},{}]", k ? "," : "", k, k + 1);
    x.row(i) << rng.normal(), double(rng.integer(5)), double(rng.integer(1000)),
        s.code(3, catalysts[static_cast<size_t>(rng.integer(4))]), s.code(4, sequence), s.code(5, set),
        s.code(6, graph + "]}"), s.code(7, fmt::format("n{}", rng.integer(6)));
  }
  return x;
}

const std::vector<std::string>& leaves() {
  static const std::vector<std::string> all{
      "on(temp, matern52(lengthscale=0.8))",
      "on([temp, depth], se(lengthscale=[1, 2]))",
      "on(day, periodic(lengthscale=1, period=1 year))",
      "on(day, se(lengthscale=3 months))",
      "on(depth, circular(period=5, lengthscale=1))",
      "on([temp, depth], sphere_matern32(lengthscale=300))",
      "on([temp, depth], sphere_se(lengthscale=2 degrees))",
      "on(catalyst, category(correlation=0.3))",
      "on(catalyst, category_pairs(rank=1, levels=4, loadings=[1, -0.5, 0.3, 0.8]))",
      "on(catalyst, ordinal(spacing=[0.6, 1.1, 0.4]))",
      "on(sequence, spectrum(k=2))",
      "on(sequence, spectrum(k=1..2))",
      "on(sequence, spectrum(k=1..3, measure=minmax))",
      "on(sequence, mismatch(k=2, m=1, alphabet=dna))",
      "on(sequence, subsequence(n=2, decay=0.4))",
      "on(sequence, hamming(lengthscale=5))",
      "on(sequence, substitution(matrix=blosum62, lengthscale=4))",
      "on(parts, jaccard())",
      "on(parts, intersection())",
      "on(parts, minmax())",
      "on(molecule, weisfeiler_lehman(h=2))",
      "on(molecule, weisfeiler_lehman(h=2, measure=minmax))",
      "on(molecule, shortest_path())",
      "on(molecule, random_walk(decay=0.2))",
      "on(station, graph_matern(nu=2, kappa=1.5))",
      "on(station, diffusion(beta=0.7))"};
  return all;
}

std::string random_record_expression(Random& rng, int depth) {
  if (depth == 0) {
    const std::string leaf = leaves()[static_cast<size_t>(rng.integer(std::ssize(leaves())))];
    return fmt::format("{:.3f} * {}", 0.5 + rng.uniform(), leaf);
  }
  const std::string a = random_record_expression(rng, depth - 1),
                    b = random_record_expression(rng, depth - 1);
  return rng.uniform() < 0.5 ? fmt::format("{} + {}", a, b) : fmt::format("({}) * ({})", a, b);
}

/// All but derivatives in the inputs, which codes do not have.
TEST(Records, EveryLeafConforms) {
  const Schema s = mixed();
  const Matrix a = with_repeats(records(s, 1, 40), 5), b = records(s, 2, 31);
  for (const std::string& text : leaves()) {
    SCOPED_TRACE(text);
    const Kernel<Row> k = parse(text, s);
    for (const conformance::Failures& some :
         {conformance::symmetry<Row>(k, a, b), conformance::positive_semidefinite<Row>(k, a),
          conformance::diagonal<Row>(k, a), conformance::pullback<Row>(k, a, b),
          conformance::tiles<Row>(k, a, b), conformance::pullback_adds<Row>(k, a, b),
          conformance::with_is_identity<Row>(k, a, b), conformance::parameters_match<Row>(k),
          conformance::node<Row>(k), conformance::prepared<Row>(k, a, b), conformance::starts<Row>(k, a),
          conformance::thread_safety<Row>(k, a, b)})
      expect_none(some);
  }
}

/// Of a kernel with parameters of several types: the same text, the same bits, the derivative.
TEST(Records, RandomMixedExpressionsHaveTheirGradients) {
  const Schema s = mixed();
  const Matrix a = records(s, 3, 36), b = records(s, 4, 9);
  Random rng(5);
  for (int i = 0; i < 160; ++i) {
    const std::string text = random_record_expression(rng, 1 + i % 2);
    SCOPED_TRACE(text);
    const Kernel<Row> k = parse(text, s);
    expect_none(conformance::pullback<Row>(k, a, b));
    expect_none(conformance::tiles<Row>(k, a, b));
    const Kernel<Row> again = parse(k.text(), s);
    EXPECT_EQ(again.text(), k.text());
    EXPECT_TRUE(same_bits(again.cross(a, b), k.cross(a, b)));
  }
}

TEST(Records, AColumnOfObjectsHasTheKernelOfTheObjects) {
  const Schema s = mixed();
  const Matrix x = records(s, 6, 20);
  std::vector<std::string> texts;
  for (const double code : x.col(4)) texts.push_back(s.text(4, code));
  for (const char* text : {"spectrum(k=3)", "subsequence(n=2, decay=0.3)"})
    EXPECT_TRUE(same_bits(parse(fmt::format("on(sequence, {})", text), s).cross(x, x),
                          parse<std::string>(text).cross(texts, texts)));
}

/// Covariances that are kept are those of points that come one after another.
TEST(Records, KeptCovariancesHaveTheBitsOfNewOnes) {
  const Schema s = mixed(), other = mixed();
  const Matrix all = records(s, 7, 60), same = records(other, 7, 60);
  const Kernel<Row> kept = parse("on(sequence, spectrum(k=3))", s),
                    fresh = parse("on(sequence, spectrum(k=3))", other);
  const Matrix k = kept.cross(all, all);
  for (Index i = 0; i < 60; i += 7) EXPECT_TRUE(same_bits(k.row(i), fresh.cross(same.row(i), same)));
}

TEST(Records, BareKernelsReadTheColumnsOfTheirType) {
  const Schema s = mixed();
  const Matrix x = records(s, 8, 10);
  const auto same = [&](const char* bare, const char* named) {
    EXPECT_TRUE(same_bits(parse(bare, s).cross(x, x), parse(named, s).cross(x, x))) << bare;
  };
  same("se(lengthscale=2)", "on([temp, depth, day], se(lengthscale=2))");
  same("spectrum(k=2)", "on(sequence, spectrum(k=2))");
  same("minmax()", "on(parts, minmax())");
  same("weisfeiler_lehman()", "on(molecule, weisfeiler_lehman())");
  same("diffusion(beta=1)", "on(station, diffusion(beta=1))");
  EXPECT_EQ(parse("se()", Schema(std::vector<std::string>{"a", "b"})).text(), "se()")
      << "numbers alone stay bare";
}

TEST(Records, ATypeThatAKernelDoesNotReadIsRefusedWithThoseThatDo) {
  const Schema s = mixed();
  const auto said = [&](const char* text) { return error_of([&] { parse(text, s); }, Problem::usage); };
  EXPECT_NE(said("on(catalyst, se())").find("se reads numbers, and column 'catalyst' holds categories"),
            std::string::npos);
  EXPECT_NE(said("on(catalyst, se())").find("category, "), std::string::npos);
  EXPECT_NE(said("on(temp, spectrum())").find("spectrum reads text, and column 'temp' holds numbers"),
            std::string::npos);
  EXPECT_NE(said("on(day, category())").find("category reads categories, and column 'day' holds dates"),
            std::string::npos);
  EXPECT_NE(said("on([temp, catalyst], se())").find("'catalyst'"), std::string::npos);
  EXPECT_NE(said("on(catalyst, diffusion())").find("nodes of a network"), std::string::npos);
  const Schema texts({{.name = "s", .type = ColumnType::text}});
  EXPECT_NE(error_of([&] { parse("se()", texts); }, Problem::usage).find("spectrum, mismatch"),
            std::string::npos)
      << "those that read the columns that there are";
  EXPECT_NE(error_of([&] { parse("category()", texts); }, Problem::usage).find("named: on(s, category())"),
            std::string::npos);
  EXPECT_NE(said("on(nothing, se())").find("no column is named 'nothing'"), std::string::npos);
  const Schema two({{.name = "a", .type = ColumnType::text}, {.name = "b", .type = ColumnType::text}});
  EXPECT_NE(error_of([&] { parse("spectrum()", two); }, Problem::usage).find("on(a, spectrum(...))"),
            std::string::npos);
  const Schema none(std::vector<std::string>{"a"});
  EXPECT_NE(error_of([&] { parse("spectrum()", none); }, Problem::usage).find("spectrum reads text"),
            std::string::npos);
}

TEST(Records, UnitsAreThoseOfDates) {
  const Schema days({{.name = "t", .type = ColumnType::date}}),
      seconds({{.name = "t", .type = ColumnType::datetime}});
  const auto period = [](const Schema& s, const char* text) {
    return parse(text, s).parameters().back().value;
  };
  EXPECT_NEAR(period(days, "periodic(period=1 year)"), 365.2425, 1e-12);
  EXPECT_NEAR(period(days, "periodic(period=12 months)"), 365.2425, 1e-12);
  EXPECT_NEAR(period(days, "periodic(period=2 weeks)"), 14, 1e-12);
  EXPECT_NEAR(period(seconds, "periodic(period=24 hours)"), 86400, 1e-8);
  EXPECT_NEAR(period(days, "periodic(period=fixed(7 days))"), 7, 1e-12);
  const Parameter bounded = parse("se(lengthscale=1 month..2 years)", days).parameters().front();
  EXPECT_NEAR(bounded.upper, 2 * 365.2425, 1e-9);
  EXPECT_NE(error_of([&] { parse("periodic(period=1 year)", Schema(std::vector<std::string>{"x"})); },
                     Problem::usage)
                .find("only columns of dates have"),
            std::string::npos);
  EXPECT_NE(error_of([&] { parse("periodic(period=1 yaer)", days); }, Problem::usage)
                .find("no unit is called 'yaer'"),
            std::string::npos);
  EXPECT_NE(error_of([&] { parse("se(lengthscale=3 km)", days); }, Problem::usage).find("does not take"),
            std::string::npos);
}

TEST(Records, EqualSetsHaveEqualCodesAndNodesMustExist) {
  const Schema s = mixed();
  EXPECT_EQ(s.code(5, "b;a"), s.code(5, "a; b"));
  EXPECT_EQ(s.code(5, R"(["a", "b"])"), s.code(5, "a;b"));
  EXPECT_NE(s.code(5, "a"), s.code(5, "a;b"));
  EXPECT_NE(error_of([&] { s.code(7, "n9"); }, Problem::data).find("found 'n9'"), std::string::npos);
  EXPECT_NE(error_of([&] { s.code(6, R"({"nodes":["C"],"edges":[[0,3]]})"); }, Problem::data).find("3"),
            std::string::npos);
}

TEST(Records, ValuesPrintAsTablesHaveThem) {
  const Schema s = mixed();
  EXPECT_EQ(s.text(2, -4307), "1958-03-18");
  EXPECT_EQ(s.text(3, s.code(3, "Pd")), "Pd");
  EXPECT_EQ(s.text(0, 1.5), "1.5");
}

TEST(Records, ADictionaryIsSharedByThreads) {
  internal::Dictionary d;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) (void)d.code(std::to_string(i));
    });
  threads.clear();
  EXPECT_EQ(d.size(), 500);
  for (Index i = 0; i < 500; ++i) EXPECT_EQ(d.find(d.text(i)), i);
}

/// The mean sees numbers and dates.
TEST(Records, TrendsAreOfNumbers) {
  const Schema s = mixed();
  const Matrix x = records(s, 9, 12);
  EXPECT_EQ(parse_mean("linear", s).terms, (std::vector<std::string>{"1", "temp", "depth", "day"}));
  EXPECT_TRUE(same_bits(parse_mean("linear", s).basis_at(x).rightCols(3), x.leftCols(3)));
}

}  // namespace
}  // namespace covary::test::records_test
