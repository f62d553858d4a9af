// A third index type: records of numbers and a word, stored by columns. One specialization of IndexedBy and a
// kernel, and everything takes them.
#include <gtest/gtest.h>

#include <cmath>

#include "conformance.h"
#include "covary/learn/fit.h"
#include "covary/process/editable.h"
#include "covary/select/selector.h"

namespace covary::test::index_type_test {
struct Record;
}

namespace covary {

template <>
struct IndexedBy<test::index_type_test::Record> {
  struct View {
    using index_type = test::index_type_test::Record;
    Rows numbers;
    std::span<const std::string> words;
  };
  struct Owned {
    using index_type = test::index_type_test::Record;
    Matrix numbers;
    std::vector<std::string> words;
    operator View() const { return {numbers, words}; }  // NOLINT(google-explicit-constructor)
  };
  static Index count(const View& x) { return std::ssize(x.words); }
  static View slice(const View& x, Range r) {
    return {x.numbers.middleRows(r.first, r.count), covary::slice(x.words, r)};
  }
  static Owned pick(const View& x, const std::vector<Index>& rows) {
    return {covary::pick(x.numbers, rows), covary::pick(x.words, rows)};
  }
  static Owned join(const View& a, const View& b) {
    return {covary::join(a.numbers, b.numbers), covary::join(a.words, b.words)};
  }
  static std::string key(const View& x, Index i) {
    return IndexedBy<Row>::key(x.numbers, i) + x.words[static_cast<size_t>(i)];
  }
  static void check_finite(const View& x, const std::string& what) {
    IndexedBy<Row>::check_finite(x.numbers, what);
  }
  static Index dimensions(const View& x) { return x.numbers.cols() + 1; }
  static std::vector<std::string> notes(const View& x, const std::vector<std::string>& names) {
    return IndexedBy<Row>::notes(x.numbers, names);
  }
};

}  // namespace covary

namespace covary::test::index_type_test {

using Records = Points<Record>;
static_assert(IndexType<Record> && IndexType<Row> && IndexType<std::string>);

/// k = exp(-|x - z|^2 / (2 l^2)), times a half if the words differ.
struct Mixed {
  double lengthscale = 1;

