// Separators: the conditions that define them, another solver, closed forms on a line, warm starts.
#include "covary/svm/svm.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "support.h"

namespace covary::test::svm_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using Indices = std::vector<Index>;

SvmOptions with_penalty(double penalty) { return {.penalty = penalty}; }

Vector signs(const Vector& side) {
  return (side.array() > 0).select(Vector::Ones(side.size()), -Vector::Ones(side.size()));
}

/// Labels by a curve through the plane; `noise` of 0: separable by a rich kernel.
Vector labels_of(const Matrix& x, double noise, std::uint64_t seed) {
  const Vector side = (2 * x.col(0).array()).sin() + x.col(1).array();
  return signs(side + noise * Random(seed).normal(x.rows(), 1));
}

Vector full(const internal::Separator& s, Index n) {
  Vector w = Vector::Zero(n);
  w(s.support) = s.weights;
  return w;
}

Vector values_at(const internal::Separator& s, const Matrix& k) {
  return internal::decision(s, k(Eigen::all, s.support));
}

double dual(const internal::Separator& s, const Matrix& k, const Vector& y) {
  const Vector w = full(s, y.size());
  return y.dot(w) - 0.5 * w.dot(k * w);
}

double primal(const internal::Separator& s, const Matrix& k, const Vector& y) {
  const Vector w = full(s, y.size());
  const Vector f = values_at(s, k);
  return 0.5 * w.dot(k * w) + s.penalty * (1 - y.array() * f.array()).max(0).sum();
}

/// The largest violation of what makes w optimal: y f >= 1 at weight 0, <= 1 at the penalty, = 1 between.
double violation(const internal::Separator& s, const Matrix& k, const Vector& y) {
  const Vector w = full(s, y.size());
  const Vector yf = y.cwiseProduct(values_at(s, k));
  double most = 0;
  for (Index i = 0; i < y.size(); ++i) {
    if (std::abs(w[i]) < s.penalty) most = std::max(most, 1 - yf[i]);
    if (w[i] != 0) most = std::max(most, yf[i] - 1);
  }
  return most;
}

/// To the tolerance, or to what the rounding of f = sum w k can hide: eps |w|_1 |k|.
void expect_optimal(const internal::Separator& s, const Matrix& k, const Vector& y, double tolerance) {
  const Vector w = full(s, y.size());
  const double size = w.lpNorm<1>();
  const double rounding = std::numeric_limits<double>::epsilon() * size * k.cwiseAbs().maxCoeff();
  EXPECT_LE(violation(s, k, y), std::max(tolerance, rounding));
  EXPECT_NEAR(violation(s, k, y), s.gap, 1e-12 + rounding);
  EXPECT_LE(std::abs(w.sum()), 1e-13 * size);
  EXPECT_GE(w.cwiseProduct(y).minCoeff(), 0);
  EXPECT_LE(w.cwiseAbs().maxCoeff(), s.penalty);
  const double norm2 = w.dot(k * w);
  EXPECT_NEAR(1 / (s.margin * s.margin), norm2, 1e-12 * norm2 + size * rounding);
  EXPECT_TRUE(std::is_sorted(s.support.begin(), s.support.end()));
  EXPECT_EQ(s.size, y.size());
}

TEST(Separator, MeetsItsConditionsAtEveryPoint) {
  const Matrix x = random_points(1, 150, 2);
  for (const double noise : {0.0, 0.5})
    for (const char* text : {"se(0.7)", "matern12(1)", "linear(1)", "polynomial(3, 1)", "se(0.7) + 1e3"})
      for (const double penalty : {0.01, 1.0, 100.0, 1e4, 1e6}) {
        SCOPED_TRACE(std::string(text) + " " + std::to_string(penalty) + " " + std::to_string(noise));
        const Matrix k = parse<Row>(text).cross(x, x);
        const Vector y = labels_of(x, noise, 2);
        expect_optimal(internal::separate(k, y, with_penalty(penalty)), k, y, 1e-6);
      }
}

