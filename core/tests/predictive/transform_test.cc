// Transforms of the target: inverse, derivative, moments, scores and evidence in the units of y.
#include "covary/predictive/transform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "covary/base/error.h"
#include "covary/base/random.h"
#include "covary/evaluate/cross_validation.h"
#include "covary/gaussian/univariate.h"
#include "covary/model/model_file.h"
#include "covary/predictive/score.h"
#include "covary/predictive/student_t.h"
#include "covary/predictive/untransformed.h"

namespace covary::test::transform_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<double> values_of(const Transform& g) {
  std::vector<double> out;
  for (const double y : {-40.0, -0.9, -0.2, 1e-6, 0.03, 0.4, 0.97, 1.5, 7.0, 3e3})
    if (g.takes(y)) out.push_back(y);
  return out;
}

/// int h(z) N(z; m, s^2) dz by the midpoint rule: 20 000 cells over -12 .. 12 sds.
template <class H>
double brute(const H& h, double m, double s) {
  constexpr int cells = 20'000;
  double sum = 0;
  for (int i = 0; i < cells; ++i) {
    const double u = -12 + 24 * (i + 0.5) / cells;
    sum += h(m + s * u) * std::exp(-0.5 * u * u);
  }
  return sum * 24 / cells / std::sqrt(2 * std::numbers::pi);
}

std::string refused(const std::function<void()>& f, Problem problem) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.problem(), problem) << e.what();
    return e.what();
  }
  return "accepted";
}

Request request_for(const std::string& transform, const std::string& model = "gp") {
  Request a;
  a.kernel = "se()", a.noise = "learn", a.starts = 2, a.model = model, a.mean = "constant";
  a.transform = Transform(transform);
  return a;
}

FitOptions over_x() {
  FitOptions o;
  o.starts = 2;
  return o;
}

/// Positive, and a function of x whose logarithm is smooth with noise: or the function itself is.
struct Data {
  Matrix x = Matrix(60, 1);
  Vector y = Vector(60);
};
Data log_normal_data() {
  Data d;
  Random rng(5);
  for (Index i = 0; i < 60; ++i) {
    d.x(i, 0) = 6 * rng.uniform();
    d.y[i] = std::exp(1 + 1.5 * std::sin(d.x(i, 0)) + 0.3 * rng.normal());
  }
  return d;
}
Data normal_data() {
  Data d;
  Random rng(6);
  for (Index i = 0; i < 60; ++i) {
    d.x(i, 0) = 6 * rng.uniform();
    d.y[i] = 3 + 2 * std::sin(d.x(i, 0)) + 0.3 * rng.normal();
  }
  return d;
}

TEST(Transform, InverseAndDerivative) {
  for (const std::string& name : transform_names()) {
    const Transform g(name);
    for (const double y : values_of(g)) {
      EXPECT_NEAR(g.inverse(g(y)), y, 1e-12 * std::max(1.0, std::abs(y))) << name;
      const double h = 1e-5 * std::min({1.0, std::abs(y), std::abs(1 - y)});
      const double slope = (g(y + h) - g(y - h)) / (2 * h);
      EXPECT_NEAR(std::log(slope), g.log_derivative(y), 1e-4) << name << " at " << y;
    }
    EXPECT_EQ(Transform(g.name()), g);
    EXPECT_EQ(g.of("y"), name + "(y)");
  }
  EXPECT_TRUE(Transform().is_identity());
  EXPECT_EQ(Transform("").of("y"), "y");
}

