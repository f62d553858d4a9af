// Draws: moments within Monte Carlo error, the same seed the same numbers, paths that are functions.
#include <gtest/gtest.h>

#include <cmath>

#include "covary/kernels/stationary.h"
#include "covary/process/process.h"
#include "support.h"

namespace covary::test::sample_test {
namespace {

struct Drawn {
  Process<Row> process;
  Matrix x, at;
  Vector y;
};

Drawn drawn(const std::string& kernel, const std::string& trend, double noise) {
  const Matrix spread = Vector::LinSpaced(12, -2.2, 2.2);
  const Matrix x = noise > 0 ? with_repeats(random_points(81, 12, 1), 3) : spread;
  const Vector y = random_targets(82, x);
  Matrix at(6, 1);
  at << -1.3, -0.4, 0.05, 0.6, 1.9, 3;
  return {Process<Row>(parse<Row>(kernel), parse_mean(trend), Noise::of(noise)).condition(x, y), x, at, y};
}

/// The mean within 5 standard errors; each covariance within 5 of sqrt((c_ii c_jj + c_ij^2)/draws).
void expect_moments(const Matrix& draws, const Gaussian& exact, double slack = 0) {
  const double n = double(draws.cols());
  const Vector mean = draws.rowwise().mean();
  const Matrix off = draws.colwise() - mean;
  const Matrix covariance = off * off.transpose() / (n - 1);
  const Matrix& c = exact.covariance();
  for (Index i = 0; i < c.rows(); ++i) {
    EXPECT_NEAR(mean[i], exact.mean()[i], (5 / std::sqrt(n) + slack) * std::sqrt(c(i, i)) + 1e-9) << i;
    for (Index j = 0; j <= i; ++j)
      EXPECT_NEAR(covariance(i, j), c(i, j),
                  5 * std::sqrt((c(i, i) * c(j, j) + c(i, j) * c(i, j)) / n) +
                      slack * std::sqrt(c(i, i) * c(j, j)) + 1e-9)
          << i << ", " << j;
  }
}

TEST(Sample, HasTheMomentsOfTheJoint) {
  for (const char* trend : {"zero", "constant", "linear"}) {
    SCOPED_TRACE(trend);
    const Drawn d = drawn("1.3 * matern52(0.8)", trend, 0.1);
    expect_moments(d.process.sample(d.at, 20000, 1), d.process.joint(d.at));
    expect_moments(d.process.sample(d.at, 20000, 2, Of::y), d.process.joint(d.at, Of::y));
  }
  const Process<Row> prior(parse<Row>("1.3 * matern52(0.8)"), constant_mean<Row>(2.0));
  const Matrix at = random_points(83, 5, 1);
  expect_moments(prior.sample(at, 20000, 3), prior.joint(at));
}

TEST(Sample, TheSameSeedGivesTheSameNumbers) {
  const Drawn d = drawn("1.3 * matern52(0.8)", "constant", 0.1);
  EXPECT_TRUE(same_bits(d.process.sample(d.at, 5, 7), d.process.sample(d.at, 5, 7)));
  EXPECT_FALSE(same_bits(d.process.sample(d.at, 5, 7), d.process.sample(d.at, 5, 8)));
  EXPECT_TRUE(same_bits(d.process.path(7)(d.at), d.process.path(7)(d.at)));
  EXPECT_FALSE(same_bits(d.process.path(7)(d.at), d.process.path(8)(d.at)));
  EXPECT_TRUE(same_bits(d.process.sample(d.at, 2, 7), d.process.sample(d.at, 5, 7).leftCols(2)))
      << "more draws do not change the first";
}

TEST(Sample, ASingularJointIsFiniteAndExactAtTheData) {
  const Drawn d = drawn("1.3 * se(0.8)", "zero", 0);
  const Matrix at = join(join(d.x, d.at), join(d.x, d.at));  // known points, and each point twice
  const Matrix s = d.process.sample(at, 50, 4);
  ASSERT_TRUE(s.allFinite());
  const Index n = d.x.rows(), m = d.at.rows();
  for (Index j = 0; j < 50; ++j) EXPECT_TRUE(near(s.col(j).head(n), d.y, 1e-6));
  EXPECT_NEAR((s.middleRows(n, m) - s.middleRows(2 * n + m, m)).cwiseAbs().maxCoeff(), 0, 1e-5);
}

TEST(Path, HasTheMomentsOfTheJoint) {
  for (const char* kernel :
       {"1.3 * matern52(0.8)", "se(0.9) + 0.5 * periodic(1, 2)", "matern32(1) * (linear(2) + 1)"})
    for (const char* trend : {"zero", "linear"}) {
      SCOPED_TRACE(std::string(kernel) + ", " + trend);
      const Drawn d = drawn(kernel, trend, 0.1);
      constexpr Index draws = 1000;
      Matrix all(d.at.rows(), draws);
      for (Index s = 0; s < draws; ++s) all.col(s) = d.process.path(static_cast<std::uint64_t>(s), 100)(d.at);
      expect_moments(all, d.process.joint(d.at), 0.02);
    }
}

TEST(Path, OfThePriorHasItsMoments) {
  const Process<Row> p(parse<Row>("1.3 * matern32(0.8)"), constant_mean<Row>(2.0));
  const Matrix at = random_points(84, 4, 1);
  Matrix all(4, 3000);
  for (Index s = 0; s < 3000; ++s) all.col(s) = p.path(static_cast<std::uint64_t>(s), 100)(at);
  expect_moments(all, p.joint(at), 0.02);
}

TEST(Path, InterpolatesWhenThereIsNoNoise) {
  for (const char* trend : {"zero", "constant", "linear"}) {
    const Drawn d = drawn("1.3 * matern32(0.8)", trend, 0);
    for (std::uint64_t seed = 0; seed < 10; ++seed)
      EXPECT_TRUE(near(d.process.path(seed)(d.x), d.y, 1e-10)) << trend << " " << seed;
  }
}

TEST(Path, IsAFunction) {
  const Drawn d = drawn("1.3 * matern52(0.8)", "constant", 0.1);
  const Path<Row> path = d.process.path(5);
  const Matrix at = random_points(85, 40, 1);
  const Vector all = path(at);
  for (Index i = 0; i < 40; ++i) EXPECT_NEAR(path(at.row(i))[0], all[i], 1e-12);
}

TEST(Path, IsRefusedByAKernelWithoutFeatures) {
  struct Plain {  // the six verbs and no more
    Matrix cross(Rows a, Rows b) const { return se(1.0).cross(a, b); }
    Vector diag(Rows a) const { return Vector::Ones(a.rows()); }
    Vector pullback(Rows, Rows, const Matrix&) const { return Vector(0); }
    Vector theta() const { return Vector(0); }
    Plain with(const Vector&) const { return {}; }
    std::string text() const { return "plain()"; }
  };
  const Process<Row> p{Kernel<Row>(Plain{})};
  EXPECT_NE(error_of([&] { p.path(1); }, Problem::usage).find("plain()"), std::string::npos);
  EXPECT_TRUE(p.sample(random_points(86, 3, 1), 2, 1).allFinite());
}

}  // namespace
}  // namespace covary::test::sample_test