/// Few places with many points, labels at random: whole faces of optima, and every step may be of length 0.
TEST(Separator, ExistsForLabelsAtRandomOnAGrid) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random rng(seed);
    const Index n = 2 + rng.integer(60), places = 1 + rng.integer(6);
    Matrix x(n, 2);
    Vector y(n);
    for (Index i = 0; i < n; ++i) {
      x.row(i) << double(rng.integer(places)), double(rng.integer(places));
      y[i] = i < 2 ? 2.0 * double(i) - 1 : 2.0 * double(rng.integer(2)) - 1;
    }
    const char* text = std::array{"linear(1)", "se(1)", "polynomial(2, 1)", "se(30)", "2"}[seed % 5];
    const Matrix k = parse<Row>(text).cross(x, x);
    const double penalty = std::pow(10.0, double(rng.integer(7)) - 2);
    SCOPED_TRACE(std::string(text) + " " + std::to_string(penalty) + " seed " + std::to_string(seed));
    const internal::Separator s =
        internal::separate(k, y, {.penalty = penalty, .working = 2 + rng.integer(n)});
    expect_optimal(s, k, y, 1e-6);
    EXPECT_NEAR(primal(s, k, y), dual(s, k, y), 1e-6 * penalty * double(n));
  }
}

TEST(Separator, OfOtherWorkingSetsIsTheSame) {
  const Matrix x = random_points(3, 400, 2), k = parse<Row>("se(0.8)").cross(x, x);
  const Vector y = labels_of(x, 0.3, 4);
  const internal::Separator all = internal::separate(k, y, with_penalty(10));
  for (const Index working : {2, 7, 50}) {
    const internal::Separator s =
        internal::separate(k, y, {.penalty = 10, .tolerance = 1e-8, .working = working});
    expect_optimal(s, k, y, 1e-8);
    EXPECT_TRUE(near(values_at(s, k), values_at(all, k), 1e-6)) << working;
    EXPECT_GT(s.rounds, 1);
  }
}

TEST(Separator, AgreesWithAnotherSolver) {
  const auto all = nlohmann::json::parse(std::ifstream(COVARY_TEST_DATA "/oracles/svm.json"));
  const auto matrix = [](const nlohmann::json& j) {
    Matrix m(std::ssize(j), 2);
    for (size_t i = 0; i < j.size(); ++i) m.row(Index(i)) << j[i][0].get<double>(), j[i][1].get<double>();
    return m;
  };
  const Matrix x = matrix(all["x"]), at = matrix(all["at"]);
  for (const auto& one : all["cases"]) {
    SCOPED_TRACE(one["kernel"].get<std::string>() + " " + one["penalty"].dump());
    const auto given = all[one["labels"].get<std::string>()].get<std::vector<double>>();
    const auto theirs = one["decision"].get<std::vector<double>>();
    const Vector y = Eigen::Map<const Vector>(given.data(), std::ssize(given));
    const Kernel<Row> kernel = parse<Row>(one["kernel"].get<std::string>());
    const Matrix k = kernel.cross(x, x);
    const internal::Separator s = internal::separate(k, y, with_penalty(one["penalty"]));
    const double least = one["dual"], most = one["primal"], found = dual(s, k, y);
    EXPECT_GE(found, least - 1e-12 * most);
    EXPECT_LE(found, most + 1e-12 * most);
    EXPECT_NEAR(primal(s, k, y), found, 1e-10 * most);
    const Vector f = internal::decision(s, kernel.cross(at, x)(Eigen::all, s.support));
    // |f - f*|^2 <= 2 (primal - dual) in the kernel's norm; 10 sd at these points, and the offset's share
    const double off = 1e-5 + 20 * std::sqrt(2 * (most - least));
    for (Index i = 0; i < f.size(); ++i) EXPECT_NEAR(f[i], theirs[static_cast<size_t>(i)], off);
  }
}

/// Points of a line with the labels of their side of 0.
struct Line {
  Matrix x;  // n x 1
  Vector y;
};

/// The two closest are `distance` apart around `middle`, the others up to 1 away.
Line line(double middle, double distance, Index n, std::uint64_t seed) {
  Random rng(seed);
  Line l{Matrix(n, 1), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    l.y[i] = i % 2 ? 1 : -1;
    l.x(i, 0) = middle + l.y[i] * (distance / 2 + (i < 2 ? 0 : 2 * distance + rng.uniform()));
  }
  return l;
}