TEST(Transform, MomentsAreThoseOfTheInverse) {
  for (const std::string& name : transform_names()) {
    const Transform g(name);
    for (const double m : {-2.0, 0.0, 0.7, 3.0})
      for (const double s : {0.01, 0.4, 1.3}) {
        const auto [mean, sd] = g.moments(m, s);
        const double expected = brute([&](double z) { return g.inverse(z); }, m, s);
        const double square = brute([&](double z) { return std::pow(g.inverse(z) - expected, 2); }, m, s);
        EXPECT_NEAR(mean, expected, 1e-6 * std::abs(expected) + 1e-12) << name << " " << m << " " << s;
        EXPECT_NEAR(sd, std::sqrt(square), 1e-5 * std::sqrt(square) + 1e-12) << name << " " << m << " " << s;
      }
    EXPECT_NEAR(g.moments(0.3, 0).mean, g.inverse(0.3), 1e-14) << name;
    EXPECT_EQ(g.moments(0.3, 0).sd, 0) << name;
  }
  EXPECT_EQ(Transform("log").moments_by(), "closed form");
  EXPECT_EQ(Transform("logit").moments_by(), "quadrature");
  EXPECT_NEAR(Transform("logit").moments(0.4, 300).mean, internal::student_cdf(0.4 / 300, infinity), 1e-4);
  EXPECT_NEAR(Transform("sqrt").moments(-300, 1).mean, 0, 1e-12);
}

/// The density of y is a density: its integral is one.
TEST(Transform, DensityHasItsJacobian) {
  for (const std::string& name : transform_names()) {
    const Transform g(name);
    const Prediction p =
        internal::untransformed(StudentT{Vector::Constant(1, 2), Vector::Constant(1, 0.5)}, g);
    double sum = 0;
    constexpr int cells = 4000;
    for (int i = 0; i < cells; ++i) {  // of equal width in z, not in y
      const double a = g.inverse(-4 + 12 * double(i) / cells), b = g.inverse(-4 + 12 * double(i + 1) / cells);
      const double y = 0.5 * (a + b);
      if (g.takes(y)) sum += std::exp(-score(p, Vector::Constant(1, y)).nlpd) * (b - a);
    }
    EXPECT_NEAR(sum, 1, 1e-4) << name;
  }
}

TEST(Transform, QuantilesAreExact) {
  const Transform g("log");
  const Prediction p =
      internal::untransformed(StudentT{Vector::Constant(1, 1.2), Vector::Constant(1, 0.5)}, g);
  const double k = internal::interval_quantile(95);
  EXPECT_DOUBLE_EQ(p.at(0)[0], std::exp(1.2));
  EXPECT_DOUBLE_EQ(p.at(-k)[0], std::exp(1.2 - 0.5 * k));
  EXPECT_DOUBLE_EQ(p.at(k)[0], std::exp(1.2 + 0.5 * k));
  EXPECT_GT(p.mean[0], p.at(0)[0]);
  const StudentT plain{Vector::Constant(1, 1.2), Vector::Constant(1, 0.5)};
  EXPECT_DOUBLE_EQ(plain.at(k)[0], 1.2 + k * 0.5);
}

/// y (2 Phi(z) - 1) - 2 exp(m + s^2/2) (Phi(z - s) + Phi(s/sqrt 2) - 1)  [baran2015]
TEST(Transform, CrpsOfTheLogNormal) {
  const auto cdf = [](double z) { return internal::student_cdf(z, infinity); };
  for (const double m : {-1.0, 0.8})
    for (const double s : {0.05, 0.6, 2.0})
      for (const double y : {0.01, 0.9, 3.0, 500.0}) {
        const Prediction p = internal::untransformed(StudentT{Vector::Constant(1, m), Vector::Constant(1, s)},
                                                     Transform("log"));
        const double z = (std::log(y) - m) / s;
        const double crps =
            y * (2 * cdf(z) - 1) - 2 * std::exp(m + s * s / 2) * (cdf(z - s) + cdf(s / std::sqrt(2.0)) - 1);
        EXPECT_NEAR(score(p, Vector::Constant(1, y)).crps, crps, 1e-5 * crps) << m << " " << s << " " << y;
      }
}

