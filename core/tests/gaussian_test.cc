// The multivariate normal as a value: identities on random distributions, regular and singular.
#include "covary/gaussian.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "covary/error.h"
#include "covary/expression.h"
#include "covary/process.h"
#include "covary/random.h"

namespace covary {
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
    const Gaussian back(g.information());
    EXPECT_LT(largest(back.covariance() - g.covariance()), 1e-7 * largest(g.covariance()));
    EXPECT_LT(largest(back.mean() - g.mean()), 1e-7 * (1 + largest(g.mean())));
    // Conditioning drops rows of J and moves h: J_bb, h_b - J_ba x_a.
    const auto [a, b] = parted(rng, n);
    const Vector x = rng.normal(std::ssize(a), 1).col(0);
    const Information form = g.information();
    const Gaussian by_precision(Information{form.h(b) - form.j(b, a) * x, form.j(b, b)});
    const Gaussian direct = g.conditional(a, x);
    EXPECT_LT(largest(direct.covariance() - by_precision.covariance()), 1e-7 * largest(g.covariance()));
    EXPECT_LT(largest(direct.mean() - by_precision.mean()), 1e-6 * (1 + largest(direct.mean())));
  }
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

TEST(Gaussian, ConditioningAProcessIsTheSame) {
  Random rng(4);
  for (int k = 0; k < 100; ++k) {
    const Index n = 2 + rng.integer(6), m = 1 + rng.integer(4);
    const Matrix x = rng.normal(n + m, 2);
    const Vector y = rng.normal(n, 1).col(0);
    const Process<Row> prior(parse<Row>("1.3 * matern52(lengthscale=[0.7, 1.2])"), zero_mean<Row>(),
                             Noise::of(0.1));
    const Joint all = prior.joint(x);
    Matrix noisy = all.covariance;
    noisy.topLeftCorner(n, n).diagonal().array() += 0.1;
    std::vector<Index> known;
    for (Index i = 0; i < n; ++i) known.push_back(i);
    const Gaussian by_hand = Gaussian(all.mean, noisy).conditional(known, y);
    const Joint process = prior.condition(x.topRows(n), y).joint(x.bottomRows(m));
    EXPECT_LT(largest(by_hand.mean() - process.mean), 1e-9);
    EXPECT_LT(largest(by_hand.covariance() - process.covariance), 1e-9);
  }
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
  const Matrix centred = x.colwise() - mean;
  EXPECT_LT(largest(mean - g.mean()), 0.03 * largest(g.covariance()));
  EXPECT_LT(largest(centred * centred.transpose() / 100000 - g.covariance()), 0.03 * largest(g.covariance()));
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
}

TEST(Gaussian, SchurComplementAndBlockInverse) {
  Random rng(12);
  for (int k = 0; k < 300; ++k) {
    const Index n = 2 + rng.integer(6);
    const Matrix m = random_gaussian(rng, n, n + 3).covariance(), inverse = m.inverse();
    const auto [a, b] = parted(rng, n);
    EXPECT_LT(largest(block_inverse(m, a) - inverse), 1e-7 * largest(inverse));
    // The inverse of the Schur complement is the block of the inverse.
    EXPECT_LT(largest(schur_complement(m, a).inverse() - inverse(b, b)), 1e-7 * largest(inverse));
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
  EXPECT_THROW(Gaussian(Information{Vector::Zero(2), Matrix::Zero(2, 2)}), Error);
}

}  // namespace
}  // namespace covary