TEST(Separator, OnALineIsTheMidpoint) {
  for (const double penalty : {infinity, 1e12}) {
    const Line l = line(0.5, 1e-3, 40, 5);
    const Matrix k = l.x * l.x.transpose();
    const internal::Separator s = internal::separate(k, l.y, with_penalty(penalty));
    const double slope = s.weights.dot(l.x.col(0)(s.support));
    EXPECT_NEAR(-s.offset / slope, (l.x(0, 0) + l.x(1, 0)) / 2, 1e-9 * 1e-3);
    EXPECT_NEAR(s.margin, 0.5e-3, 1e-11);
    EXPECT_EQ(s.support, (Indices{0, 1}));
  }
}

TEST(Separator, DoesNotDependOnTheOrder) {
  const Index n = 120;
  const Matrix x = random_points(6, n, 2), k = parse<Row>("matern32(0.8)").cross(x, x);
  const Vector y = labels_of(x, 0.4, 7);
  const internal::Separator s = internal::separate(k, y, with_penalty(5));
  Indices order(static_cast<size_t>(n));
  for (Index i = 0; i < n; ++i) order[static_cast<size_t>(i)] = (37 * i + 11) % n;
  const internal::Separator t =
      internal::separate(Matrix(k(order, order)), Vector(y(order)), with_penalty(5));
  Vector f(n);
  f(order) = values_at(t, k(order, order));
  EXPECT_TRUE(near(f, values_at(s, k), 1e-9));
}

TEST(Separator, LabelsTheOtherWayRoundAreItsNegative) {
  const Matrix x = random_points(8, 90, 2), k = parse<Row>("se(1)").cross(x, x);
  const Vector y = labels_of(x, 0.4, 9);
  const internal::Separator s = internal::separate(k, y), t = internal::separate(k, Vector(-y));
  EXPECT_TRUE(near(values_at(t, k), -values_at(s, k), 1e-9));
  EXPECT_TRUE(same_bits(values_at(internal::negated(s), k), -values_at(s, k)));
}

TEST(Separator, IsIndifferentToACommonLevelOfTheKernel) {
  const Matrix x = random_points(10, 80, 2), k = parse<Row>("se(0.9)").cross(x, x);
  const Vector y = labels_of(x, 0.4, 11);
  const internal::Separator s = internal::separate(k, y, with_penalty(3)),
                            t = internal::separate(Matrix(k.array() + 1e4), y, with_penalty(3));
  EXPECT_TRUE(near(full(t, 80), full(s, 80), 1e-8));
}

TEST(Separator, ComesBackBitForBitIfNoNewPointObjects) {
  const Index n = 100;
  const Matrix x = random_points(12, n, 2), k = parse<Row>("se(0.8)").cross(x, x);
  const Vector y = labels_of(x, 0, 13);
  const internal::Separator s =
      internal::separate(Matrix(k.topLeftCorner(60, 60)), y.head(60), with_penalty(10));
  const Vector f = values_at(s, k);
  Indices rows(60);
  for (Index i = 0; i < 60; ++i) rows[static_cast<size_t>(i)] = i;
  for (Index i = 60; i < n; ++i)
    if (f[i] * y[i] >= 1) rows.push_back(i);
  ASSERT_GT(rows.size(), 65U);
  const internal::Separator t =
      internal::separate(Matrix(k(rows, rows)), Vector(y(rows)), with_penalty(10), &s);
  EXPECT_EQ(t.support, s.support);
  EXPECT_TRUE(same_bits(t.weights, s.weights));
  EXPECT_EQ(t.offset, s.offset);
  EXPECT_EQ(t.rounds, 0);
  EXPECT_EQ(t.size, std::ssize(rows));
}

/// A block that counts the values it was asked for.
struct Counted {
  const Matrix& k;
  std::atomic<Index> asked{0};
  internal::KernelBlock block() {
    return [this](const Indices& r, const Indices& c) -> Matrix {
      asked += std::ssize(r) * std::ssize(c);
      return k(r, c);
    };
  }
};

