// Classifiers: closed forms on a line, several classes, classes that come late, warm starts, other points
// than rows.
#include "covary/svm/classifier.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "covary/kernels/linear.h"
#include "support.h"

namespace covary::test::classifier_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using Labels = std::vector<Index>;
using C = Classifier<Row>;

/// Where f changes sign between a and b, by halving.
double crossing(const C& c, double a, double b) {
  const auto f = [&](double x) { return c.decision(Matrix::Constant(1, 1, x), 1)(0, 1); };
  const bool up = f(b) > 0;
  for (double m = a + (b - a) / 2; m != a && m != b; m = a + (b - a) / 2) ((f(m) > 0) == up ? b : a) = m;
  return a + (b - a) / 2;
}

struct Line {
  Matrix x;  // n x 1
  Labels label;
};

/// Classes 0 and 1 on both sides of `middle`, their closest points (the first two) `distance` apart.
Line line(double middle, double distance, Index n, std::uint64_t seed) {
  Random rng(seed);
  Line l{Matrix(n, 1), Labels(static_cast<size_t>(n))};
  for (Index i = 0; i < n; ++i) {
    const double side = i % 2 ? 1 : -1;
    l.label[static_cast<size_t>(i)] = i % 2;
    l.x(i, 0) = middle + side * (distance / 2 + (i < 2 ? 0 : distance + rng.uniform()));
  }
  return l;
}

TEST(Classifier, OnALineSeparatesAtTheMidpoint) {
  for (const char* kernel : {"linear(1)", "linear(1) + 1e6", "3 * linear(0.1)"})
    for (const double middle : {0.5, 1000.0, -3e5})
      for (const double distance : {1e-1, 1e-3, 1e-6})
        for (const Index n : {2, 3, 60}) {
          SCOPED_TRACE(fmt::format("{} {} {} {}", kernel, middle, distance, n));
          const Line l = line(middle, distance, n, 1);
          const C c = C::train(parse<Row>(kernel), l.x, l.label, {.penalty = infinity});
          const double a = l.x(0, 0), b = l.x(1, 0);
          EXPECT_NEAR(crossing(c, a, b) - a, (b - a) / 2, 1e-9 * (b - a) + 2e-16 * std::abs(middle));
          EXPECT_NEAR(c.decision(l.x.row(0))(0, 1), -1, 1e-9);  // f is straight: its zero to 1e-9 of b - a
          EXPECT_NEAR(c.decision(l.x.row(1))(0, 1), 1, 1e-9);
          EXPECT_LE(c.machine(1).gap, 1e-6);
          EXPECT_TRUE(c.notes().empty());
        }
}

TEST(Classifier, APointFarAwayDoesNotBlurTheMidpoint) {
  for (const double away : {1e3, 1e5, -1e5}) {
    Line l = line(0.5, 0.01, 60, 1);
    l.x(20, 0) = away > 0 ? 0.5 - away : -0.5;
    l.x(21, 0) = away > 0 ? 2 : 0.5 - away;
    const C c = C::train(parse<Row>("linear(1)"), l.x, l.label, {.penalty = infinity});
    EXPECT_NEAR(crossing(c, l.x(0, 0), l.x(1, 0)), 0.5, 1e-11) << away;
  }
}

/// A kernel of size 1 has a rounding of 1e-16, and between points so close it differs by distance^2/2.
TEST(Classifier, OfTwoPointsSeparatesAtTheMidpointAsFarAsKernelValuesTell) {
  for (const char* kernel : {"se(1)", "matern52(1)", "rational_quadratic(1, 2)"})
    for (const double middle : {0.5, 1000.0})
      for (const double distance : {1e-1, 1e-3, 1e-6}) {
        SCOPED_TRACE(fmt::format("{} {} {}", kernel, middle, distance));
        const Line l = line(middle, distance, 2, 2);
        const C c = C::train(parse<Row>(kernel), l.x, l.label, {.penalty = infinity});
        const double a = l.x(0, 0), b = l.x(1, 0), told = 4e-16 / (distance * distance);
        EXPECT_NEAR(crossing(c, a, b) - a, (b - a) / 2, (1e-9 + told) * (b - a) + 2e-16 * middle);
      }
}

