// What a kernel does for each point is done once for a batch, and a type of one's own has its registry and parser.
#include "covary/kernels/prepared.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <map>

#include "conformance.h"
#include "covary/inference/evidence.h"

namespace covary::test::prepared_test {

struct Word {
  std::string letters;
  bool operator==(const Word&) const = default;
};
using Words = std::span<const Word>;

/// variance times how many substrings of length k two words share. Counting them is its work for each point.
struct SpectrumLike {
  using Counts = std::map<std::string, double>;
  using AllCounts = std::span<const Counts>;
  Index k = 2;
  double variance = 1;
  static inline std::atomic<Index> counted = 0;

  std::vector<Counts> prepare(Words x) const {
    std::vector<Counts> all(x.size());
    for (size_t i = 0; i < x.size(); ++i, ++counted)
      for (size_t j = 0; j + size_t(k) <= x[i].letters.size(); ++j)
        all[i][x[i].letters.substr(j, size_t(k))] += 1;
    return all;
  }
  double value(const Counts& a, const Counts& b) const {
    double sum = 0;
    for (const auto& [u, n] : a)
      if (const auto it = b.find(u); it != b.end()) sum += n * it->second;
    return variance * sum;
  }
  Matrix cross(AllCounts a, AllCounts b) const {
    Matrix out(std::ssize(a), std::ssize(b));
    for (size_t j = 0; j < b.size(); ++j)
      for (size_t i = 0; i < a.size(); ++i) out(Index(i), Index(j)) = value(a[i], b[j]);
    return out;
  }
  Vector diag(AllCounts a) const {
    Vector out(std::ssize(a));
    for (size_t i = 0; i < a.size(); ++i) out[Index(i)] = value(a[i], a[i]);
    return out;
  }
  Vector pullback(AllCounts a, AllCounts b, const Matrix& w) const {
    return Vector::Constant(1, w.cwiseProduct(cross(a, b)).sum());
  }
  Matrix cross(Words a, Words b) const { return cross(AllCounts(prepare(a)), AllCounts(prepare(b))); }
  Vector diag(Words a) const { return diag(AllCounts(prepare(a))); }
  Vector pullback(Words a, Words b, const Matrix& w) const {
    return pullback(AllCounts(prepare(a)), AllCounts(prepare(b)), w);
  }
  Vector theta() const { return Vector::Constant(1, std::log(variance)); }
  SpectrumLike with(const Vector& t) const { return {k, std::exp(t[0])}; }
  std::vector<Parameter> parameters() const { return {{"variance", Role::variance, variance}}; }
  Expression node() const { return call_node("spectrum_like", parameters(), {{"k", {double(k)}}}); }
};

}  // namespace covary::test::prepared_test

namespace covary {

template <>
inline const std::vector<Entry<test::prepared_test::Word>>& registry<test::prepared_test::Word>() {
  using test::prepared_test::Word, test::prepared_test::SpectrumLike;
  static const std::vector<Entry<Word>> all{
      constant_entry<Word>(),
      {"spectrum_like",
       "variance sum_u n_u(x) n_u(z)",
       "words that share substrings",
       {"k", "variance"},
       [](const Arguments& a) -> Kernel<Word> {
         const double variance = a.number("variance");
         return SpectrumLike{a.integer("k", 2, 1, 9), std::isnan(variance) ? 1 : variance};
       }}};
  return all;
}

}  // namespace covary