/// The evidence of log(y) and of y can be compared: each wins on data of its own kind, and the difference is
/// the Jacobian.
TEST(Transform, EvidenceIsOfY) {
  const Data d = log_normal_data();
  const FittedModel raw = fit(request_for(""), {d.x, d.y, {"x"}}, over_x());
  const FittedModel logged = fit(request_for("log"), {d.x, d.y, {"x"}}, over_x());
  EXPECT_GT(logged->summary.log_marginal_likelihood, raw->summary.log_marginal_likelihood + 10);
  EXPECT_LT(logged->summary.loo_nlpd, raw->summary.loo_nlpd);
  const Vector z = d.y.array().log();
  const FittedModel of_z = fit(request_for(""), {d.x, z, {"x"}}, over_x());
  EXPECT_NEAR(logged->summary.log_marginal_likelihood, of_z->summary.log_marginal_likelihood - z.sum(), 1e-8);
  EXPECT_NEAR(logged->summary.loo_nlpd, of_z->summary.loo_nlpd + z.mean(), 1e-8);
  const Data n = normal_data();
  const FittedModel plain = fit(request_for(""), {n.x, n.y, {"x"}}, over_x());
  const FittedModel wrong = fit(request_for("log"), {n.x, n.y, {"x"}}, over_x());
  EXPECT_GT(plain->summary.log_marginal_likelihood, wrong->summary.log_marginal_likelihood + 5);
  EXPECT_LT(plain->summary.loo_nlpd, wrong->summary.loo_nlpd);
}

/// A unit of y changes the evidence of every model alike: by n log of it.
TEST(Transform, UnitsOfYMoveEveryEvidenceAlike) {
  const Data d = log_normal_data();
  for (const char* name : {"", "log"}) {
    const double a = fit(request_for(name), {d.x, d.y, {"x"}}, over_x())->summary.log_marginal_likelihood;
    const double b =
        fit(request_for(name), {d.x, 1000 * d.y, {"x"}}, over_x())->summary.log_marginal_likelihood;
    EXPECT_NEAR(a - b, 60 * std::log(1000.0), 0.02) << name;
  }
}

TEST(Transform, PredictionsSamplesAndChecksAreOfY) {
  const Data d = log_normal_data();
  const FittedModel l = fit(request_for("log"), {d.x, d.y, {"x"}}, over_x());
  const Matrix at = Vector::LinSpaced(7, 0.2, 5.8);
  const Prediction p = l.predict(at, Of::y);
  EXPECT_EQ(p.mean, l.predict(at, Of::y).mean);
  const Matrix draws = l.sample(at, 4000, 1, Of::y);
  EXPECT_GT(draws.minCoeff(), 0);
  const Vector average = draws.rowwise().mean();
  for (Index i = 0; i < at.rows(); ++i) {
    EXPECT_NEAR(average[i], p.mean[i], 5 * p.sd[i] / std::sqrt(4000.0));
    EXPECT_NEAR(double((draws.row(i).array() < p.at(0)[i]).count()) / 4000, 0.5, 0.04);
    EXPECT_NEAR(double((draws.row(i).array() < p.at(1.6448536269514722)[i]).count()) / 4000, 0.95, 0.02);
  }
  EXPECT_EQ(l.mean(at), l.predict(at).mean);
  // Leave-one-out in closed form, by folds, and what the summary says.
  const Prediction closed = left_out(l), folds = left_out(l, {.folds = 60});
  EXPECT_LT((closed.mean - folds.mean).cwiseAbs().maxCoeff(), 1e-6 * closed.mean.maxCoeff());
  EXPECT_LT((closed.at(2) - folds.at(2)).cwiseAbs().maxCoeff(), 1e-6 * closed.at(2).maxCoeff());
  EXPECT_NEAR(score(closed, d.y).nlpd, l->summary.loo_nlpd, 1e-9);
  EXPECT_NEAR(score(closed, d.y).rmse, l->summary.loo_rmse, 1e-9);
  EXPECT_NE(refused([&] { (void)l.joint(at); }, Problem::usage).find("log(y)"), std::string::npos);
}