/// Three classes in sectors of the plane.
Labels sectors(const Matrix& x) {
  Labels label;
  for (Index i = 0; i < x.rows(); ++i) label.push_back(Index((std::atan2(x(i, 1), x(i, 0)) + M_PI) / 2.0944));
  return label;
}

Labels first(const Labels& all, Index n) { return {all.begin(), all.begin() + n}; }

TEST(Classifier, TellsThreeClassesApart) {
  const Matrix x = random_points(3, 200, 2), at = random_points(4, 500, 2);
  const Labels label = sectors(x), truth = sectors(at);
  const Kernel<Row> kernel = parse<Row>("se(1)");
  const C c = C::train(kernel, x, label, {.penalty = 100});
  EXPECT_EQ(c.classes(), 3);
  EXPECT_EQ(C::train(parse<Row>("matern32(1)"), x, label, {.penalty = infinity}).predict(x), label);
  const Matrix f = c.decision(at);
  const Labels there = c.predict(at);
  Index right = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    right += there[i] == truth[i];
    EXPECT_EQ(f(Index(i), there[i]), f.row(Index(i)).maxCoeff());
  }
  EXPECT_GT(right, 470);
  for (Index one = 0; one < 3; ++one) {  // each is the machine of one against the rest
    const internal::Separator s =
        internal::separate(kernel.cross(x, x), internal::one_against_rest(label, one), {.penalty = 100});
    EXPECT_TRUE(near(f.col(one), internal::decision(s, kernel.cross(at, pick(x, s.support))), 1e-7));
  }
}

TEST(Classifier, OfTwoClassesHasOneMachine) {
  const Matrix x = random_points(5, 80, 2), at = random_points(6, 300, 2);
  Labels label = sectors(x);
  for (Index& c : label) c = c == 0 ? 1 : 3;
  const C c = C::train(parse<Row>("matern32(1)"), x, label);
  const Matrix f = c.decision(at);
  EXPECT_EQ(f.cols(), 4);
  EXPECT_TRUE(same_bits(f.col(1), -f.col(3)));
  EXPECT_TRUE((f.col(0).array() == -infinity).all() && (f.col(2).array() == -infinity).all());
  EXPECT_TRUE(same_bits(c.machine(1).weights, -c.machine(3).weights));
  EXPECT_EQ(c.machine(1).offset, -c.machine(3).offset);
  EXPECT_FALSE(c.seen(2));
  EXPECT_TRUE(mentions(c.notes(), "class 2 was not seen so far"));
  EXPECT_EQ(error_of([&] { c.machine(2); }, Problem::usage),
            "class 2 was not seen so far: it has no separator");
}

TEST(Classifier, OfOneClassPredictsIt) {
  const Matrix x = random_points(7, 5, 2);
  const C c = C::train(parse<Row>("se(1)"), x, Labels(5, 2));
  EXPECT_EQ(c.predict(x), Labels(5, 2));
  EXPECT_TRUE((c.decision(x).col(2).array() == 0).all());
  EXPECT_EQ(c.decision(x)(0, 0), -infinity);
  EXPECT_EQ(error_of([&] { c.machine(2); }, Problem::usage),
            "class 2 is the only one seen: there is nothing to separate");
}

TEST(Classifier, TiesGoToTheLowestClass) {
  const Matrix x = (Matrix(2, 1) << -1, 1).finished(), between = Matrix::Zero(1, 1);
  for (const Labels& label : {Labels{0, 1}, Labels{1, 0}}) {
    const C c = C::train(parse<Row>("se(1)"), x, label);
    EXPECT_EQ(c.decision(between).cwiseAbs().maxCoeff(), 0);
    EXPECT_EQ(c.predict(between), Labels{0});
  }
}

