// Scores of predictions: against integrals, under change of units, and on predictions whose fault is known.
#include "covary/predictive/score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "covary/base/error.h"
#include "covary/base/random.h"
#include "covary/gaussian/univariate.h"
#include "covary/predictive/student_t.h"

namespace covary::score_test {
namespace {

struct Predictions {
  Vector mean, sd, y;
};

/// y ~ N(mean, (honesty sd)^2): 1 is calibrated, more is overconfident.
Predictions predictions(Index n, double honesty, std::uint64_t seed = 1) {
  Random rng(seed);
  Predictions p{Vector(n), Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    p.mean[i] = 3 * rng.normal();
    p.sd[i] = 0.5 + rng.uniform();
    p.y[i] = p.mean[i] + honesty * p.sd[i] * rng.normal();
  }
  return p;
}

constexpr double normal = std::numeric_limits<double>::infinity();

Scores score(const Predictions& p, double freedom = normal) {
  return covary::score(StudentT{p.mean, p.sd, freedom}, p.y);
}

double phi(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

/// CRPS = integral of (F(t) - [t >= y])^2 dt, by the midpoint rule on both sides of y.
double crps_by_integral(double mean, double sd, double y) {
  const auto side = [&](double from, double to, double step) {
    const int steps = 200000;
    double sum = 0;
    for (int k = 0; k < steps; ++k) {
      const double t = from + (to - from) * (k + 0.5) / steps, f = phi((t - mean) / sd) - step;
      sum += f * f;
    }
    return sum * (to - from) / steps;
  };
  const double low = std::min(mean, y) - 12 * sd, high = std::max(mean, y) + 12 * sd;
  return side(low, y, 0) + side(y, high, 1);
}

TEST(Score, CrpsIsItsIntegral) {
  const Predictions p = predictions(12, 2.5);
  double sum = 0;
  for (Index i = 0; i < p.y.size(); ++i) sum += crps_by_integral(p.mean[i], p.sd[i], p.y[i]);
  EXPECT_NEAR(score(p).crps, sum / 12, 1e-8);
}

TEST(Score, OneObservationByHand) {
  const Scores s =
      covary::score(StudentT{Vector::Constant(1, 1.0), Vector::Constant(1, 2.0)}, Vector::Constant(1, 4.0));
  EXPECT_DOUBLE_EQ(s.rmse, 3);
  EXPECT_DOUBLE_EQ(s.mae, 3);
  EXPECT_NEAR(s.nlpd, std::log(2.0) + 1.125 + 0.5 * std::log(2 * M_PI), 1e-15);
  EXPECT_EQ(s.coverage[0].inside, 0);  // 1.5 sd lies outside 50 % and inside 90 %
  EXPECT_EQ(s.coverage[1].inside, 1);
  EXPECT_EQ(s.pit[9], 1);  // Phi(1.5) = 0.933
}

TEST(Score, UnitsOfY) {
  const Predictions p = predictions(200, 1.3);
  const Scores a = score(p), b = score({8 * p.mean, 8 * p.sd, 8 * p.y});
  EXPECT_DOUBLE_EQ(b.rmse, 8 * a.rmse);
  EXPECT_NEAR(b.crps, 8 * a.crps, 1e-13);
  EXPECT_NEAR(b.nlpd, a.nlpd + std::log(8.0), 1e-12);
  EXPECT_DOUBLE_EQ(b.skill, a.skill);
  for (size_t k = 0; k < 4; ++k) EXPECT_EQ(a.coverage[k].inside, b.coverage[k].inside);
}

TEST(Score, TheRightSdScoresBest) {
  const Predictions p = predictions(4000, 1);
  const Scores right = score(p), narrow = score({p.mean, 0.7 * p.sd, p.y}),
               wide = score({p.mean, 1.4 * p.sd, p.y});
  EXPECT_LT(right.nlpd, std::min(narrow.nlpd, wide.nlpd));
  EXPECT_LT(right.crps, std::min(narrow.crps, wide.crps));
}

TEST(Score, Verdicts) {
  EXPECT_NE(verdict(score(predictions(2000, 1))).find("as wide as they should be"), std::string::npos);
  EXPECT_EQ(verdict(score(predictions(2000, 1.6))).find("intervals are too narrow: "), 0U);
  EXPECT_EQ(verdict(score(predictions(2000, 0.6))).find("intervals are too wide: "), 0U);
  Predictions heavy = predictions(2000, 1);
  Random rng(5);
  for (Index i = 0; i < 2000; ++i)  // most errors small, one in twenty large
    heavy.y[i] = heavy.mean[i] + heavy.sd[i] * rng.normal() * (i % 20 == 0 ? 5 : 0.5);
  EXPECT_EQ(verdict(score(heavy)).find("the tails are heavier than normal: "), 0U) << verdict(score(heavy));
}

/// Of a million observations, with intervals so many times as wide as they should be: the innermost, those
/// between, the outermost.
Scores with_widths(double inner, double middle, double outer) {
  Scores s = score(predictions(10, 1));
  for (Coverage& c : s.coverage) {
    const double width = &c == &s.coverage.front() ? inner : &c == &s.coverage.back() ? outer : middle;
    c.n = 1000000;
    c.inside =
        std::lround(double(c.n) * std::erf(width * internal::interval_quantile(c.percent) / std::sqrt(2.0)));
    EXPECT_NEAR(c.width(s.family), width, 1e-3);
  }
  return s;
}

TEST(Score, TailsAreNamedOnlyWhereTheEndsDifferEnough) {
  EXPECT_EQ(verdict(with_widths(1.04, 1.06, 0.98)).find("the tails are heavier than normal: "), 0U);
  EXPECT_EQ(verdict(with_widths(1.01, 1.06, 0.99)).find("intervals are too wide: "), 0U);
  EXPECT_EQ(verdict(with_widths(0.97, 0.94, 1.03)).find("the tails are lighter than normal: "), 0U);
  EXPECT_EQ(verdict(with_widths(0.99, 0.94, 1.01)).find("intervals are too narrow: "), 0U);
}

TEST(Score, LightTails) {
  Predictions light = predictions(500, 1);
  Random rng(6);
  for (Index i = 0; i < 500; ++i)  // errors of one size, either way
    light.y[i] = light.mean[i] + light.sd[i] * (rng.uniform() < 0.5 ? -1 : 1);
  EXPECT_EQ(verdict(score(light)),
            "the tails are lighter than normal: 50 % covers 0 %, but 99 % covers 100 %");
}

TEST(Score, VerdictsOfCalibratedPredictionsAreSeldomWrong) {
  int blamed = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed)
    blamed += verdict(score(predictions(100, 1, seed))).find("as wide as") == std::string::npos ? 1 : 0;
  EXPECT_LE(blamed, 16);  // four levels, each about one in a hundred
}

TEST(Score, PitIsFlatWhenCalibrated) {
  EXPECT_GT(score(predictions(2000, 2)).pit_distance, score(predictions(2000, 2)).pit_surprise);
  int surprised = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Scores s = score(predictions(200, 1, seed));
    surprised += s.pit_distance > s.pit_surprise ? 1 : 0;
  }
  EXPECT_GE(surprised, 1);
  EXPECT_LE(surprised, 12);  // about one in a hundred
  const std::vector<Index> pit = score(predictions(2000, 1)).pit;
  EXPECT_EQ(std::accumulate(pit.begin(), pit.end(), Index{0}), 2000);
}

TEST(Score, CertainPredictions) {
  const Vector mean = Vector::Zero(2), sd = Vector::Zero(2), y = (Vector(2) << 0, 1).finished();
  const Scores s = score({mean, sd, y});
  EXPECT_EQ(StudentT({mean, sd}).standardized(y)[0], 0);
  EXPECT_EQ(StudentT({mean, sd}).log_density(y)[1], -normal);
  EXPECT_EQ(s.coverage[3].inside, 1);
  EXPECT_DOUBLE_EQ(s.crps, 0.5);
  EXPECT_EQ(s.nlpd, std::numeric_limits<double>::infinity());
}

TEST(Score, SizesThatDoNotFit) {
  EXPECT_THROW(score({Vector::Zero(2), Vector::Ones(2), Vector::Zero(3)}), Error);
  EXPECT_THROW(score({Vector(0), Vector(0), Vector(0)}), Error);
}

/// y - mean ~ sd t: a normal divided by the root of a gamma of mean 1.
Predictions student_predictions(Index n, double freedom, std::uint64_t seed = 1) {
  Predictions p = predictions(n, 1, seed);
  Random rng(seed + 1000);
  for (Index i = 0; i < n; ++i)
    p.y[i] = p.mean[i] + (p.y[i] - p.mean[i]) / std::sqrt(rng.gamma(freedom / 2) / (freedom / 2));
  return p;
}

/// The integral of (F(t) - [t >= y])^2 over t = sinh(s), which reaches far into the tails, by Simpson's rule.
double student_crps_by_integral(double y, double freedom) {
  const auto side = [&](double from, double to, double sign) {  // F below y, and 1 - F above it
    const int steps = 20000;
    double sum = 0;
    for (int k = 0; k <= steps; ++k) {
      const double s = from + (to - from) * k / steps,
                   f = internal::student_cdf(sign * std::sinh(s), freedom);
      sum += f * f * std::cosh(s) * (k == 0 || k == steps ? 1 : 2 + 2 * (k % 2));
    }
    return sum * (to - from) / steps / 3;
  };
  const double at = std::asinh(y), far = 60;
  return side(-far, at, 1) + side(at, far, -1);
}

TEST(StudentScore, CrpsIsItsIntegral) {
  for (const double freedom : {1.2, 2.0, 3.7, 40.0})
    for (const double y : {-6.0, -0.5, 0.0, 2.0})
      EXPECT_NEAR(internal::student_crps(y, freedom), student_crps_by_integral(y, freedom), 1e-10) << freedom;
}

TEST(StudentScore, InfiniteFreedomIsTheNormalToTheBit) {
  const Predictions p = predictions(500, 1.3);
  const Scores a = score(p), b = score(p, normal);
  EXPECT_EQ(a.nlpd, b.nlpd);
  EXPECT_EQ(a.crps, b.crps);
  double nlpd = 0;
  const Vector pit = StudentT{p.mean, p.sd}.cdf(p.y);
  for (Index i = 0; i < 500; ++i) {
    const double z = (p.y[i] - p.mean[i]) / p.sd[i];
    nlpd += (std::log(p.sd[i]) + 0.5 * z * z + 0.5 * std::log(2 * M_PI)) / 500;
    EXPECT_EQ(pit[i], phi(z));
  }
  EXPECT_EQ(a.nlpd, nlpd);
}

TEST(StudentScore, UnitsOfY) {
  const Predictions p = student_predictions(200, 3);
  const Scores a = score(p, 3), b = score({8 * p.mean, 8 * p.sd, 8 * p.y}, 3);
  EXPECT_NEAR(b.crps, 8 * a.crps, 1e-13 * b.crps);
  EXPECT_NEAR(b.nlpd, a.nlpd + std::log(8.0), 1e-12);
  EXPECT_EQ(a.pit, b.pit);
  EXPECT_EQ(a.pit_distance, b.pit_distance);
  for (size_t k = 0; k < 4; ++k) EXPECT_EQ(a.coverage[k].inside, b.coverage[k].inside);
}

TEST(StudentScore, PitIsFlatForDrawsOfTheT) {
  int surprised = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Predictions p = student_predictions(200, 2.5, seed);
    const Scores s = score(p, 2.5);
    surprised += s.pit_distance > s.pit_surprise ? 1 : 0;
  }
  EXPECT_GE(surprised, 1);
  EXPECT_LE(surprised, 12);  // about one in a hundred
}