TEST(Transform, ModelFilesKeepIt) {
  const Data d = log_normal_data();
  const FittedModel l = fit(request_for("log"), {d.x, d.y, {"x"}}, over_x());
  const FittedModel back = parse_model(model_text(l));
  EXPECT_EQ(back->request.transform, Transform("log"));
  EXPECT_EQ(back->y, d.y);
  const Matrix at = Vector::LinSpaced(5, 0, 6);
  EXPECT_EQ(back.predict(at).mean, l.predict(at).mean);
  const FittedModel more = told(back, Matrix::Constant(1, 1, 3.3), Vector::Constant(1, 2.5));
  ModelRecord unlogged = more.record();
  unlogged.request.transform = Transform();
  const FittedModel z = with_rows(FittedModel(unlogged), more->x, more->y.array().log());
  EXPECT_NEAR(more->summary.log_marginal_likelihood, z->summary.log_marginal_likelihood - z->y.sum(), 1e-8);
}

/// Weights whose noise is estimated predict t's: quantiles are theirs; the mean is that of the log-normal.
TEST(Transform, LinearModelsToo) {
  const Data d = log_normal_data();
  const FittedModel l = fit(request_for("log", "bayes"), {d.x, d.y, {"x"}}, over_x());
  const Matrix at = Vector::LinSpaced(5, 0, 6);
  const Prediction p = l.predict(at, Of::y);
  ASSERT_TRUE(std::isfinite(p.freedom()));
  const Prediction z = l.regression()->predict(at, Of::y);
  const double k = internal::interval_quantile(95, p.freedom());
  EXPECT_LT((p.at(k) - Vector((z.mean + k * z.sd).array().exp())).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_TRUE(p.mean.allFinite());
  EXPECT_TRUE(std::isfinite(l->summary.loo_nlpd));
  const FittedModel m = parse_model(model_text(l));
  EXPECT_EQ(m.predict(at, Of::y).mean, p.mean);
}

TEST(Transform, WhatItDoesNotTake) {
  const Data d = log_normal_data();
  Vector y = d.y;
  y[16] = 0;
  EXPECT_EQ(refused(
                [&] {
                  (void)fit(request_for("log"), {d.x, y, {"x"}}, over_x());
                },
                Problem::data),
            "row 17: log(y) needs values above 0, found 0; log1p takes 0");
  y[16] = 1;
  EXPECT_NE(refused([&] { (void)Transform("logit")(y); }, Problem::data).find("between 0 and 1"),
            std::string::npos);
  EXPECT_FALSE(Transform("sqrt").takes(0));
  EXPECT_TRUE(Transform("log1p").takes(0));
  EXPECT_FALSE(Transform("log").takes(std::nan("")));
  EXPECT_NE(refused([] { Transform("reciprocal"); }, Problem::usage).find("the mean of 1/z does not exist"),
            std::string::npos);
  EXPECT_NE(refused([] { Transform("ln"); }, Problem::usage).find("did you mean 'log'?"), std::string::npos);
  EXPECT_NE(refused([] { Transform("cbrt"); }, Problem::usage).find("there are log, log10"),
            std::string::npos);
}

TEST(Target, AsTyped) {
  const std::vector<std::string> columns{"y", "log(z)", "a b", "Temp (C)"};
  EXPECT_EQ(parse_target("y", columns).column, "y");
  EXPECT_EQ(parse_target("log(y)", columns).column, "y");
  EXPECT_EQ(parse_target("log(y)", columns).transform.name(), "log");
  EXPECT_EQ(parse_target(" sqrt ( y ) ", columns).column, " sqrt ( y ) ");  // not closed at the end
  EXPECT_EQ(parse_target("sqrt( y )", columns).column, "y");
  EXPECT_EQ(parse_target("log(z)", columns).column, "log(z)") << "a column of that name is that column";
  EXPECT_TRUE(parse_target("log(z)", columns).transform.is_identity());
  EXPECT_EQ(parse_target("log(log(z))", columns).column, "log(z)");
  EXPECT_EQ(parse_target("log(\"a b\")", columns).column, "a b");
  EXPECT_EQ(parse_target("Temp (F)", columns).column, "Temp (F)") << "no function: a column that is missing";
  EXPECT_EQ(parse_target("log(q)", columns).column, "q");
  EXPECT_THROW((void)parse_target("exp(y)", columns), Error);
}

}  // namespace
}  // namespace covary::test::transform_test
