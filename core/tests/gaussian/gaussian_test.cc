// The multivariate normal as a value: identities on random distributions, regular and singular.
#include "covary/gaussian/gaussian.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <thread>

#include "covary/base/error.h"
#include "covary/base/random.h"
#include "covary/kernels/expression.h"
#include "covary/process/process.h"
#include "support.h"

namespace covary::gaussian_test {
namespace {

/// n components of rank r.
Gaussian random_gaussian(Random& rng, Index n, Index r) {
  const Matrix a = rng.normal(n, r);
  return {rng.normal(n, 1).col(0), Matrix(a * a.transpose())};
}

/// Some components and the others, at least one of each.
std::pair<std::vector<Index>, std::vector<Index>> parted(Random& rng, Index n) {
  const std::vector<Index> some = rng.subset(n, 1 + rng.integer(n - 1));
  std::vector<Index> rest;
  for (Index i = 0; i < n; ++i)
    if (std::find(some.begin(), some.end(), i) == some.end()) rest.push_back(i);
  return {some, rest};
}

double largest(const Matrix& m) { return m.size() ? m.cwiseAbs().maxCoeff() : 0; }

/// Means and covariances agree, relative to the larger of 1 and their largest entries.
void expect_same(const Gaussian& a, const Gaussian& b, double tolerance) {
  EXPECT_LT(largest(a.mean() - b.mean()), tolerance * (1 + largest(b.mean())));
  EXPECT_LT(largest(a.covariance() - b.covariance()), tolerance * (1 + largest(b.covariance())));
}

/// 0, ..., n - 1
std::vector<Index> first(Index n) {
  std::vector<Index> all(static_cast<size_t>(n));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

TEST(Gaussian, ChainRule) {  // p(x) = p(a) p(b | a)
  Random rng(1);
  for (int k = 0; k < 300; ++k) {
    const Index n = 2 + rng.integer(8);
    const Gaussian g = random_gaussian(rng, n, n + 2);
    const auto [a, b] = parted(rng, n);
    const Vector x = g.mean() + rng.normal(n, 1).col(0);
    const double parts = g.marginal(a).log_density(x(a)) + g.conditional(a, x(a)).log_density(x(b));
    EXPECT_NEAR(g.log_density(x), parts, 1e-7 * (1 + std::abs(parts)));
  }
}

TEST(Gaussian, PrecisionFormIsTheCovarianceForm) {
  Random rng(2);
  for (int k = 0; k < 300; ++k) {
    const Index n = 2 + rng.integer(6);
    const Gaussian g = random_gaussian(rng, n, n + 4);
    const CanonicalForm form = g.information();
    expect_same(Gaussian(form), g, 1e-7);
    const auto [a, b] = parted(rng, n);
    const Vector x = rng.normal(std::ssize(a), 1).col(0);
    expect_same(Gaussian(form.conditional(a, x)), g.conditional(a, x), 1e-6);
    expect_same(Gaussian(form.marginal(a)), g.marginal(a), 1e-6);
    const std::vector<Index> backwards(a.rbegin(), a.rend());
    expect_same(Gaussian(form.marginal(backwards)), g.marginal(backwards), 1e-6);
  }
}

TEST(Gaussian, APrecisionMaySayNothingOfADirection) {  // x_0 + x_1 was observed, x_0 - x_1 never
  const CanonicalForm form{Vector::Constant(2, 3), Matrix::Ones(2, 2)};
  EXPECT_THROW((void)Gaussian(form), Error);
  const Gaussian given(form.conditional({0}, Vector::Constant(1, 1)));
  EXPECT_DOUBLE_EQ(given.mean()[0], 2);
  EXPECT_DOUBLE_EQ(given.covariance()(0, 0), 1);
  EXPECT_EQ(form.marginal({1}).j(0, 0), 0) << "nothing is known of one alone";
}

TEST(Gaussian, BadPrecisions) {
  const CanonicalForm form{Vector::Zero(2), Matrix::Identity(2, 2)},
      none{Vector::Zero(2), Matrix::Zero(2, 2)};
  const auto error = [](const std::function<void()>& f, Problem p) { return test::error_of(f, p); };
  EXPECT_EQ(error(
                [&] {
                  (void)CanonicalForm{Vector::Zero(3), form.j}.marginal({0});
                },
                Problem::usage),
            "a precision of 2 x 2 needs h of 2 components, found 3");
  EXPECT_EQ(error(
                [&] {
                  (void)CanonicalForm{form.h, Matrix::Zero(2, 3)}.marginal({0});
                },
                Problem::usage),
            "the precision must be square, found 2 x 3");
  EXPECT_EQ(error([&] { (void)none.marginal({0}); }, Problem::numerical),
            "the precision of the others is not positive definite");
  EXPECT_EQ(error([&] { (void)form.marginal({}); }, Problem::usage),
            "a marginal needs at least one component");
  EXPECT_EQ(error([&] { (void)form.marginal({2}); }, Problem::usage), "component 2: expected 0 to 1");
  EXPECT_EQ(error(
                [&] {
                  (void)form.conditional({0, 1}, Vector::Zero(2));
                },
                Problem::usage),
            "every component is known: nothing is left");
  EXPECT_EQ(error([&] { (void)form.conditional({0}, Vector::Zero(2)); }, Problem::usage),
            "expected 1 finite values, found 2");
  EXPECT_EQ(error(
                [&] {
                  (void)Gaussian(CanonicalForm{Vector::Zero(3), form.j});
                },
                Problem::usage),
            "a precision of 2 x 2 needs h of 2 components, found 3");
  EXPECT_EQ(error([&] { (void)schur_complement(Matrix::Zero(2, 3), {0}); }, Problem::usage),
            "the matrix must be square, found 2 x 3");
}

TEST(Gaussian, ConditioningInStepsIsConditioningAtOnce) {
  Random rng(3);
  for (int k = 0; k < 300; ++k) {
    const Index n = 4 + rng.integer(4);
    const Gaussian g = random_gaussian(rng, n, n + 2);
    const Vector x = rng.normal(2, 1).col(0);
    const Gaussian once = g.conditional({0, 1}, x),
                   steps = g.conditional({0}, x.head(1)).conditional({0}, x.tail(1));
    EXPECT_LT(largest(once.covariance() - steps.covariance()), 1e-8 * largest(g.covariance()));
    EXPECT_LT(largest(once.mean() - steps.mean()), 1e-7 * (1 + largest(once.mean())));
  }
}

/// n observations and m points, to be conditioned by the process and by hand.
struct Conditioned {
  Process<Row> prior;
  Matrix x;  // n + m
  Vector y;  // n
  double noise;

  Gaussian by_process() const {
    return prior.condition(x.topRows(y.size()), y).joint(x.bottomRows(x.rows() - y.size()));
  }
  Gaussian by_hand() const {
    const Gaussian all = prior.joint(x);
    Vector variances = Vector::Zero(x.rows());
    variances.head(y.size()).setConstant(noise);
    return all.plus(variances.asDiagonal()).conditional(first(y.size()), y);
  }
};

Conditioned random_case(Random& rng, double noise) {
  const char* kernels[] = {"1.3 * matern52(lengthscale=[0.7, 1.2])", "0.8 * matern32(0.5) + 0.3",
                           "matern12(1) + 0.2 * linear(1)", "2 * matern32(1) * periodic(1, period=3)"};
  const Index n = 1 + rng.integer(8), m = 1 + rng.integer(5);
  const Process<Row> prior(parse<Row>(kernels[rng.integer(4)]), constant_mean<Row>(rng.normal()),
                           Noise::of(noise));
  const Matrix x = rng.normal(n + m, 2);
  return {prior, x, rng.normal(n, 1).col(0), noise};
}

TEST(Gaussian, ConditioningAProcessIsTheSame) {
  Random rng(4);
  for (int k = 0; k < 1000; ++k) {
    const Conditioned c = random_case(rng, k % 2 ? 0.1 : 0);
    expect_same(c.by_process(), c.by_hand(), 1e-9);
  }
}

TEST(Gaussian, ConditioningAProcessOnRepeatsIsTheSame) {
  Random rng(14);
  for (int k = 0; k < 300; ++k) {  // what is known again, exactly or with noise; and a point that is known
    Conditioned c = random_case(rng, k % 2 ? 0.1 : 0);
    const Index n = c.y.size();
    c.x.row(n) = c.x.row(0);
    if (n > 1) c.x.row(n - 1) = c.x.row(0);
    if (n > 1 && c.noise == 0) c.y[n - 1] = c.y[0];
    const Gaussian process = c.by_process(), hand = c.by_hand();
    expect_same(process, hand, 1e-9);
    EXPECT_EQ(process.rank(), hand.rank());
    EXPECT_EQ(process.rank(), process.size() - (c.noise == 0 ? 1 : 0)) << "an exact observation is certain";
    EXPECT_EQ(process.entropy() == -std::numeric_limits<double>::infinity(), c.noise == 0);
  }
}

TEST(Gaussian, APosteriorIsADistribution) {  // smooth kernels on dense grids: rounding, not an error
  const Matrix grid = Vector::LinSpaced(200, 0, 1), x = Vector::LinSpaced(30, 0, 1);
  const Vector y = x.array().sin();
  for (const double noise : {0.0, 1e-8, 0.1}) {
    const Process<Row> p(parse<Row>("1e6 * se(0.4)"), zero_mean<Row>(), Noise::of(noise));
    for (const Gaussian& g : {p.joint(grid), p.condition(x, y).joint(grid)}) {
      EXPECT_LT(g.rank(), 40);
      EXPECT_TRUE(std::isfinite(g.log_density(g.sample(1, 2).col(0))));
      const Gaussian half = g.conditional(first(100), g.mean().head(100));
      EXPECT_LT(largest(half.mean() - g.mean().tail(100)), 1e-6) << "what was expected changes nothing";
    }
  }
}

TEST(Gaussian, ManyThreadsFactorizeOnce) {
  const Matrix x = Vector::LinSpaced(60, 0, 5);
  const Gaussian g = Process<Row>(parse<Row>("matern32(1)")).joint(x);
  std::vector<double> entropies(8);
  std::vector<std::thread> threads;
  for (double& e : entropies) threads.emplace_back([&g, &e] { e = Gaussian(g).entropy(); });
  for (std::thread& t : threads) t.join();
  for (const double e : entropies) EXPECT_EQ(e, g.entropy());
}

TEST(Gaussian, CertainDirections) {
  Random rng(5);
  for (int k = 0; k < 300; ++k) {
    const Index n = 3 + rng.integer(5), r = 1 + rng.integer(n - 1);
    const Gaussian g = random_gaussian(rng, n, r);
    EXPECT_EQ(g.rank(), r);
    EXPECT_EQ(g.entropy(), -std::numeric_limits<double>::infinity());
    const Matrix draws = g.sample(5, static_cast<std::uint64_t>(k));
    EXPECT_TRUE(std::isfinite(g.log_density(draws.col(0)))) << "a draw is possible";
    EXPECT_EQ(g.log_density(g.mean() + rng.normal(n, 1).col(0)), -std::numeric_limits<double>::infinity());
    EXPECT_THROW(g.information(), Error);
    // All components of a draw but one decide the last when they hold all the directions.
    std::vector<Index> known;
    for (Index i = 0; i + 1 < n; ++i) known.push_back(i);
    if (r < n) {
      const Gaussian last = g.conditional(known, draws.col(0).head(n - 1));
      EXPECT_NEAR(last.mean()[0], draws(n - 1, 0), 1e-6 * (1 + largest(draws)));
      EXPECT_EQ(last.rank(), 0) << last.covariance();
      EXPECT_EQ(last.log_density(last.mean()), 0) << "the density of a point mass on its support";
    }
  }
}

TEST(Gaussian, ImpossibleValuesAreRefused) {
  const Gaussian g(Vector::Zero(3), (Matrix(3, 3) << 1, 1, 0, 1, 1, 0, 0, 0, 1).finished());
  EXPECT_EQ(g.conditional({0, 1}, Vector::Constant(2, 0.5)).mean()[0], 0);
  try {
    (void)g.conditional({0, 1}, Vector::LinSpaced(2, 0, 1));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.problem(), Problem::data);
  }
}

TEST(Gaussian, AffineAndNoise) {
  Random rng(6);
  for (int k = 0; k < 100; ++k) {
    const Gaussian g = random_gaussian(rng, 4, 4);
    const Matrix a = rng.normal(6, 4);
    const Vector b = rng.normal(6, 1).col(0);
    const Gaussian image = g.affine(a, b);
    EXPECT_EQ(image.rank(), 4) << "no more directions than there were";
    EXPECT_LT(largest(image.mean() - (a * g.mean() + b)), 1e-12);
    const Gaussian noisy = image.plus(0.5 * Matrix::Identity(6, 6));
    EXPECT_EQ(noisy.rank(), 6);
    EXPECT_NEAR(noisy.covariance().trace(), image.covariance().trace() + 3, 1e-9);
  }
}

TEST(Gaussian, ProductOfDensities) {
  Random rng(7);
  for (int k = 0; k < 200; ++k) {
    const Index n = 1 + rng.integer(5);
    const Gaussian a = random_gaussian(rng, n, n + 1), b = random_gaussian(rng, n, n + 1);
    const DensityProduct p = product(a, b);
    const Vector x = rng.normal(n, 1).col(0);
    const double direct = a.log_density(x) + b.log_density(x);
    EXPECT_NEAR(p.density.log_density(x) + p.log_scale, direct, 1e-5 * (1 + std::abs(direct)));
  }
}

TEST(Gaussian, EntropyAndMutualInformation) {
  EXPECT_NEAR(Gaussian(Vector::Zero(1), Matrix::Constant(1, 1, 4)).entropy(),
              0.5 * std::log(2 * std::numbers::pi * std::numbers::e * 4), 1e-14);
  Random rng(8);
  for (int k = 0; k < 200; ++k) {
    const Index n = 3 + rng.integer(4);
    const Gaussian g = random_gaussian(rng, n, n + 2);
    const auto [a, b] = parted(rng, n);
    // I(a; b) = H(b) - H(b | a), whatever a was seen to be
    const Vector x = g.sample(1, 3).col(0)(a);
    EXPECT_NEAR(g.mutual_information(a, b), g.marginal(b).entropy() - g.conditional(a, x).entropy(), 1e-7);
  }
  const Gaussian twins(Vector::Zero(2), Matrix::Ones(2, 2)),
      strangers(Vector::Zero(2), Matrix::Identity(2, 2));
  EXPECT_EQ(twins.mutual_information({0}, {1}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(strangers.mutual_information({0}, {1}), 0);
  EXPECT_THROW((void)twins.mutual_information({0}, {0}), Error);
}

TEST(Gaussian, DivergenceIsTheMeanLogRatio) {
  Random rng(9);
  const Gaussian p = random_gaussian(rng, 3, 5), q = random_gaussian(rng, 3, 5);
  const Matrix draws = p.sample(200000, 1);
  double sum = 0;
  for (const auto& x : draws.colwise()) sum += p.log_density(x) - q.log_density(x);
  EXPECT_NEAR(divergence(p, q), sum / 200000, 0.03 * divergence(p, q));
  EXPECT_NEAR(divergence(p, p), 0, 1e-12);
  const Gaussian flat = random_gaussian(rng, 3, 2);
  EXPECT_EQ(divergence(flat, p), std::numeric_limits<double>::infinity());
  EXPECT_EQ(divergence(p, flat), std::numeric_limits<double>::infinity());
  EXPECT_NEAR(divergence(flat, flat), 0, 1e-9);
}

TEST(Gaussian, WassersteinDistance) {
  const auto diagonal = [](double a, double b) {
    return Matrix((Vector(2) << a * a, b * b).finished().asDiagonal());
  };
  // Commuting covariances: |m1 - m2|^2 + sum (sd1 - sd2)^2
  const Gaussian p(Vector::Zero(2), diagonal(1, 2)), q((Vector(2) << 3, 4).finished(), diagonal(2, 5));
  EXPECT_NEAR(wasserstein(p, q), std::sqrt(25.0 + 1 + 9), 1e-12);
  EXPECT_NEAR(wasserstein(p, p), 0, 1e-7);
  Random rng(10);
  for (int k = 0; k < 100; ++k) {  // symmetric, and no way round is shorter; singular ones too
    const Gaussian a = random_gaussian(rng, 4, 2), b = random_gaussian(rng, 4, 4),
                   c = random_gaussian(rng, 4, 1);
    EXPECT_NEAR(wasserstein(a, b), wasserstein(b, a), 1e-9);
    EXPECT_LE(wasserstein(a, c), wasserstein(a, b) + wasserstein(b, c) + 1e-9);
  }
}

TEST(Gaussian, SamplesHaveItsMeanAndCovariance) {
  Random rng(11);
  const Gaussian g = random_gaussian(rng, 4, 3);
  const Matrix x = g.sample(100000, 5);
  const Vector mean = x.rowwise().mean();
  const Matrix centered = x.colwise() - mean;
  EXPECT_LT(largest(mean - g.mean()), 0.03 * largest(g.covariance()));
  EXPECT_LT(largest(centered * centered.transpose() / 100000 - g.covariance()),
            0.03 * largest(g.covariance()));
  EXPECT_EQ(g.sample(3, 5), g.sample(3, 5));
}

TEST(Gaussian, EllipseHoldsSoMuch) {
  const Gaussian g((Vector(2) << 1, 2).finished(), (Matrix(2, 2) << 2, 0.8, 0.8, 1).finished());
  const Matrix e = g.ellipse(90, 50);
  EXPECT_EQ(e.col(0), e.col(49));
  const double level = g.log_density(e.col(0));
  for (const auto& point : e.colwise()) EXPECT_NEAR(g.log_density(point), level, 1e-10);
  const Matrix draws = g.sample(100000, 2);
  Index inside = 0;
  for (const auto& x : draws.colwise()) inside += g.log_density(x) >= level ? 1 : 0;
  EXPECT_NEAR(double(inside) / 100000, 0.9, 0.005);
  EXPECT_THROW((void)Gaussian(Vector::Zero(3), Matrix::Identity(3, 3)).ellipse(90), Error);
  EXPECT_EQ(g.ellipse(0.5, 4).cols(), 4);
  for (const double percent : {0.0, 100.0, -1.0, double(NAN)})
    EXPECT_THROW((void)g.ellipse(percent, 50), Error);
  EXPECT_THROW((void)g.ellipse(90, 3), Error);
}

TEST(Gaussian, SmallVariancesBesideLargeOnes) {  // a tiny component is not certain by itself
  const Gaussian g(Vector::Zero(2), (Vector(2) << 1, 1e-24).finished().asDiagonal());
  EXPECT_EQ(g.rank(), 2);
  EXPECT_EQ(g.marginal({1}).rank(), 1);
  // Exact conditioning leaves rounding of the prior's size; a marginal of that is no less certain.
  const Gaussian three(Vector::Zero(3), Matrix::Ones(3, 3));
  EXPECT_EQ(three.conditional({0}, Vector::Ones(1)).marginal({1}).rank(), 0);
}

TEST(Gaussian, SchurComplementAndBlockInverse) {
  Random rng(12);
  for (int k = 0; k < 300; ++k) {
    const Index n = 2 + rng.integer(6);
    const Matrix m = random_gaussian(rng, n, n + 3).covariance(), inverse = test::inverse_of(m);
    const auto [a, b] = parted(rng, n);
    EXPECT_LT(largest(internal::block_inverse(m, a) - inverse), 1e-7 * largest(inverse));
    EXPECT_LT(largest(internal::block_inverse(m, {}) - inverse), 1e-7 * largest(inverse));
    EXPECT_LT(largest(internal::block_inverse(m, first(n)) - inverse), 1e-7 * largest(inverse));
    // The inverse of the Schur complement is the block of the inverse.
    EXPECT_LT(largest(test::inverse_of(schur_complement(m, a)) - inverse(b, b)), 1e-7 * largest(inverse));
  }
}

TEST(Gaussian, WhatIsNoDistribution) {
  EXPECT_THROW(Gaussian(Vector::Zero(2), Matrix::Identity(3, 3)), Error);
  EXPECT_THROW(Gaussian(Vector(0), Matrix(0, 0)), Error);
  EXPECT_THROW(Gaussian(Vector::Zero(2), (Matrix(2, 2) << 1, 0, 0.5, 1).finished()), Error);
  try {
    (void)Gaussian(Vector::Zero(2), (Matrix(2, 2) << 1, 2, 2, 1).finished());
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "the covariance is not positive semi-definite: it has the eigenvalue -1");
  }
  const Gaussian g(Vector::Zero(2), Matrix::Identity(2, 2));
  EXPECT_THROW((void)g.marginal({0, 0}), Error);
  EXPECT_THROW((void)g.marginal({2}), Error);
  EXPECT_THROW((void)g.conditional({0, 1}, Vector::Zero(2)), Error);
  EXPECT_THROW((void)g.conditional({0}, Vector::Zero(2)), Error);
  EXPECT_THROW(Gaussian(CanonicalForm{Vector::Zero(2), Matrix::Zero(2, 2)}), Error);
}

}  // namespace
}  // namespace covary::gaussian_test