TEST(Classifier, HasTheSameBitsForAnyThreadsAndBlocks) {
  const Matrix x = random_points(8, 150, 3), at = random_points(9, 1000, 3);
  for (const char* kernel : {"se(1)", "linear(1) + matern32(2)"}) {
    const C c = C::train(parse<Row>(kernel), x, sectors(x), {.threads = 1});
    const C d = C::train(parse<Row>(kernel), x, sectors(x), {.threads = 3});
    const Matrix f = c.decision(at, 1);
    EXPECT_TRUE(same_bits(d.decision(at, 3), f));
    for (const Index i : {0, 17, 300, 999}) EXPECT_TRUE(same_bits(c.decision(at.row(i)), f.row(i)));
    EXPECT_TRUE(same_bits(c.decision(at.middleRows(100, 333)), f.middleRows(100, 333)));
  }
}

/// Points one by one; class 2 appears only late.
TEST(Classifier, WarmIsColdWithClassesThatComeLate) {
  const Matrix all = random_points(10, 240, 2), at = random_points(11, 50, 2);
  const Labels raw = sectors(all);
  std::vector<Index> order;
  for (Index c = 0; c < 3; ++c)  // 5 of class 0, 60 of 0 and 1, then all
    for (Index i = 0; i < 240; ++i) {
      const Index when = i < 10 && raw[size_t(i)] == 0 ? 0 : i < 100 && raw[size_t(i)] < 2 ? 1 : 2;
      if (when == c) order.push_back(i);
    }
  const Matrix x = pick(all, order);
  const Labels label = sectors(x);
  for (const char* kernel : {"se(1)", "linear(1) + se(0.7)"}) {
    const SvmOptions options{.penalty = 20, .tolerance = 1e-9};
    std::optional<C> warm;
    Index warm_trained = 0, cold_trained = 0;
    for (Index n = 1; n <= 200; ++n) {
      const C next =
          C::train(parse<Row>(kernel), x.topRows(n), first(label, n), options, warm ? &*warm : nullptr);
      warm = next;
      if (n % 10) continue;
      const C cold = C::train(parse<Row>(kernel), x.topRows(n), first(label, n), options);
      EXPECT_EQ(cold.predict(at), warm->predict(at));
      for (Index c = 0; c < cold.classes(); ++c) {
        if (!cold.has_machine(c)) continue;
        EXPECT_TRUE(near(warm->decision(at).col(c), cold.decision(at).col(c), 1e-6)) << n << " " << c;
        warm_trained += warm->machine(c).trained, cold_trained += cold.machine(c).trained;
      }
    }
    EXPECT_LT(2 * warm_trained, cold_trained) << kernel;
  }
}

TEST(Classifier, ANewPointOnItsSideChangesNoBit) {
  const Matrix x = random_points(12, 60, 2), far = random_points(13, 400, 2);
  const Kernel<Row> kernel = parse<Row>("linear(1) + se(1)");
  Labels label = sectors(x);
  const C c = C::train(kernel, x, label, {.penalty = 10});
  const Matrix f = c.decision(far);
  const Labels truth = sectors(far);
  for (Index i = 0, found = 0; i < 400 && found < 5; ++i) {
    const Vector y = 2 * Vector::Unit(3, truth[size_t(i)]) - Vector::Ones(3);
    if ((f.row(i).transpose().array() * y.array()).minCoeff() < 1) continue;
    ++found;
    Labels more = label;
    more.push_back(truth[size_t(i)]);
    const C d = C::train(kernel, join(x, far.row(i)), more, {.penalty = 10}, &c);
    EXPECT_TRUE(same_bits(d.decision(far), f));
    EXPECT_EQ(d.machine(0).rounds, 0);
    EXPECT_EQ(d.size(), 61);
  }
}

/// Words of letters; the kernel counts letters in common.
struct Letters {
  static Vector counts(const std::string& s) {
    Vector n = Vector::Zero(26);
    for (const char c : s) ++n[c - 'a'];
    return n;
  }
  Matrix cross(std::span<const std::string> a, std::span<const std::string> b) const {
    Matrix k(count(a), count(b));
    for (size_t i = 0; i < a.size(); ++i)
      for (size_t j = 0; j < b.size(); ++j) k(Index(i), Index(j)) = counts(a[i]).dot(counts(b[j]));
    return k;
  }
  Vector diag(std::span<const std::string> a) const { return cross(a, a).diagonal(); }
  Vector pullback(std::span<const std::string>, std::span<const std::string>, const Matrix&) const {
    return Vector(0);
  }
  Vector theta() const { return Vector(0); }
  Letters with(const Vector&) const { return *this; }
  std::string text() const { return "letters()"; }
};