  /// f(squared distance, k) for each pair.
  template <class F>
  static Matrix pairs(const Batch<Record>& a, const Batch<Record>& b, double l, F f) {
    Matrix out(count(a), count(b));
    for (Index j = 0; j < out.cols(); ++j)
      for (Index i = 0; i < out.rows(); ++i) {
        double s = 0;
        for (Index c = 0; c < a.numbers.cols(); ++c)
          s += std::pow((a.numbers(i, c) - b.numbers(j, c)) / l, 2);
        const double share = a.words[size_t(i)] == b.words[size_t(j)] ? 1 : 0.5;
        out(i, j) = f(s, share * std::exp(-0.5 * s));
      }
    return out;
  }
  Matrix cross(Batch<Record> a, Batch<Record> b) const {
    return pairs(a, b, lengthscale, [](double, double k) { return k; });
  }
  Vector diag(Batch<Record> a) const { return Vector::Ones(count(a)); }
  Vector pullback(Batch<Record> a, Batch<Record> b, const Matrix& w) const {  // dk/dlog l = s k
    return Vector::Constant(
        1, w.cwiseProduct(pairs(a, b, lengthscale, [](double s, double k) { return s * k; })).sum());
  }
  Vector theta() const { return Vector::Constant(1, std::log(lengthscale)); }
  Mixed with(const Vector& t) const { return {std::exp(t[0])}; }
  std::vector<Parameter> parameters() const { return {{"lengthscale", Role::lengthscale, lengthscale}}; }
  Expression node() const { return call_node("mixed", parameters()); }
};

namespace {

Records random_records(std::uint64_t seed, Index n) {
  Records all{random_points(seed, n, 2), {}};
  Random rng(seed + 100);
  for (Index i = 0; i < n; ++i) all.words.push_back(std::string(1, "abc"[rng.integer(3)]));
  return all;
}

Vector targets(const Records& x) {
  Vector y = x.numbers.col(0).array().sin() + 0.5 * x.numbers.col(1).array();
  for (Index i = 0; i < y.size(); ++i) y[i] += x.words[size_t(i)] == "a" ? 1 : 0;
  return y;
}

Process<Record> prior() {
  return Process<Record>(1.5 * Kernel<Record>(Mixed{0.9}), constant_mean<Record>(), Noise::of(0.05));
}

TEST(IndexTypes, AThirdTypesKernelsConform) {
  const Records a = random_records(1, 40), b = random_records(2, 36);
  const Kernel<Record> k = Mixed{0.8};
  expect_conforms<Record>(k, a, b);
  expect_conforms<Record>(2.0 * k * k + fixed(k) + 0.3, a, b);
}

TEST(IndexTypes, AThirdTypeConditionsAndPredicts) {
  const Records x = random_records(3, 50), at = random_records(4, 20);
  const Kernel<Record> k = prior().kernel();
  const Process<Record> p = Process<Record>(k, zero_mean<Record>(), Noise::of(0.05)).condition(x, targets(x));
  Matrix full = k.cross(x, x);
  full.diagonal().array() += 0.05;
  EXPECT_TRUE(near(p.mean(at), k.cross(at, x) * solved(full, targets(x)), 1e-10));
  EXPECT_TRUE(p.sample(at, 3, 1).allFinite());
  Records bad = at;
  bad.numbers(2, 1) = std::nan("");
  EXPECT_NE(error_of([&] { p.mean(bad); }, Problem::data).find("x: row 3, column 2"), std::string::npos);
}

TEST(IndexTypes, RepeatedRecordsMerge) {
  const Records x = random_records(5, 12);
  std::vector<Index> rows = internal::all_indices(12);
  rows.push_back(4), rows.push_back(4);
  Records twice = pick(x, rows), other = twice;
  other.words.back() = "another";
  const Vector y = targets(twice);
  EXPECT_EQ(prior().condition(twice, y).distinct(), 12);
  EXPECT_EQ(prior().condition(other, y).distinct(), 13) << "the same numbers, another word";
}

TEST(IndexTypes, AThirdTypeIsFitted) {
  const Records x = random_records(6, 60);
  Records flat = x;
  flat.numbers.col(1).setOnes();
  FitOptions options;
  options.starts = 2;
  const FitResult<Record> f = fit<Record>({Kernel<Record>(Mixed{0.1})}, x, targets(x), options);
  EXPECT_GT(f.summary.evaluations, 5);
  EXPECT_GT(f.process.kernel().parameters()[1].value, 0.4) << f.summary.kernel;
  EXPECT_TRUE(mentions(fit<Record>({Kernel<Record>(Mixed{1})}, flat, targets(x), options).summary.notes,
                       "column 2 is constant"));
}

TEST(IndexTypes, AThirdTypeIsEdited) {
  const Records x = random_records(7, 30), at = random_records(8, 10);
  const Vector y = targets(x);
  EditableProcess<Record> e(prior());
  e.add(slice(x, {0, 20}), y.head(20));
  e.add(slice(x, {20, 10}), y.tail(10));
  e.remove(0);
  const Process<Record> p = prior().condition(slice(x, {1, 29}), y.tail(29));
  EXPECT_TRUE(near(e.mean(at), p.mean(at), 1e-9));
  EXPECT_TRUE(near(e.variance(at), p.variance(at), 1e-8));
  Records wide = random_records(9, 2);
  wide.numbers.conservativeResize(2, 3), wide.numbers.setZero();
  EXPECT_NE(
      error_of([&] { e.add(wide, Vector::Zero(2)); }, Problem::data).find("expected points of 3 columns"),
      std::string::npos);
}

TEST(IndexTypes, CandidatesOfAThirdTypeAreSelected) {
  const Records x = random_records(10, 40);
  const Vector y = targets(x);
  Selector s(parse_strategy("uncertainty"), pool_of<Record>(prior(), x));
  std::vector<Index> chosen;
  for (int i = 0; i < 10; ++i) {
    const Choice c = s.suggest().at(0);
    s.tell(c.candidate, y[c.candidate]);
    chosen.push_back(c.candidate);
  }
  const Process<Record> p = prior().condition(pick(x, chosen), y(chosen));
  EXPECT_TRUE(near(s.belief().mean(), p.mean(x), 1e-8));
  EXPECT_TRUE(near(s.belief().variance(), p.variance(x), 1e-7));
}

class EveryInferenceOfRecords : public testing::TestWithParam<std::string> {};
TEST_P(EveryInferenceOfRecords, Conforms) {
  using namespace conformance;
  const Inference<Record> i = parse_inference<Record>(GetParam());
  const Records x = random_records(11, 60);
  const InferenceCase<Record> c{prior(), x, targets(x), random_records(12, 15)};
  const InferenceCase<Record> known{
      Process<Record>(prior().kernel(), constant_mean<Record>(0.5), Noise::of(0.05)), x, targets(x), c.at};
  Records far = random_records(13, 2);
  far.numbers.setConstant(1e4);
  for (const Failures& some :
       {text(i, c), marginals(i, c), gradients(i, c), conformance::evidence(i, c), conditioning_twice(i, c),
        far_is_prior<Record>(i, known, far), prediction_blocks(i, c), cost_grows(i)})
    expect_none(some);
  expect_none(
      limit_is_exact(parse_inference<Record>(i.text() == "exact()" ? "exact()" : "inducing(1000)"), c));
}
INSTANTIATE_TEST_SUITE_P(Registry, EveryInferenceOfRecords, testing::Values("exact()", "inducing(20)"),
                         [](const auto& of) { return of.param.substr(0, of.param.find('(')); });

}  // namespace
}  // namespace covary::test::index_type_test
