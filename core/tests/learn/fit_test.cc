// Learning: optima are optima, choices are reported, units are the user's.
#include "covary/learn/fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "covary/learn/search.h"
#include "covary/learn/summary_words.h"
#include "support.h"

namespace covary::test::learn_test {
namespace {

struct Sample {
  Matrix x;
  Vector y;
};

/// A draw from a process with a known kernel and noise.
Sample drawn(const std::string& kernel, Index n, Index d, double noise, std::uint64_t seed) {
  const Matrix x = random_points(seed, n, d);
  const Process<Row> prior(parse<Row>(kernel), {}, Noise::of(noise));
  return {x, prior.sample(x, 1, seed + 1, Of::y).col(0)};
}

FitOptions plain() {
  FitOptions o;
  o.prior = Prior::none;
  return o;
}

Model<Row> model(const std::string& kernel, const std::string& mean = "zero",
                 const Noise& noise = Noise::learn()) {
  return {parse<Row>(kernel), parse_mean(mean), noise};
}

TEST(Fit, IsAtLeastAsGoodAsTheTruth) {
  for (const char* kernel :
       {"2 * se([0.8, 3])", "1.5 * matern32(1)", "on(1, se(0.7)) + 0.5 * on(2, linear(1))"}) {
    const Sample s = drawn(kernel, 60, 2, 0.05, 121);
    const double truth =
        Process<Row>(parse<Row>(kernel), {}, Noise::of(0.05)).condition(s.x, s.y).log_evidence();
    std::string open = kernel;
    open = open[0] == '2' ? "se()" : open[0] == '1' ? "matern32()" : "on(1, se()) + on(2, linear())";
    const FitResult<Row> f = fit<Row>(model(open), s.x, s.y, plain());
    EXPECT_GT(f.summary.log_marginal_likelihood, truth) << f.summary.kernel;
    EXPECT_NEAR(f.summary.noise_variance, 0.05, 0.04);
  }
}

/// At the result the gradient of what was maximized is nothing, where no bound holds it.
TEST(Fit, EndsWhereTheGradientVanishes) {
  const Sample s = drawn("2 * se([0.8, 3])", 50, 2, 0.05, 122);
  for (const ObjectiveKind objective : {ObjectiveKind::evidence, ObjectiveKind::leave_one_out}) {
    FitOptions o = plain();
    o.objective = objective;
    const FitResult<Row> f = fit<Row>(model("se()", "constant"), s.x, s.y, o);
    const Vector t = f.summary.basins[0].theta;
    Evidence<Row> e(f.process.kernel(), parse_mean("constant"), Noise::learn(), s.x, s.y, objective);
    const Evaluation at = e.at(t);
    EXPECT_NEAR(at.value, f.summary.basins[0].objective, 1e-9 * std::abs(at.value));
    for (Index i = 0; i < t.size(); ++i) {
      const FittedParameter& p = f.summary.parameters[static_cast<size_t>(i)];
      if (!p.at_lower && !p.at_upper) {
        EXPECT_LT(std::abs(at.gradient[i]), 2e-3) << p.name;
      }
    }
  }
}

TEST(Fit, TheSummarySaysWhatTheProcessIs) {
  const Sample s = drawn("2 * se(0.8)", 30, 1, 0.05, 123);
  const FitResult<Row> f =
      fit<Row>(model("se()", "linear"), with_repeats(s.x, 5), internal::concat(s.y, s.y.head(5)));
  const Summary& u = f.summary;
  EXPECT_EQ(u.n, 35);
  EXPECT_EQ(u.distinct, 30);
  EXPECT_EQ(u.mean, "linear");
  EXPECT_EQ(u.kernel, f.process.kernel().text());
  EXPECT_EQ(u.noise_variance, f.process.noise().variance);
  EXPECT_EQ(u.log_marginal_likelihood, f.process.log_evidence());
  EXPECT_EQ(u.loo_rmse, f.process.leave_one_out().rmse);
  EXPECT_EQ(u.loo_nlpd, f.process.leave_one_out().nlpd);
  EXPECT_TRUE(mentions(u.notes, "5 rows merged"));
  EXPECT_EQ(f.scale, 1);
  ASSERT_EQ(u.parameters.size(), 3U);
  EXPECT_EQ(u.parameters[0].name, "variance");
  EXPECT_EQ(u.parameters[1].name, "lengthscale");
  EXPECT_EQ(u.parameters[2].name, "noise");
  EXPECT_NEAR(u.parameters[2].value, u.noise_variance, 1e-12 * u.noise_variance);
  ASSERT_FALSE(u.basins.empty());
  for (size_t i = 1; i < u.basins.size(); ++i) {
    if (u.basins[i].polished == u.basins[i - 1].polished) {
      EXPECT_GE(u.basins[i - 1].objective, u.basins[i].objective);
    }
  }
  EXPECT_NEAR(u.basins[0].objective, u.log_marginal_likelihood + u.log_prior,
              1e-9 * std::abs(u.basins[0].objective));
  EXPECT_GT(u.evaluations, 0);
  EXPECT_FALSE(u.stopped.empty());
  EXPECT_FALSE(u.machine.empty());
  EXPECT_NE(u.text().find(internal::rounded_text(u.kernel)), std::string::npos);
  EXPECT_NE(u.text().find("noise   " + internal::noise_words(f.process.noise(), f.scale)), std::string::npos);
  EXPECT_NE(u.text().back(), '\n');
}

TEST(Fit, FixedParametersStay) {
  const Sample s = drawn("2 * se(0.8)", 30, 1, 0.05, 124);
  const FitResult<Row> f =
      fit<Row>(model("fixed(2.5) * se() + fixed(0.3 * matern12(0.7))", "zero", Noise::of(0.07)), s.x, s.y);
  EXPECT_TRUE(f.summary.kernel.starts_with("fixed(2.5) * se(lengthscale=")) << f.summary.kernel;
  EXPECT_TRUE(f.summary.kernel.ends_with("fixed(0.3 * matern12(lengthscale=0.7))")) << f.summary.kernel;
  EXPECT_EQ(f.summary.noise_variance, 0.07);
  const FitResult<Row> nothing = fit<Row>(model("fixed(2 * se(0.8))", "zero", Noise::of(0.05)), s.x, s.y);
  EXPECT_EQ(nothing.summary.stopped, "nothing to learn");
  EXPECT_EQ(nothing.summary.kernel, "fixed(2 * se(lengthscale=0.8))");
}

TEST(Fit, KnownNoisePerRowIsKept) {
  const Sample s = drawn("2 * se(0.8)", 40, 1, 0.05, 125);
  const FitResult<Row> f = fit<Row>(
      model("se()", "constant", Noise::rows(Vector::Constant(40, std::sqrt(0.05)))), s.x, s.y, plain());
  const FitResult<Row> g = fit<Row>(model("se()", "constant", Noise::of(0.05)), s.x, s.y, plain());
  EXPECT_NEAR(f.summary.log_marginal_likelihood, g.summary.log_marginal_likelihood, 1e-6);
  EXPECT_NE(f.summary.text().find("noise   one sd per row, 0.223607 to 0.223607\n"), std::string::npos)
      << f.summary.text();
}

TEST(Fit, BoundsHoldAndAreReported) {
  const Sample s = drawn("2 * se(0.8)", 40, 1, 0.05, 126);
  FitOptions o = plain();
  o.columns = {"temp"};
  o.bounds = {{"lengthscale", {0.1, 0.3}}, {"noise", {0.2, 0.4}}};
  const FitResult<Row> f = fit<Row>(model("se()"), s.x, s.y, o);
  for (const FittedParameter& p : f.summary.parameters) {
    EXPECT_GE(p.value, p.lower * (1 - 1e-12)) << p.name;
    EXPECT_LE(p.value, p.upper * (1 + 1e-12)) << p.name;
    if (p.name == "lengthscale") {
      EXPECT_NEAR(p.upper, 0.3, 1e-12);
    }
    if (p.name == "noise") {
      EXPECT_TRUE(p.at_lower);
    }
  }
  EXPECT_TRUE(mentions(f.summary.notes, "lengthscale is at its upper bound 0.3, which was given"));
  EXPECT_TRUE(mentions(f.summary.notes, "noise is at its lower bound 0.2, which was given"));
  EXPECT_FALSE(mentions(f.summary.notes, "no influence") || mentions(f.summary.notes, "free of noise"));
  o.bounds = {{"lengthscal", {0.1, 0.3}}};
  EXPECT_NE(error_of([&] { fit<Row>(model("se()"), s.x, s.y, o); }, Problem::usage)
                .find("did you mean 'lengthscale'"),
            std::string::npos);
  o.bounds = {{"lengthscale", {0.3, 0.1}}};
  EXPECT_THROW(fit<Row>(model("se()"), s.x, s.y, o), Error);
  o.bounds = {{"lengthscale", {0.0, std::nan("")}}};
  EXPECT_THROW(fit<Row>(model("se()"), s.x, s.y, o), Error);
}

TEST(Fit, ProgressIsToldAndCanCancel) {
  const Sample s = drawn("2 * se(0.8)", 40, 1, 0.05, 127);
  FitOptions o;
  std::vector<Progress> told;
  o.progress = [&](const Progress& p) { return told.push_back(p), true; };
  const FitResult<Row> f = fit<Row>(model("se()"), s.x, s.y, o);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back().evaluations, f.summary.evaluations);
  for (size_t i = 1; i < told.size(); ++i) {
    EXPECT_EQ(told[i].evaluations, told[i - 1].evaluations + 1);
    EXPECT_GE(told[i].share, 0);
    EXPECT_LE(told[i].share, 1);
  }
  int asked = 0;
  o.progress = [&](const Progress&) { return ++asked < 10; };
  error_of([&] { fit<Row>(model("se()"), s.x, s.y, o); }, Problem::interrupted);
  EXPECT_LT(asked, 14) << "it stops at once";
}

TEST(Fit, TimeCanBeLimited) {
  const Sample s = drawn("2 * se(0.8)", 100, 1, 0.05, 128);
  FitOptions o;
  o.max_seconds = 0;
  const FitResult<Row> f = fit<Row>(model("se() + matern12() + periodic()"), s.x, s.y, o);
  EXPECT_TRUE(mentions(f.summary.notes, "the time was used up"));
  EXPECT_TRUE(std::isfinite(f.summary.log_marginal_likelihood));
}

TEST(Fit, TheSameSeedGivesTheSameResultOnAnyNumberOfThreads) {
  const Sample s = drawn("2 * se([0.8, 2])", 60, 2, 0.05, 129);
  FitOptions o;
  o.subset = 30;
  o.threads = 1;
  const FitResult<Row> one = fit<Row>(model("se()"), s.x, s.y, o);
  o.threads = 2;
  const FitResult<Row> two = fit<Row>(model("se()"), s.x, s.y, o);
  EXPECT_TRUE(near(two.summary.basins[0].theta, one.summary.basins[0].theta, 1e-9));
  EXPECT_EQ(two.summary.kernel, fit<Row>(model("se()"), s.x, s.y, o).summary.kernel);
}

/// x -> a x + b, y -> c y: length-scales times a, variances times c^2, densities less n log c.
TEST(Fit, UnitsDoNotMatter) {
  const Sample s = drawn("2 * se([0.8, 2])", 50, 2, 0.05, 130);
  for (const Prior prior : {Prior::weak, Prior::none}) {
    FitOptions o;
    o.prior = prior;
    const FitResult<Row> f = fit<Row>(model("se()", "constant"), s.x, s.y, o);
    const double a = 0x1p10, b = 0x1p13, c = 0x1p-8;
    const FitResult<Row> g = fit<Row>(model("se()", "constant"), s.x.array() * a + b, c * s.y, o);
    const auto value = [](const FitResult<Row>& r, size_t i) { return r.summary.parameters[i].value; };
    EXPECT_NEAR(value(g, 0), c * c * value(f, 0), 1e-4 * c * c * value(f, 0));
    EXPECT_NEAR(value(g, 1), a * value(f, 1), 1e-4 * a * value(f, 1));
    EXPECT_NEAR(value(g, 2), a * value(f, 2), 1e-4 * a * value(f, 2));
    EXPECT_NEAR(value(g, 3), c * c * value(f, 3), 1e-4 * c * c * value(f, 3));
    EXPECT_NEAR(g.summary.log_marginal_likelihood, f.summary.log_marginal_likelihood - 50 * std::log(c),
                1e-5);
  }
}

TEST(Fit, ManyRowsAreExploredOnASubset) {
  const Sample s = drawn("2 * se(0.8)", 200, 1, 0.05, 131);
  FitOptions o = plain();
  const FitResult<Row> all = fit<Row>(model("se()"), s.x, s.y, o);
  o.subset = 50;
  const FitResult<Row> some = fit<Row>(model("se()"), s.x, s.y, o);
  EXPECT_NEAR(some.summary.log_marginal_likelihood, all.summary.log_marginal_likelihood, 1e-3);
  EXPECT_TRUE(some.summary.basins[0].polished);
}

TEST(Fit, BadOptionsAreUsageErrors) {
  const Sample s = drawn("2 * se(0.8)", 10, 1, 0.05, 132);
  FitOptions o;
  o.starts = 0;
  error_of([&] { fit<Row>(model("se()"), s.x, s.y, o); }, Problem::usage);
}

TEST(Search, LogPriorHasTheGradientItSays) {
  FitOptions o;
  const Kernel<Row> k = parse<Row>("se() + periodic()").amplified().sized(Matrix::Ones(3, 2));
  const Vector reference = Vector::LinSpaced(k.theta().size(), -1, 1);
  const std::vector<internal::SearchParameter> all = internal::search_parameters(
      k.parameters(), k.theta(), reference,
      internal::input_scales(Matrix::Identity(3, 2), Vector::Ones(3), {}), 2, Noise::learn(), 1.5, o);
  const Vector t = Vector::LinSpaced(std::ssize(all), -0.5, 0.7);
  Vector g;
  internal::log_prior(all, t, &g);
  EXPECT_TRUE(near(g, differences([&](const Vector& s) { return internal::log_prior(all, s); }, t), 1e-9));
  EXPECT_GT(g.cwiseAbs().maxCoeff(), 0.1) << "the weak prior is there";
  for (const internal::SearchParameter& s : all) EXPECT_LT(s.lower, s.upper) << s.parameter.path;
}

TEST(Search, StartsLieInTheBoxAndAreDistinct) {
  const Kernel<Row> k = parse<Row>("se() + periodic()").amplified().sized(Matrix::Ones(3, 3));
  const std::vector<internal::SearchParameter> all = internal::search_parameters(
      k.parameters(), k.theta(), Vector::Zero(k.theta().size()),
      internal::input_scales(Matrix::Identity(3, 3), Vector::Ones(3), {}), 3, Noise::learn(), 1, {});
  std::vector<internal::Start> list = internal::known_starts(all, {});
  EXPECT_GE(list.size(), 3U);
  for (internal::Start& s : internal::drawn_starts(all, 50, 1)) list.push_back(std::move(s));
  for (size_t i = 0; i < list.size(); ++i) {
    for (Index j = 0; j < list[i].theta.size(); ++j) {
      EXPECT_GE(list[i].theta[j], all[static_cast<size_t>(j)].lower);
      EXPECT_LE(list[i].theta[j], all[static_cast<size_t>(j)].upper);
    }
    for (size_t j = 0; j < i; ++j) EXPECT_GT((list[i].theta - list[j].theta).norm(), 1e-6);
  }
}

}  // namespace
}  // namespace covary::test::learn_test