TEST(Separator, WarmIsColdAndCheaper) {
  const Index n = 260;
  const Matrix x = random_points(14, n, 2), k = parse<Row>("se(0.8)").cross(x, x);
  const Vector y = labels_of(x, 0.3, 15);
  for (const double penalty : {1.0, 100.0}) {
    const SvmOptions options{.penalty = penalty, .tolerance = 1e-9};
    Counted warm{k}, cold{k};
    Index warm_trained = 0, cold_trained = 0;
    internal::Separator s = internal::separate(warm.block(), y.head(60), options);
    for (Index m = 61; m <= n; ++m) {
      s = internal::separate(warm.block(), y.head(m), options, &s);
      const internal::Separator c = internal::separate(cold.block(), y.head(m), options);
      const Matrix here = k.topLeftCorner(m, m);
      expect_optimal(s, here, y.head(m), 1e-9);
      EXPECT_TRUE(near(values_at(s, here), values_at(c, here), 1e-7)) << m;
      warm_trained += s.trained, cold_trained += c.trained;
    }
    EXPECT_LT(2 * warm_trained, cold_trained);
    EXPECT_LT(2 * warm.asked, cold.asked);
  }
}

TEST(Separator, TakesAnotherPenaltyAsAStart) {
  const Matrix x = random_points(16, 120, 2), k = parse<Row>("se(0.8)").cross(x, x);
  const Vector y = labels_of(x, 0.3, 17);
  const internal::Separator s = internal::separate(k, y, with_penalty(3));
  for (const double penalty : {0.1, 30.0}) {
    const internal::Separator t = internal::separate(k, y, with_penalty(penalty), &s);
    expect_optimal(t, k, y, 1e-6);
    EXPECT_TRUE(near(values_at(t, k), values_at(internal::separate(k, y, with_penalty(penalty)), k), 1e-5));
  }
}

TEST(Separator, RepeatedPointsShareTheirWeight) {
  const Matrix x = random_points(18, 50, 2), twice = join(x, x);
  const Vector y = labels_of(x, 0.4, 19);
  const Kernel<Row> kernel = parse<Row>("se(0.9)");
  const Matrix k = kernel.cross(x, x), k2 = kernel.cross(twice, twice);
  const internal::Separator s = internal::separate(k, y, with_penalty(4)),
                            t = internal::separate(k2, internal::concat(y, y), with_penalty(2));
  expect_optimal(t, k2, internal::concat(y, y), 1e-6);
  EXPECT_TRUE(near(values_at(t, k2).head(50), values_at(s, k), 1e-8));
}

TEST(Separator, ContradictionsCostThePenalty) {
  Matrix x(4, 1);
  x << 0, 1, 1, 2;
  const Vector y = (Vector(4) << -1, -1, 1, 1).finished();
  const Matrix k = parse<Row>("se(1)").cross(x, x);
  const internal::Separator s = internal::separate(k, y, with_penalty(2));
  expect_optimal(s, k, y, 1e-9);
  EXPECT_NEAR(values_at(s, k)[1], 0, 1e-12);
  EXPECT_EQ(std::abs(full(s, 4)[1]), 2);
  EXPECT_EQ(std::abs(full(s, 4)[2]), 2);
}

TEST(Separator, AHardMarginThatDoesNotExistIsRefused) {
  Matrix x(4, 1);
  x << 0, 1, 1, 2;
  const Vector y = (Vector(4) << -1, -1, 1, 1).finished();
  const Matrix k = parse<Row>("se(1)").cross(x, x);
  const std::string e = error_of([&] { internal::separate(k, y, with_penalty(infinity)); }, Problem::data);
  EXPECT_NE(e.find("no separator of this kernel classifies all 4 points correctly"), std::string::npos) << e;
  EXPECT_NE(e.find("finite penalty"), std::string::npos) << e;
  const Matrix far = random_points(20, 60, 2), line_k = far * far.transpose();
  error_of([&] { internal::separate(line_k, labels_of(far, 0.5, 21), with_penalty(infinity)); },
           Problem::data);
}

