// Searches for a posterior density with few likelihoods.
#include "covary/design/posterior_search.h"

#include <numbers>

#include "covary/select/strategy.h"
#include "support.h"

namespace covary::posterior_search_test {
namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();

/// Two normals of different widths, on a line.
double two_modes(const Vector& x) {
  const auto normal = [&](double m, double s) { return std::exp(-std::pow((x[0] - m) / s, 2) / 2) / s; };
  return std::log(0.4 * normal(-2, 0.5) + 0.6 * normal(1.5, 0.8) + 1e-30);
}

/// KL(truth || estimate) on its points.
double divergence_from(const PosteriorDensity& p,
                       const std::function<double(const Vector&)>& log_likelihood) {
  const Vector volume = p.mass().cwiseQuotient(p.density());
  Vector truth(p.points().rows());
  for (Index i = 0; i < truth.size(); ++i)
    truth[i] = volume[i] * std::exp(log_likelihood(p.points().row(i).transpose()));
  truth /= truth.sum();
  return (truth.array() > 1e-300)
      .select(truth.array() * (truth.array() / p.mass().array()).max(1e-300).log(), 0)
      .sum();
}

TEST(PosteriorSearch, FindsTwoModesWithFewCalls) {
  for (const char* strategy : {"exponentiated-variance", "expected-divergence"}) {
    Index calls = 0;
    const auto counted = [&](const Vector& x) { return ++calls, two_modes(x); };
    const PosteriorDensity p = estimate_posterior(counted, {{"x", -5, 5}}, 22, {.strategy = strategy});
    EXPECT_EQ(calls, 22);
    EXPECT_LT(divergence_from(p, two_modes), 0.01) << strategy;
    EXPECT_NEAR(p.log_evidence().value, std::log(std::sqrt(2 * std::numbers::pi) / 10), 0.05);
  }
}

/// The first points say that f is a parabola, and the process is sure of it: the narrow mode is seen by none of them.
TEST(PosteriorSearch, NoModeIsOutOfReach) {
  const auto normal = [](double x, double m, double s) {
    return std::exp(-std::pow((x - m) / s, 2) / 2) / s;
  };
  const auto hidden = [&](const Vector& x) {
    return std::log(0.65 * normal(x[0], -2.5, 1) + 0.35 * normal(x[0], 3, 0.5));
  };
  for (const char* strategy : {"exponentiated-variance", "expected-divergence"})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const PosteriorDensity p =
          estimate_posterior(hidden, {{"x", -8, 8}}, 30, {.strategy = strategy, .seed = seed});
      EXPECT_LT(divergence_from(p, hidden), 0.05) << strategy << ", seed " << seed;
    }
}

/// The ranges are 60 sds wide: log likelihoods of minus thousands say little of where the mass is.
TEST(PosteriorSearch, ADensityThatIsNarrowInItsRanges) {
  const Vector at{{-0.8, 1.1, 0.6}};
  const auto narrow = [&](const Vector& x) { return -(x - at).squaredNorm() / (2 * 0.01); };
  const PosteriorDensity p = estimate_posterior(narrow, {{"a", -3, 3}, {"b", -3, 3}, {"c", -3, 3}}, 45);
  EXPECT_LT((p.mean() - at).cwiseAbs().maxCoeff(), 0.01);
  for (Index k = 0; k < 3; ++k) EXPECT_NEAR(std::sqrt(p.covariance()(k, k)), 0.1, 0.01) << k;
}

TEST(PosteriorSearch, ThePriorIsPartOfThePosterior) {
  const auto likelihood = [](const Vector& x) { return -(x[0] - 2) * (x[0] - 2) / 2; };
  const PosteriorDensity p = estimate_posterior(likelihood, {{"x", -8, 8, 0, 1}}, 15);
  EXPECT_NEAR(p.mean()[0], 1, 0.01);
  EXPECT_NEAR(p.covariance()(0, 0), 0.5, 0.01);
}

/// A half-normal: nothing is possible below 0.
TEST(PosteriorSearch, ImpossibleParametersAreNotAskedAgain) {
  const auto likelihood = [](const Vector& x) { return x[0] < 0 ? impossible : -x[0] * x[0] / 2; };
  PosteriorSearch search({{"x", -4, 4}}, 30);
  while (search.left() > 0) search.tell(likelihood(search.ask()));
  const Matrix x = search.evaluated();
  const Vector y = search.log_likelihoods();
  for (Index i = 5; i < 30; ++i) {  // nearer to a possible one than to an impossible one, when it was asked
    double to_possible = 9, to_impossible = 9;
    for (Index j = 0; j < i; ++j) {
      double& nearest = std::isinf(y[j]) ? to_impossible : to_possible;
      nearest = std::min(nearest, std::abs(x(i, 0) - x(j, 0)));
    }
    EXPECT_LT(to_possible, to_impossible) << i;
  }
  const PosteriorDensity p = search.density();
  EXPECT_EQ(p.density()[0], 0);
  EXPECT_NEAR(p.log_evidence().value, std::log(std::sqrt(std::numbers::pi / 2) / 8), 0.05);
  EXPECT_NEAR(p.mean()[0], std::sqrt(2 / std::numbers::pi), 0.05);
}