TEST(Classifier, OverStrings) {
  using S = Classifier<std::string>;
  const std::vector<std::string> words{"aab", "aba", "bbc", "cbb", "ccca"}, more{"aab", "aba", "x"};
  const S c = S::train(Letters{}, words, {0, 0, 1, 1, 2}, {.penalty = 10});
  EXPECT_EQ(c.predict(words), (Labels{0, 0, 1, 1, 2}));
  EXPECT_EQ(c.predict(std::vector<std::string>{"aaab", "bbbbc"}), (Labels{0, 1}));
  const S before = S::train(Letters{}, words, {0, 0, 1, 1, 2});
  EXPECT_EQ(error_of(
                [&] {
                  S::train(Letters{}, std::vector<std::string>{"aab", "zz", "bbc", "cbb", "ccca"},
                           {0, 0, 1, 1, 2}, {}, &before);
                },
                Problem::usage),
            "before: expected to be trained on the first of these points, and number 2 is another");
}

TEST(Classifier, RefusesWhatMeansNothing) {
  const Matrix x = random_points(14, 4, 2);
  const Kernel<Row> k = parse<Row>("se(1)");
  const auto says = [&](const Kernel<Row>& kernel, const Labels& label, const C* before = nullptr) {
    return error_of([&] { C::train(kernel, x, label, {}, before); }, Problem::usage);
  };
  EXPECT_EQ(says(k, {0, 1, 0}), "labels: expected one for each of 4 points, at least one, found 3");
  EXPECT_EQ(says(k, {0, 1, -2, 0}), "labels: point 3: expected a class from 0 to 99999, found -2");
  EXPECT_NE(says(parse<Row>("se()"), {0, 1, 0, 1}).find("lengthscale"), std::string::npos);
  const C before = C::train(k, x, {0, 1, 0, 1});
  EXPECT_EQ(says(k, {0, 1, 1, 1}, &before),
            "before: expected to be trained on the first of these labels, and number 3 is another");
  EXPECT_EQ(says(parse<Row>("se(2)"), {0, 1, 0, 1}, &before),
            "before: expected to be trained with " + parse<Row>("se(2)").text() + ", found " + k.text());
  EXPECT_EQ(error_of(
                [&] {
                  C::train(k, x.topRows(3), {0, 1, 0}, {}, &before);
                },
                Problem::usage),
            "before: expected to be trained on the first of these 3 points, found one trained on 4");
  Matrix hole = x;
  hole(2, 1) = std::nan("");
  EXPECT_EQ(error_of(
                [&] {
                  C::train(k, hole, {0, 1, 0, 1});
                },
                Problem::data),
            "x: row 3, column 2: expected a finite number, found nan");
  EXPECT_NE(error_of(
                [&] {
                  C::train(k, x, {0, 1, 0, 1}, {.penalty = -1});
                },
                Problem::usage)
                .find("penalty"),
            std::string::npos);
}

// Where all weights are at the penalty, or are but for rounding, the offset is the middle of what the points
// allow, whether labels came one by one or all at once.
TEST(Classifier, OneByOneIsAllAtOnceWhereTheOffsetIsOpen) {
  Matrix x = test::random_points(1, 120, 2);
  for (Index i = 0; i < 60; i += 3) x.row(i + 60) = x.row(i);
  for (const double penalty : {0.01, 0.05, 0.2}) {
    const SvmOptions options{.penalty = penalty};
    const Kernel<Row> k = parse<Row>("se(lengthscale=0.8)");
    std::vector<Index> label;
    std::optional<C> grown;
    for (Index n = 1; n <= 90; ++n) {
      label.push_back(x(n - 1, 0) > 0);
      grown = C::train(k, x.topRows(n), label, options, grown ? &*grown : nullptr);
      if (n < 12) continue;
      ASSERT_TRUE(near(grown->decision(x), C::train(k, x.topRows(n), label, options).decision(x), 1e-5)) << n;
    }
  }
}

}  // namespace
}  // namespace covary::test::classifier_test