TEST(Separator, RefusesWhatMeansNothing) {
  const Matrix x = random_points(22, 6, 2), k = parse<Row>("se(1)").cross(x, x);
  const Vector y = (Vector(6) << 1, -1, 1, -1, 1, -1).finished();
  const auto says = [&](const Matrix& values, const Vector& labels, const SvmOptions& o, Problem p) {
    return error_of([&] { internal::separate(values, labels, o); }, p);
  };
  EXPECT_EQ(says(k, Vector::Ones(6), {}, Problem::data),
            "labels: expected two classes to separate, found only 1 among 6 points");
  EXPECT_EQ(says(Matrix(0, 0), Vector(0), {}, Problem::data),
            "labels: expected two classes to separate, found none among 0 points");
  Vector odd = y;
  odd[3] = 0.5;
  EXPECT_EQ(says(k, odd, {}, Problem::usage), "labels: point 4: expected 1 or -1, found 0.5");
  for (const double bad : {0.0, -1.0, std::nan("")})
    EXPECT_NE(says(k, y, with_penalty(bad), Problem::usage).find("penalty: expected a positive number or"),
              std::string::npos);
  EXPECT_EQ(says(k, y, {.tolerance = 0}, Problem::usage),
            "tolerance: expected a number between 0 and 1, found 0");
  EXPECT_EQ(says(k, y, {.working = 1}, Problem::usage), "working: expected 2 points or more, found 1");
  EXPECT_EQ(says(k.topRows(5), y, {}, Problem::usage),
            "kernel: expected 6 x 6 values for 6 labels, found 5 x 6");
  Matrix hole = k;
  hole(4, 1) = std::nan("");
  EXPECT_EQ(says(hole, y, {}, Problem::numerical),
            "the kernel of points 5 and 2 is nan: expected a finite number");
}

TEST(Separator, RefusesABeforeOfOtherPoints) {
  const Matrix x = random_points(23, 30, 2), k = parse<Row>("se(1)").cross(x, x);
  const Vector y = labels_of(x, 0, 24);
  const internal::Separator s = internal::separate(k, y);
  EXPECT_EQ(error_of([&] { internal::separate(Matrix(k.topLeftCorner(20, 20)), y.head(20), {}, &s); },
                     Problem::usage),
            "before: expected a separator of the first of these 20 points, found one of 30 points");
  const std::string e = error_of([&] { internal::separate(k, Vector(-y), {}, &s); }, Problem::usage);
  EXPECT_NE(e.find("before: expected a separator of the same labels"), std::string::npos) << e;
}

TEST(Separator, ManyThreadsAtOnceFindTheSameBits) {
  const Matrix x = random_points(25, 300, 2), k = parse<Row>("se(0.8)").cross(x, x);
  const Vector y = labels_of(x, 0.4, 26);
  const internal::Separator s = internal::separate(k, y, {.threads = 1});
  std::vector<internal::Separator> all(6);
  {
    std::vector<std::jthread> threads;
    for (internal::Separator& one : all)
      threads.emplace_back([&] { one = internal::separate(k, y, {.threads = 2}); });
  }
  for (const internal::Separator& one : all) {
    EXPECT_TRUE(same_bits(full(one, 300), full(s, 300)));
    EXPECT_EQ(one.offset, s.offset);
  }
}

TEST(Separator, NeedsOnlyBlocksOfManyPoints) {
  const Index n = 20000;
  const Matrix x = random_points(27, n, 2);
  const Vector y = labels_of(x, 0, 28);
  const Kernel<Row> kernel = parse<Row>("se(1)");
  std::atomic<Index> asked{0};
  const internal::KernelBlock block = [&](const Indices& r, const Indices& c) {
    asked += std::ssize(r) * std::ssize(c);
    return kernel.cross(pick(x, r), pick(x, c));
  };
  const internal::Separator s = internal::separate(block, y, with_penalty(100));
  EXPECT_LE(s.gap, 1e-6);
  EXPECT_LT(asked, n * n / 5);
  const Vector f = internal::decision(s, kernel.cross(x, pick(x, s.support)));
  EXPECT_GT(f.cwiseProduct(y).minCoeff(), -0.5);
}

}  // namespace
}  // namespace covary::test::svm_test