TEST(StudentScore, TheRightFreedomScoresBest) {
  const Predictions p = student_predictions(20000, 3);
  const Scores right = score(p, 3), wrong = score(p), heavy = score(p, 1.3);
  EXPECT_LT(right.nlpd, std::min(heavy.nlpd, wrong.nlpd));
  EXPECT_LT(right.crps, std::min(heavy.crps, wrong.crps));
  EXPECT_EQ(verdict(wrong).find("intervals are too narrow: "), 0U) << verdict(wrong);
}

TEST(StudentScore, VerdictsOfCalibratedPredictionsAreSeldomWrong) {
  int blamed = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Predictions p = student_predictions(1000, 3, seed);
    blamed += verdict(score(p, 3)).find("as wide as") == std::string::npos ? 1 : 0;
  }
  EXPECT_LE(blamed, 16);  // four levels, each about one in a hundred
}

TEST(StudentScore, TailsAreComparedWithTheT) {
  Predictions p = predictions(2000, 1);
  Random rng(5);
  for (Index i = 0; i < 2000; ++i) p.y[i] = p.mean[i] + p.sd[i] * rng.normal() * (i % 20 == 0 ? 30 : 0.4);
  const std::string v = verdict(score(p, 4));
  EXPECT_EQ(v.find("the tails are heavier than a t of freedom 4: "), 0U) << v;
}

