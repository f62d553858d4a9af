// Predictive families and likelihoods conform, those of the core and those of a user.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "conformance.h"
#include "covary/evaluate/conformal.h"
#include "covary/predictive/score.h"
#include "covary/predictive/student_t.h"
#include "covary/predictive/untransformed.h"
#include "covary/process/noise.h"
#include "covary/testing/distribution_conformance.h"

namespace covary::test::family_test {
namespace {

const Eigen::Vector3d location(0.3, 1.1, -0.7), scale(0.5, 0.2, 0.9);

// -------------------------------------------------------------------------------------------------- families

TEST(PredictiveFamilies, NormalAndStudent) {
  for (const double freedom : {2.5, 7.0, 60.0, double(INFINITY)})
    expect_none(conformance::predictive(StudentT{location, scale, freedom}));
  expect_none(conformance::moments(StudentT{location, scale}));
}

TEST(PredictiveFamilies, EveryTransformOfTheNormal) {
  for (const std::string& name : transform_names()) {
    SCOPED_TRACE(name);
    const Vector shift = Vector::Constant(3, name == "sqrt" ? 8 : 0);  // far from the y of 0 below it
    const Prediction p = internal::untransformed(StudentT{location + shift, 0.6 * scale}, Transform(name));
    expect_none(conformance::predictive(p, 1e-5));
    expect_none(conformance::moments(p));
    EXPECT_FALSE(p.symmetric());
  }
}

/// Mean, sd and CRPS are the log-normal's.
TEST(PredictiveFamilies, TransformsOfAT) {
  for (const std::string& name : transform_names()) {
    SCOPED_TRACE(name);
    const Vector shift = Vector::Constant(3, name == "sqrt" ? 30 : 0);
    const Prediction p = internal::untransformed(StudentT{location + shift, 0.2 * scale, 9}, Transform(name));
    expect_none(conformance::predictive(p, 0));
    EXPECT_EQ(p.freedom(), 9);
    EXPECT_EQ(p.text(), "a t of freedom 9");
  }
}

TEST(PredictiveFamilies, OutsideOfWhatATransformTakes) {
  const Prediction p = internal::untransformed(StudentT{location, scale}, Transform("logit"));
  EXPECT_EQ(p.cdf(Eigen::Vector3d(-1, 0, 2)), Eigen::Vector3d(0, 0, 1));
  EXPECT_EQ(p.log_density(Eigen::Vector3d(-1, 0.5, 2))[0], -INFINITY);
  EXPECT_TRUE(std::isfinite(p.log_density(Eigen::Vector3d(-1, 0.5, 2))[1]));
}

TEST(PredictiveFamilies, JoiningTakesTheSmallerFreedomAndOneFamily) {
  const Prediction a = StudentT{location, scale, 5}, b = StudentT{location, scale, 3};
  EXPECT_EQ(a.joined(b).freedom(), 3);
  EXPECT_EQ(a.joined(b).mean.size(), 6);
  EXPECT_THROW((void)a.joined(internal::untransformed(a, Transform("log"))), Error);
}

TEST(PredictiveFamilies, Scaled) {
  const Prediction p = Prediction(StudentT{location, scale, 5}, 2).scaled(8);
  EXPECT_TRUE(same_bits(p.mean, 8 * location));
  EXPECT_TRUE(same_bits(p.sd, 8 * scale));
  EXPECT_EQ(p.clamped, 2);
}

/// The double exponential, with none of the optional verbs.
struct Laplace {
  Vector location, b;
  double crps_factor = 1;
  Vector mean() const { return location; }
  Vector sd() const { return std::numbers::sqrt2 * b; }
  Vector z(const Vector& y) const { return (y - location).cwiseQuotient(b); }
  Vector cdf(const Vector& y) const {
    return z(y).unaryExpr([](double t) { return t < 0 ? 0.5 * std::exp(t) : 1 - 0.5 * std::exp(-t); });
  }
  Vector quantile(double p) const {
    return location + b * (p < 0.5 ? std::log(2 * p) : -std::log(2 - 2 * p));
  }
  Vector log_density(const Vector& y) const { return -(2 * b).array().log() - z(y).array().abs(); }
  Vector crps(const Vector& y) const {
    const Eigen::ArrayXd t = z(y).array().abs();
    return crps_factor * b.array() * (t + (-t).exp() - 0.75);
  }
  Laplace picked(const std::vector<Index>& w) const { return {location(w), b(w), crps_factor}; }
  Laplace joined(const Laplace& more) const {
    return {internal::concat(location, more.location), internal::concat(b, more.b), crps_factor};
  }
  std::string text() const { return "double exponential"; }
};

TEST(PredictiveFamilies, OfAUser) {
  const Prediction p = Laplace{location, scale};
  expect_none(conformance::predictive(p, 1e-6));  // the cdf has a corner
  expect_none(conformance::moments(p, 1e-4));     // so has the quantile
  EXPECT_THROW((void)p.scaled(2), Error);
  Random rng(3);
  const Index n = 4000;
  const Prediction many = p.picked(std::vector<Index>(n, 1));
  Vector y(n);
  for (double& v : y) v = many.picked({0}).quantile(rng.uniform())[0];
  const Scores s = score(many, y);
  EXPECT_LT(s.pit_distance, s.pit_surprise);
  EXPECT_NE(verdict(s).find("as wide as they should be"), std::string::npos) << verdict(s);
  EXPECT_NEAR(Calibration(many, y).factor(90), many.reach(90), 0.1);
  const Scores wrong = score(many, 1.1 + 3 * (y.array() - 1.1));
  EXPECT_EQ(verdict(wrong).find("intervals are too narrow"), 0U) << verdict(wrong);
}

TEST(PredictiveFamilies, AWrongOneIsNoticed) {
  EXPECT_FALSE(conformance::crps(Laplace{location, scale, 1.001}).empty());
  EXPECT_FALSE(conformance::moments(StudentT{location, scale, 7}).empty()) << "the sd of a t is its scale";
}

// ----------------------------------------------------------------------------------------------- likelihoods

const Vector observed = Eigen::Vector3d(0.9, 0.2, -0.4);
const Marginals latent{location, scale.cwiseAbs2(), 0};

TEST(Likelihoods, GaussianConforms) {
  for (const Noise& noise : {Noise::of(0.3), Noise::learn(0.07)})
    expect_none(conformance::likelihood<Noise>(noise, observed, latent, Noise::parse));
  expect_none(conformance::likelihood(Noise::rows(Eigen::Vector3d(0.1, 0.4, 2)), observed, latent));
  EXPECT_EQ(Noise::parse("learn").text(), "learn");
  EXPECT_EQ(Noise::parse(Noise::none().text()).text(), "0");
  for (const char* text : {"", "learn()", "0.1x", "rows", "-1", "learn(0)", "nan"})
    EXPECT_THROW((void)Noise::parse(text), Error) << text;
}

TEST(Likelihoods, TheNoiseOfATKeepsItsFreedom) {
  Marginals f = latent;
  f.freedom = 4, f.clamped = 1;
  const Prediction p = Noise::of(0.5).predictive(f);
  EXPECT_EQ(p.freedom(), 4);
  EXPECT_EQ(p.clamped, 1);
  EXPECT_TRUE(same_bits(p.sd, Vector((f.variance.array() + 0.5).sqrt())));
}

/// 1 with a probability, or 0.
struct Bernoulli {
  Vector p;
  Vector mean() const { return p; }
  Vector sd() const { return (p.array() * (1 - p.array())).sqrt(); }
  Vector cdf(const Vector& y) const {
    return (y.array() < 0).select(0.0, (y.array() < 1).select(1 - p.array(), 1.0));
  }
  Vector quantile(double share) const { return (share > 1 - p.array()).cast<double>(); }
  Vector log_density(const Vector& y) const { return (y.array() > 0).select(p.array(), 1 - p.array()).log(); }
  Vector crps(const Vector& y) const { return (y - p).cwiseAbs2(); }
  Bernoulli picked(const std::vector<Index>& which) const { return {p(which)}; }
  Bernoulli joined(const Bernoulli& more) const { return {internal::concat(p, more.p)}; }
  std::string text() const { return "Bernoulli"; }
};

/// P(y = 1) = Phi(f): the integral over a normal f is Phi(mean / sqrt(1 + variance)).
struct Probit {
  double slope_factor = 1;
  static Vector phi(const Vector& z) {
    return z.unaryExpr([](double t) { return internal::student_cdf(t, INFINITY); });
  }
  static Vector sign(const Vector& y) { return 2 * y.array() - 1; }
  Vector log_density(const Vector& y, const Vector& f) const {
    return phi(sign(y).cwiseProduct(f)).array().log();
  }
  Vector ratio(const Vector& y, const Vector& f) const {  // density over probability
    return (-0.5 * f.array().square()).exp() / std::sqrt(2 * std::numbers::pi) /
           phi(sign(y).cwiseProduct(f)).array();
  }
  Vector slopes(const Vector& y, const Vector& f) const {
    return slope_factor * sign(y).cwiseProduct(ratio(y, f));
  }
  Vector curvatures(const Vector& y, const Vector& f) const {
    const Vector r = ratio(y, f);
    return -r.array() * (r.array() + sign(y).array() * f.array());
  }
  Prediction predictive(const Marginals& f) const {
    return Bernoulli{phi(f.mean.array() / (1 + f.variance.array()).sqrt())};
  }
  Marginals observed(const Marginals& f) const {
    const Prediction p = predictive(f);
    return {p.mean, p.sd.cwiseAbs2(), f.clamped};
  }
  Vector theta() const { return Vector(0); }
  Probit with(const Vector&) const { return *this; }
  Vector start(double) const { return Vector(0); }
  std::vector<Parameter> parameters() const { return {}; }
  std::string text() const { return "probit()"; }
};

TEST(Likelihoods, OfAUser) {
  const Vector y = Eigen::Vector3d(1, 0, 0);
  expect_none(conformance::likelihood(Probit{}, y, latent));
  const Prediction p = Probit{}.predictive(latent);
  const Scores s = score(p, y);
  EXPECT_NEAR(s.nlpd, -p.log_density(y).mean(), 1e-15);
  EXPECT_NEAR(s.crps, (y - p.mean).squaredNorm() / 3, 1e-15) << "the Brier score";
}

TEST(Likelihoods, AWrongOneIsNoticed) {
  EXPECT_FALSE(conformance::slopes(Probit{1.001}, Eigen::Vector3d(1, 0, 0), latent).empty());
}

}  // namespace
}  // namespace covary::test::family_test