namespace covary::test::prepared_test {
namespace {

std::vector<Word> random_words(std::uint64_t seed, Index n) {
  Random rng(seed);
  std::vector<Word> all(static_cast<size_t>(n));
  for (Word& w : all)
    for (Index k = 10 + rng.integer(8); k > 0; --k) w.letters += "acgt"[rng.integer(4)];
  return all;
}

Vector lengths(const std::vector<Word>& x) {
  Vector y(std::ssize(x));
  for (Index i = 0; i < y.size(); ++i) y[i] = 0.1 * double(x[size_t(i)].letters.size());
  return y;
}

/// 400 words make ten tiles of a lower triangle.
TEST(Prepared, WorkIsDoneOncePerPoint) {
  const std::vector<Word> x = random_words(1, 400), at = random_words(2, 600);
  const Vector y = lengths(x);
  const Kernel<Word> k = 0.5 * (Kernel<Word>(SpectrumLike{}) + 0.1);
  Evidence<Word> evidence(k, zero_mean<Word>(), Noise::of(0.1), x, y);
  const Vector theta = k.theta();
  SpectrumLike::counted = 0;
  evidence.at(theta, false);
  EXPECT_EQ(SpectrumLike::counted, 400) << "the value of the evidence";
  SpectrumLike::counted = 0;
  evidence.at(theta, true, 2);
  EXPECT_EQ(SpectrumLike::counted, 400) << "with its gradient";
  SpectrumLike::counted = 0;
  const Process<Word> p = Process<Word>(k, zero_mean<Word>(), Noise::of(0.1)).condition(x, y);
  EXPECT_EQ(SpectrumLike::counted, 400) << "conditioning";
  SpectrumLike::counted = 0;
  p.predict(at);
  EXPECT_EQ(SpectrumLike::counted, 600) << "predicting in blocks";
}

TEST(Prepared, AUsersKernelConforms) {
  const std::vector<Word> a = random_words(3, 40), b = random_words(4, 36);
  expect_conforms<Word>(SpectrumLike{3, 0.7}, a, b);
  expect_conforms<Word>(parse<Word>("2 * spectrum_like(k=3) * spectrum_like(1) + fixed(spectrum_like(2))"), a,
                        b);
}

/// Columns, columns that are held and basis functions are taken once: the same bits.
TEST(Prepared, SlicesOfRowsHaveTheBitsOfThePoints) {
  const Matrix a = random_points(1, 150, 3), b = random_points(2, 140, 3);
  const auto ready = [&](const char* text) {
    const Kernel<Row> k = parse<Row>(text, {"a", "b", "c"});
    return k.with(k.start(a, 1.0));
  };
  for (const char* text :
       {"on([3, 1], se([1, 2])) * on(2, periodic(1, 3)) + 0.3", "2 * on(2, linear(1) + polynomial(2, 1))",
        "on(1, features(\"a, a^2\", variance=0.5)) + features(\"a, b^2\", variance=fixed(0.3))",
        "fixed(1.5 * matern32([1, 2, 3])) + rational_quadratic(2, alpha=1..4)"})
    expect_none(conformance::prepared<Row>(ready(text), a, b));
  const Kernel<Row> held = internal::holding({{1, 0.5}}, parse<Row>("1.5 * se([1, 2, 3]) + linear(1)"));
  expect_none(conformance::prepared<Row>(held, a, b));
}

TEST(Prepared, SlicesOfSlices) {
  const Matrix a = random_points(1, 30, 2);
  const Kernel<Row> k = parse<Row>("on(2, se(1)) + on(1, se(2))");
  const Prepared<Row> all = k.prepare(a), some = slice(slice(all, {5, 20}), {3, 10});
  EXPECT_EQ(some.count(), 10);
  EXPECT_TRUE(same_bits(some.cross(all), k.cross(a.middleRows(8, 10), a)));
  const Vector w = Vector::LinSpaced(10, -1, 2);
  EXPECT_TRUE(same_bits(some.pullback_diag(w), k.pullback_diag(a.middleRows(8, 10), w)));
}

TEST(Registry, OfAnotherIndexTypeFeedsItsParser) {
  const Kernel<Word> k =
      parse<Word>("2 * spectrum_like(k=3) + fixed(0.5 * spectrum_like(1, variance=2)) + 0.1");
  EXPECT_EQ(k.text(),
            "2 * spectrum_like(k=3, variance=1) + fixed(0.5 * spectrum_like(k=1, variance=2)) + 0.1");
  EXPECT_EQ(parse<Word>(k.text()).text(), k.text());
  EXPECT_EQ(k.theta().size(), 3) << "two variances and a level: what is fixed is not learned";
  EXPECT_EQ(parse<Word>("spectrum_like(variance=2 in 0.1..10)").text(),
            "spectrum_like(k=2, variance=2 in 0.1..10)");
  EXPECT_EQ(parse<Word>("spectrum_like(variance=fixed(2))").theta().size(), 0);
  EXPECT_NE(
      error_of([] { parse<Word>("spectrum_lik()"); }, Problem::usage).find("did you mean 'spectrum_like'"),
      std::string::npos);
  EXPECT_THROW(parse<Word>("se()"), Error) << "a kernel over rows";
  EXPECT_THROW(parse<Word>("on(x, spectrum_like())"), Error) << "words have no columns";
}

/// A type without a registry of its own has numbers and fixed(...).
TEST(Registry, EveryIndexTypeHasNumbers) {
  EXPECT_EQ(parse<int>("2 + fixed(3 * constant(2)) * 2").text(), "2 + 2 * fixed(6)");
  EXPECT_EQ(parse<int>("constant()").node().name, "constant");
}

}  // namespace
}  // namespace covary::test::prepared_test