TEST(PosteriorSearch, RefusesWhatIsNoLogLikelihoodAndStaysAsItWas) {
  PosteriorSearch search({{"x", -4, 4}, {"y", 0, 1}}, 5);
  search.ask();
  search.tell(-1);
  const Vector next = search.ask();
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    const std::string said = test::error_of([&] { search.tell(bad); }, Problem::data);
    EXPECT_NE(said.find("log likelihood 2 at"), std::string::npos) << said;
    EXPECT_EQ(search.ask(), next);
    EXPECT_EQ(search.left(), 4);
  }
  EXPECT_NE(test::error_of([&] { search.density(); }, Problem::data).find("1 of 1"), std::string::npos);
}

TEST(PosteriorSearch, SaysSoIfNothingIsPossible) {
  const auto said = test::error_of(
      [] {
        estimate_posterior([](const Vector&) { return impossible; }, {{"x", -4, 4}}, 8);
      },
      Problem::data);
  EXPECT_NE(said.find("0 of 8 log likelihoods are finite"), std::string::npos) << said;
}

TEST(PosteriorSearch, TheSameSeedTheSameQuestionsOnAnyNumberOfThreads) {
  const auto asked = [](std::uint64_t seed, int threads) {
    PosteriorSearch s({{"x", -5, 5}}, 14, {.seed = seed, .threads = threads});
    while (s.left() > 0) s.tell(two_modes(s.ask()));
    return s.evaluated();
  };
  EXPECT_EQ(asked(1, 1), asked(1, 2));
  EXPECT_NE(asked(1, 1), asked(2, 1));
}

TEST(PosteriorSearch, AnyStrategyForNumbers) {
  for (const StrategyEntry& e : strategies()) {
    if (!e.applies(false)) continue;
    PosteriorSearch s({{"x", -5, 5}}, 8, {.strategy = e.name, .candidates = 60});
    while (s.left() > 0) s.tell(two_modes(s.ask()));
    EXPECT_EQ(s.evaluated().rows(), 8) << e.name;
  }
}

TEST(PosteriorSearch, RefusesWhatItCannotUse) {
  const auto said = [](std::vector<ParameterPrior> prior, Index budget, PosteriorSearchOptions o = {}) {
    return test::error_of([&] { PosteriorSearch(std::move(prior), budget, std::move(o)); }, Problem::usage);
  };
  EXPECT_NE(said({{"x", 0, 1}}, 0).find("budget: expected 1 call or more, found 0"), std::string::npos);
  EXPECT_NE(said({{"x", 1, 1}, {"y", 0, 1}}, 9).find("range of x has no volume"), std::string::npos);
  EXPECT_NE(said({{"x", 0, 1}}, 9, {.strategy = "svm-margin"}).find("svm-margin"), std::string::npos);
  EXPECT_NE(said({{"x", 0, 1}}, 9, {.strategy = "expected-divergense"}).find("expected-divergence"),
            std::string::npos);
}

/// Six parameters, one mode that is a good part of the box.
TEST(PosteriorSearch, TheTrendIsAParabolaInManyDimensions) {
  for (const Index d : {2, 3}) {
    const std::vector<ParameterPrior> prior(static_cast<size_t>(d), {"", -3, 3});
    PosteriorSearch own(prior, 12), given(prior, 12, {.mean = "linear"});
    for (int i = 0; i < 12; ++i) own.tell(-own.ask().squaredNorm()), given.tell(-given.ask().squaredNorm());
    EXPECT_EQ(own.model()->request.mean, d < 3 ? "constant" : "polynomial(degree=2)") << d;
    EXPECT_EQ(given.model()->request.mean, "linear");
  }
}

TEST(PosteriorSearch, SixParameters) {
  const auto normal = [](const Vector& x) { return -x.squaredNorm() / 0.5; };
  const PosteriorDensity p = estimate_posterior(normal, std::vector<ParameterPrior>(6, {"", -1, 1}), 60);
  EXPECT_LT(p.mean().cwiseAbs().maxCoeff(), 0.1);
  EXPECT_NEAR(p.log_evidence().value,
              6 * std::log(std::sqrt(std::numbers::pi / 2) * std::erf(std::sqrt(2.0)) / 2), 0.3);
}

}  // namespace
}  // namespace covary::posterior_search_test
