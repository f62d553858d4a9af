#include "covary/linear/linear_regression.h"

#include <cmath>

#include "covary/evaluate/cross_validation.h"
#include "covary/kernels/stationary.h"
#include "covary/linear/fit_kernel_ridge.h"
#include "covary/linear/weight_space.h"
#include "covary/model/model_file.h"
#include "support.h"

namespace covary::regression_test {
namespace {

using test::error_of;
using test::near;
using test::random_points;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Example {
  Matrix x;
  Vector y;
  std::vector<std::string> columns{"a", "b"};
};
Example example(Index n = 30, double offset = 0) {
  Example e;
  e.x = random_points(1, n, 2).array() + offset;
  const Matrix off = e.x.array() - offset;
  e.y = 1 + off.col(0).array() - 0.5 * off.col(0).array() * off.col(1).array() +
        0.2 * random_points(2, n, 1).array();
  return e;
}

LinearModel model(Method method, const std::string& basis = "a, b, a*b") {
  return {.method = method, .features = parse_features(basis, {"a", "b"})};
}

/// [1, a, b, ab]
Matrix phi_of(const Matrix& x) {
  Matrix phi(x.rows(), 4);
  phi << Vector::Ones(x.rows()), x, x.col(0).cwiseProduct(x.col(1));
  return phi;
}

TEST(Regression, LinearIsLeastSquares) {
  const Example e = example();
  const FitResult<Row> f = fit(model(Method::linear), e.x, e.y);
  const Weights w = least_squares(phi_of(e.x), e.y);
  ASSERT_EQ(f.summary.coefficients.size(), 4);
  EXPECT_EQ(f.summary.coefficients[0].name, "intercept");
  EXPECT_EQ(f.summary.coefficients[3].name, "a*b");
  for (Index j = 0; j < 4; ++j) {
    EXPECT_EQ(f.summary.coefficients[size_t(j)].value, w.mean()[j]);
    EXPECT_EQ(f.summary.coefficients[size_t(j)].sd, w.sd()[j]);
  }
  EXPECT_EQ(f.summary.residual_sd, std::sqrt(w.noise_variance()));
  EXPECT_EQ(f.summary.freedom, 26);
  EXPECT_TRUE(std::isnan(f.summary.log_marginal_likelihood)) << "a flat prior has no evidence";
}

void expect_given_penalty(const FittedParameter& p, double value) {
  EXPECT_EQ(p.name, "penalty");
  EXPECT_NEAR(p.value, value, 1e-12 * value);
  EXPECT_EQ(p.lower, 0);
  EXPECT_EQ(p.upper, infinity);
  EXPECT_TRUE(p.fixed);
  EXPECT_FALSE(p.at_lower || p.at_upper || p.flat);
}

// The penalty is the noise over the prior variance: ridge, and the most probable weights of bayes, are one.
TEST(Regression, RidgeIsTheMostProbableBayes) {
  const Example e = example();
  LinearModel ridge = model(Method::ridge), bayes = model(Method::bayes);
  ridge.penalty = 0.8;
  bayes.noise = 0.2, bayes.prior_sd = std::sqrt(0.2 / 0.8);
  const FitResult<Row> r = fit(ridge, e.x, e.y), b = fit(bayes, e.x, e.y);
  EXPECT_TRUE(near(internal::regression_of(r.process)->weights().mean(),
                   internal::regression_of(b.process)->weights().mean(), 1e-12));
  EXPECT_EQ(b.summary.freedom, infinity);
  expect_given_penalty(r.summary.parameters[0], 0.8);
  expect_given_penalty(b.summary.parameters[0], 0.8);
}

TEST(Regression, ThePriorByEvidenceIsTheBest) {
  const Example e = example();
  const FitResult<Row> best = fit(model(Method::bayes), e.x, e.y);
  for (const double factor : {0.8, 0.95, 1.05, 1.25}) {
    WeightModel other = internal::regression_of(best.process)->model();
    for (double& v : other.variances) v *= factor;
    EXPECT_LT(Regression(other, e.x, e.y).weights().log_evidence(), best.summary.log_marginal_likelihood);
  }
}

// With the noise or the prior known, the other one is where the evidence is largest.
TEST(Regression, TheOtherOneByEvidence) {
  const Example e = example();
  LinearModel noise_known = model(Method::bayes), prior_known = noise_known;
  noise_known.noise = 0.06;
  prior_known.prior_sd = 0.7;
  const auto evidence = [&](double prior_sd, double noise) {
    LinearModel m = model(Method::bayes);
    m.prior_sd = prior_sd, m.noise = noise;
    return fit(m, e.x, e.y).summary.log_marginal_likelihood;
  };
  const FitResult<Row> a = fit(noise_known, e.x, e.y), b = fit(prior_known, e.x, e.y);
  const double sd = a.summary.parameters[1].value, noise = b.summary.noise_variance;
  EXPECT_NEAR(evidence(sd, 0.06), a.summary.log_marginal_likelihood, 1e-9);
  EXPECT_NEAR(evidence(0.7, noise), b.summary.log_marginal_likelihood, 1e-9);
  for (const double factor : {0.9, 1.1}) {
    EXPECT_LT(evidence(sd * factor, 0.06), a.summary.log_marginal_likelihood);
    EXPECT_LT(evidence(0.7, noise * factor), b.summary.log_marginal_likelihood);
  }
}

// The units of features do not matter when weights are counted by their spread.
TEST(Regression, UnitsOfFeaturesDoNotMatter) {
  const Example e = example();
  Matrix scaled = e.x;
  scaled.col(0) *= 1000;
  for (const Method method : {Method::ridge, Method::bayes}) {
    const FitResult<Row> a = fit(model(method), e.x, e.y), b = fit(model(method), scaled, e.y);
    EXPECT_TRUE(near(internal::regression_of(a.process)->predict(e.x).mean,
                     internal::regression_of(b.process)->predict(scaled).mean, 1e-9));
    EXPECT_NEAR(a.summary.coefficients[1].value, 1000 * b.summary.coefficients[1].value, 1e-8);
  }
}

TEST(Regression, LargeNumbers) {
  const Example e = example();
  for (const Method method : {Method::linear, Method::ridge, Method::bayes}) {
    const FitResult<Row> small = fit(model(method), e.x, e.y), large = fit(model(method), e.x, 1e200 * e.y);
    EXPECT_NE(large.scale, 1);
    EXPECT_NEAR(large.summary.coefficients[1].value / 1e200, small.summary.coefficients[1].value, 1e-6);
    EXPECT_NEAR(large.summary.residual_sd / 1e200, small.summary.residual_sd, 1e-6);
    EXPECT_NEAR(large.summary.loo_rmse / 1e200, small.summary.loo_rmse, 1e-6);
  }
}

// From a file the same bits come back, and folds agree with the closed form.
TEST(Regression, KeptAndRestored) {
  const Example e = example();
  for (const std::string name : {"linear", "ridge", "bayes", "kernel-ridge", "gp"}) {
    Request request;
    request.model = name, request.basis = "a, bumps(b, centers=3), fourier(a, features=3, seed=2)";
    request.kernel = "se()", request.noise = "learn";
    request.mean = "constant";
    const FittedModel l = fit(request, {e.x, e.y, e.columns});
    const std::string text = model_text(l);
    const FittedModel back = parse_model(text);
    EXPECT_EQ(model_text(back), text) << name;
    EXPECT_EQ(back->summary.model, name);
    for (size_t i = 0; i < l->summary.parameters.size(); ++i)  // infinite where there is no bound
      EXPECT_EQ(back->summary.parameters[i].upper, l->summary.parameters[i].upper) << name;
    const Matrix at = random_points(3, 9, 2);
    EXPECT_TRUE(test::same_bits(back.predict(at, Of::y).mean, l.predict(at, Of::y).mean)) << name;
    EXPECT_TRUE(test::same_bits(back.predict(at, Of::y).sd, l.predict(at, Of::y).sd)) << name;
    EXPECT_EQ(back.predict(at).freedom(), l.predict(at).freedom());
    EXPECT_TRUE(test::same_bits(back.sample(at, 2, 5), l.sample(at, 2, 5)));
    const Prediction closed = left_out(back), folds = left_out(back, {.folds = 30});
    EXPECT_TRUE(near(closed.mean, folds.mean, 1e-7)) << name;
    EXPECT_TRUE(near(closed.sd, folds.sd, 1e-7)) << name;
    EXPECT_EQ(closed.freedom(), folds.freedom());
    (void)left_out(back, {.folds = 3, .refit = true});
  }
}

TEST(Regression, ARestoredModelIsDescribedAsWhenItWasLearned) {
  const Example e = example();
  const FitResult<Row> f = fit(model(Method::ridge), e.x, 1e120 * e.y);
  Summary again;
  again.n = f.summary.n;
  internal::describe_weights(
      again, Regression(internal::regression_of(f.process)->model(), e.x, 1e120 * e.y / f.scale), f.scale);
  ASSERT_EQ(again.coefficients.size(), 4);
  for (size_t j = 0; j < 4; ++j) {
    EXPECT_EQ(again.coefficients[j].value, f.summary.coefficients[j].value);
    EXPECT_EQ(again.coefficients[j].sd, f.summary.coefficients[j].sd);
  }
  EXPECT_EQ(again.how, f.summary.how);
  EXPECT_EQ(again.residual_sd, f.summary.residual_sd);
  EXPECT_NE(f.summary.text().find("ridge regression on a, b, a*b"), std::string::npos) << f.summary.text();
  EXPECT_NE(f.summary.text().find("weight  a*b: "), std::string::npos);
  const std::string flat = fit(model(Method::linear), e.x, e.y).summary.text();
  EXPECT_NE(flat.find("log marginal likelihood none: the weights have no prior"), std::string::npos) << flat;
}

TEST(Regression, SidesAgree) {
  const Example e = example(12);
  LinearModel m =
      model(Method::bayes, "fourier([a, b], features=40, kernel=se(lengthscale=1), seed=3), a, b");
  m.noise = 0.1, m.prior_sd = 0.5;
  const FitResult<Row> cheap = fit(m, e.x, e.y);
  EXPECT_TRUE(internal::regression_of(cheap.process)->weights().on_side_of_functions());
  EXPECT_NE(cheap.summary.how.find("function side"), std::string::npos) << cheap.summary.how;
  m.side = Side::weights;
  const FitResult<Row> other = fit(m, e.x, e.y);
  EXPECT_FALSE(internal::regression_of(other.process)->weights().on_side_of_functions());
  EXPECT_TRUE(near(internal::regression_of(cheap.process)->predict(e.x).mean,
                   internal::regression_of(other.process)->predict(e.x).mean, 1e-10));
  EXPECT_NEAR(cheap.summary.log_marginal_likelihood, other.summary.log_marginal_likelihood, 1e-9);
}

TEST(Regression, KernelRidgeIsTheMeanOfItsProcess) {
  const Example e = example();
  const Model<Row> asked{parse<Row>("fixed(se(lengthscale=1.5))"), constant_mean<Row>(), Noise::learn()};
  const FitResult<Row> f = fit_kernel_ridge(asked, e.x, e.y, {.penalty = 0.3});
  const KernelRidge<Row> r = kernel_ridge<Row>(se(Vector::Constant(2, 1.5)), e.x, e.y, {.penalty = 0.3});
  EXPECT_TRUE(near(f.process.mean(e.x), r(e.x), 1e-11));
  EXPECT_EQ(f.summary.model, "kernel-ridge");
  EXPECT_EQ(f.summary.evaluations, 0);
  EXPECT_EQ(f.summary.stopped, "nothing to learn");
  EXPECT_NEAR(f.summary.loo_rmse, r.leave_one_out, 1e-10);
  EXPECT_NEAR(f.process.noise().variance / parse<Row>(f.summary.kernel).diag(e.x)[0], 0.3, 1e-12);
  expect_given_penalty(f.summary.parameters.back(), 0.3);
  const double huge = std::exp2(400);
  const FitResult<Row> h = fit_kernel_ridge(asked, e.x, huge * e.y, {.penalty = 0.3});
  EXPECT_TRUE(near(h.process.mean(e.x) * (h.scale / huge), f.process.mean(e.x), 1e-12));
  EXPECT_NEAR(h.summary.loo_rmse / huge, f.summary.loo_rmse, 1e-12);
}

// ----------------------------------------------------------------------------------------------- bad input

TEST(RegressionErrors, RankDeficient) {
  const Example e = example();
  LinearModel m = model(Method::linear, "a, b, a + b");
  const FitResult<Row> f = fit(m, e.x, e.y);
  EXPECT_TRUE(test::mentions(f.summary.notes, "do not determine the weights of 'a', 'b', 'a+b'"))
      << f.summary.notes[0];
  EXPECT_TRUE(std::isinf(f.summary.coefficients[1].sd));
  EXPECT_TRUE(internal::regression_of(f.process)->predict(e.x).sd.allFinite())
      << "what the rows determine is known";
  m.undetermined = Undetermined::error;
  EXPECT_NE(error_of([&] { (void)fit(m, e.x, e.y); }, Problem::data).find("'a+b'"), std::string::npos);
}

TEST(RegressionErrors, ConstantAndRepeatedColumns) {
  Example e = example();
  e.x.col(1).setConstant(3);
  for (const Method method : {Method::linear, Method::ridge, Method::bayes}) {
    const FitResult<Row> f = fit(model(method, "a, b, a*1"), e.x, e.y);
    EXPECT_TRUE(test::mentions(f.summary.notes, "'b' does not vary"));
    EXPECT_TRUE(internal::regression_of(f.process)->predict(e.x).mean.allFinite());
    EXPECT_LT(f.summary.loo_rmse, 1.5);
  }
}

TEST(RegressionErrors, FewerRowsThanFeatures) {
  const Example e = example(5);
  const FitResult<Row> f = fit(model(Method::linear, "polynomial(degree=3), a*b"), e.x, e.y);
  EXPECT_TRUE(test::mentions(f.summary.notes, "no residual degrees of freedom to estimate the noise"));
  EXPECT_TRUE(near(internal::regression_of(f.process)->predict(e.x).mean, e.y, 1e-9)) << "it interpolates";
  EXPECT_TRUE(internal::regression_of(f.process)->predict(e.x).sd.array().isInf().all());
  for (const Method method : {Method::ridge, Method::bayes}) {
    const FitResult<Row> g = fit(model(method, "polynomial(degree=3), a*b"), e.x, e.y);
    EXPECT_TRUE(internal::regression_of(g.process)->predict(e.x).sd.allFinite());
  }
}

TEST(RegressionErrors, FeaturesThatOverflow) {
  Example e = example();
  e.x(6, 0) = 800;
  const std::string why =
      error_of([&] { (void)fit(model(Method::linear, "a, exp(a)"), e.x, e.y); }, Problem::data);
  EXPECT_NE(why.find("row 7"), std::string::npos) << why;
  EXPECT_NE(why.find("exp(a)"), std::string::npos) << why;
}

TEST(RegressionErrors, OptionsThatDoNotGoTogether) {
  const Example e = example();
  LinearModel m = model(Method::linear);
  m.penalty = 1;
  EXPECT_NE(error_of([&] { (void)fit(m, e.x, e.y); }, Problem::usage).find("belongs to ridge"),
            std::string::npos);
  m = model(Method::ridge);
  m.penalty = -1;
  EXPECT_NE(error_of([&] { (void)fit(m, e.x, e.y); }, Problem::usage).find("-1"), std::string::npos);
  m = model(Method::linear);
  m.side = Side::functions;
  error_of([&] { (void)fit(m, e.x, e.y); }, Problem::usage);
}

TEST(RegressionErrors, ATargetThatDoesNotVary) {
  const Example e = example();
  for (const Method method : {Method::linear, Method::ridge, Method::bayes}) {
    const FitResult<Row> f = fit(model(method), e.x, Vector::Constant(30, 2.5));
    EXPECT_TRUE(near(internal::regression_of(f.process)->predict(e.x).mean * f.scale,
                     Vector::Constant(30, 2.5), 1e-9));
  }
}

}  // namespace
}  // namespace covary::regression_test
