// Hyper-parameters averaged out: the posterior by quadrature, seeds, transforms, refusals.
#include "covary/model/marginalized.h"

#include <cmath>

#include "covary/inference/evidence.h"
#include "covary/predictive/score.h"
#include "support.h"

namespace covary::test::marginalized_test {
namespace {

struct Rows12 {
  Matrix x = 4 * random_points(1, 12, 1);
  Vector y = x.col(0).array().sin() + 0.2 * random_points(2, 12, 1).col(0).array();
};

FittedModel fitted(const std::string& kernel, const std::string& noise, const Matrix& x, const Vector& y,
                   Prior prior = Prior::weak, const std::string& transform = "") {
  Request r;
  r.kernel = kernel, r.noise = noise, r.mean = "zero", r.prior = prior, r.transform = Transform(transform);
  FitOptions o;
  o.prior = prior, o.threads = 1;
  TrainingData data{x, y, {}, "y", noise == "learn" ? Noise::learn() : Noise::parse(noise)};
  for (Index k = 0; k < x.cols(); ++k) data.features.push_back("x" + std::to_string(k + 1));
  return fit(r, data, o);
}

/// One unknown, the length-scale: mean and variance by a sum over 400 of its values.
TEST(Marginalized, IsTheIntegralOverTheLengthScale) {
  const Rows12 d;
  const FittedModel m = fitted("fixed(0.8) * se()", "0.04", d.x, d.y, Prior::none);
  const Matrix at = Vector::LinSpaced(9, -6, 6);
  const Process<Row>& p = m.process();
  Evidence<Row> evidence(p.kernel(), p.trend(), p.noise(), Rows(m->x), m->y);
  const double best = p.kernel().theta()[0];
  double all = 0;
  Vector mean = Vector::Zero(9), square = Vector::Zero(9);
  for (int k = 0; k < 400; ++k) {
    const double t = best - 6 + 12 * k / 399.0;
    const Vector theta = Vector::Constant(1, t);
    const double w = std::exp(evidence.at(theta, false).value - evidence.at(p.kernel().theta(), false).value -
                              0.5 * (t - best) * (t - best) / 9);
    const Marginals f =
        Process<Row>(p.kernel().with(theta), p.trend(), p.noise()).condition(m->x, m->y).predict(at);
    all += w, mean += w * f.mean, square += w * (f.variance + f.mean.cwiseAbs2());
  }
  mean /= all;
  const Vector sd = (square / all - mean.cwiseAbs2()).cwiseSqrt();
  const MarginalizedModel mixture(m, {.draws = 1000, .threads = 1});
  const Prediction got = mixture.predict(at);
  EXPECT_GT(mixture.efficiency(), 0.1);
  for (Index i = 0; i < 9; ++i) {
    EXPECT_NEAR(got.mean[i], mean[i], 0.04 * sd[i]) << i;
    EXPECT_NEAR(got.sd[i], sd[i], 0.04 * sd[i]) << i;
  }
}

TEST(Marginalized, WeightsSumToOneAndTheSeedDecides) {
  const Rows12 d;
  const FittedModel m = fitted("se()", "learn", d.x, d.y);
  const MarginalizedModel a(m, {.draws = 16, .seed = 3}), b(m, {.draws = 16, .seed = 3, .threads = 2}),
      c(m, {.draws = 16, .seed = 4});
  EXPECT_NEAR(a.weights().sum(), 1, 1e-14);
  EXPECT_EQ(a.weights().size(), std::ssize(a.models()));
  EXPECT_LE(a.models().size(), 16u);
  const Matrix at = Vector::LinSpaced(5, -3, 3);
  EXPECT_TRUE(near(a.predict(at, Of::y).mean, b.predict(at, Of::y).mean, 1e-10));
  EXPECT_FALSE(same_bits(a.predict(at).sd, c.predict(at).sd));
  EXPECT_GT(a.predict(at, Of::y).sd[0], a.predict(at).sd[0]) << "the noise is in y";
}

/// Quantiles of a model of log y are the exponentials of those of a model of its logarithm.
TEST(Marginalized, TransformsCarryOver) {
  const Rows12 d;
  const Vector z = d.y, y = z.array().exp();
  const FittedModel plain = fitted("se()", "learn", d.x, z),
                    logs = fitted("se()", "learn", d.x, y, Prior::weak, "log");
  const Matrix at = Vector::LinSpaced(4, -3, 3);
  const Prediction p = MarginalizedModel(plain, {.draws = 12}).predict(at, Of::y),
                   q = MarginalizedModel(logs, {.draws = 12}).predict(at, Of::y);
  for (const double share : {0.05, 0.5, 0.9})
    EXPECT_TRUE(near(q.quantile(share), Vector(p.quantile(share).array().exp()), 1e-6)) << share;
  const auto [lower, upper] = q.interval(90);
  EXPECT_GT(lower.minCoeff(), 0);
}

TEST(Marginalized, OfManyRowsIsThePlugIn) {
  const Matrix x = 10 * random_points(5, 150, 1);
  const Vector y = x.col(0).array().sin() + 0.1 * random_points(6, 150, 1).col(0).array();
  const FittedModel m = fitted("se()", "learn", x, y);
  const Matrix at = Vector::LinSpaced(7, -9, 9);
  const Prediction mixture = MarginalizedModel(m).predict(at, Of::y), plug_in = m.predict(at, Of::y);
  EXPECT_TRUE(near(mixture.mean, plug_in.mean, 0.05));
  EXPECT_TRUE(near(mixture.sd, plug_in.sd, 0.1));
}

TEST(Marginalized, RefusesInWords) {
  const Rows12 d;
  const FittedModel m = fitted("se()", "learn", d.x, d.y);
  const auto said = [](const FittedModel& model, Index draws) {
    return error_of([&] { MarginalizedModel(model, {.draws = draws}); }, Problem::usage);
  };
  EXPECT_NE(said(m, 0).find("draws: expected 2 or more to average over, found 0"), std::string::npos);
  EXPECT_NE(said(fitted("fixed(1 * se(lengthscale=1))", "0.1", d.x, d.y), 8)
                .find("every parameter of this model is fixed"),
            std::string::npos);
  Request ridge;
  ridge.model = "ridge", ridge.noise = "learn", ridge.penalty = "1";
  EXPECT_NE(said(fit(ridge, {d.x, d.y, {"x1"}}), 8).find("this is a ridge model"), std::string::npos);
  Request few;
  few.kernel = "se()", few.noise = "learn", few.inference = "inducing(points=4)";
  FitOptions o;
  o.inference = few.inference;
  EXPECT_NE(said(fit(few, {d.x, d.y, {"x1"}}, o), 8).find("needs exact inference"), std::string::npos);
}

}  // namespace
}  // namespace covary::test::marginalized_test