TEST(StudentScore, NoMeanNoCrps) {
  const Predictions p = predictions(10, 1);
  EXPECT_EQ(score(p, 1).crps, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isfinite(score(p, 1).nlpd));
  EXPECT_THROW(score(p, 0), Error);
}

// At 188 717 rows everything is off by more than chance; the verdict weighs by how much.
TEST(Score, TheVerdictWeighsSizeToo) {
  const Scores close = score(predictions(188'717, 1.02)), narrow = score(predictions(188'717, 1.2));
  EXPECT_LT(close.coverage[2].excess(), -5) << "off by far more than chance";
  EXPECT_EQ(
      verdict(close).find("intervals are as wide as they should be, to 5 % of their width: 95 % covers "), 0U)
      << verdict(close);
  EXPECT_EQ(verdict(narrow).find("intervals are too narrow: "), 0U) << verdict(narrow);
  EXPECT_NEAR(narrow.coverage[1].width(narrow.family), 1 / 1.2, 0.01);
  EXPECT_EQ((Coverage{95, 0, 10}).width(narrow.family), 0);
  EXPECT_TRUE(std::isinf((Coverage{95, 10, 10}).width(narrow.family)));
}

TEST(Score, EvidenceInWords) {
  EXPECT_EQ(internal::evidence_words(0.5), "as good, hardly worth a mention");
  EXPECT_EQ(internal::evidence_words(2), "positive evidence against it");
  EXPECT_EQ(internal::evidence_words(4), "strong evidence against it");
  EXPECT_EQ(internal::evidence_words(50), "very strong evidence against it");
}

TEST(RSquared, IsTheSkillAndScikitLearnsOnTheEdges) {
  const Predictions p = predictions(200, 1.3);
  EXPECT_NEAR(r_squared(p.mean, p.y), score(p).skill, 1e-12);
  const Vector same = Vector::Constant(3, 2.0);
  EXPECT_EQ(r_squared(same, same), 1);
  EXPECT_EQ(r_squared(Vector::Zero(3), same), 0);
  EXPECT_TRUE(std::isnan(r_squared(Vector::Zero(1), Vector::Zero(1))));
  EXPECT_NEAR(r_squared(1e200 * p.mean, 1e200 * p.y), r_squared(p.mean, p.y), 1e-12);
  EXPECT_THROW((void)r_squared(Vector::Zero(2), Vector::Zero(3)), Error);
}

}  // namespace
}  // namespace covary::score_test
