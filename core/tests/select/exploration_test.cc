// Uncertain hyper-parameters of a pool: posterior weights, the adaptivity gap against the best policy there is, exploring.
#include <cmath>

#include "covary/gaussian/normal_mixture.h"
#include "covary/kernels/compose.h"
#include "covary/kernels/expression.h"
#include "covary/kernels/stationary.h"
#include "covary/select/adaptivity_gap.h"
#include "covary/select/selector.h"
#include "select/scores/mixture_scores.h"
#include "support.h"

namespace covary::test::exploration_test {
namespace {

using select::ParameterMixture;

/// log N(y; 0, k), by dense algebra.
double log_normal(const Vector& y, const Matrix& k) {
  return -0.5 *
         (y.dot(inverse_of(k) * y) + std::log(determinant_of(k)) + double(y.size()) * std::log(2 * M_PI));
}

struct Line {
  Matrix x = Vector::LinSpaced(30, 0, 6);
  Process<Row> prior{parse<Row>("1 * se(lengthscale=0.7)"), zero_mean<Row>(), Noise::of(0.05)};
  Pool pool() const { return pool_of<Row>(prior, x); }
  PoolPosterior told(const std::vector<Index>& at) const {
    PoolPosterior p(pool());
    for (const Index i : at) p.tell(i, Vector::Constant(1, std::sin(2 * x(i, 0)) + 0.3));
    return p;
  }
};

TEST(ParameterMixture, WeightsAreThePosteriorOfTheDraws) {
  const Line line;
  const std::vector<Index> at{3, 20, 11, 27, 5, 16};
  const PoolPosterior belief = line.told(at);
  ASSERT_EQ(belief.targets().rows(), std::ssize(at))
      << "the rows that are labelled, whatever is kept ready for more";
  for (const auto when : {ParameterMixture::Drawn::once, ParameterMixture::Drawn::anew}) {
    ParameterMixture mixture(12, 1.5, when);
    mixture.follow(belief);
    Vector log_weights(12);
    for (Index s = 0; s < 12; ++s) {
      const Pool& pool = mixture.members()[static_cast<size_t>(s)].pool();
      Matrix k = pool.among(at, at);
      k.diagonal() += pool.noise(at);
      log_weights[s] = pool.log_weight + log_normal(belief.targets().col(0), k);
    }
    EXPECT_TRUE(near(mixture.weights(), internal::normalized_weights(log_weights), 1e-9));
  }
}

TEST(ParameterMixture, IsTheSameHoweverTheLabelsCame) {
  const Line line;
  PoolPosterior belief = line.told({3, 20, 11});
  ParameterMixture kept(8, 1.5, ParameterMixture::Drawn::anew), anew = kept;
  kept.follow(belief);
  belief.pend(9), kept.follow(belief);
  for (const Index i : {9, 25, 1}) belief.tell(i, Vector::Constant(1, 0.1 * double(i)));
  kept.follow(belief), anew.follow(belief);
  EXPECT_TRUE(near(kept.weights(), anew.weights(), 1e-9));
  EXPECT_TRUE(near(kept.mean(), anew.mean(), 1e-9));
  belief.replace(pool_of<Row>(
      Process<Row>(parse<Row>("2 * se(lengthscale=3)"), zero_mean<Row>(), Noise::of(0.2)), line.x));
  kept.follow(belief);
  EXPECT_GT((kept.mean() - anew.mean()).norm(), 1e-3) << "another kernel, other draws around it";
}

/// Importance draws and prior draws are of one posterior.
TEST(ParameterMixture, DrawnAnewOrOnceThePosteriorIsTheSame) {
  const Line line;
  const PoolPosterior belief = line.told({3, 20, 11, 27, 8, 1, 24, 15});
  ParameterMixture once(1000, 1, ParameterMixture::Drawn::once), anew(1000, 1, ParameterMixture::Drawn::anew);
  once.follow(belief), anew.follow(belief);
  const Vector a = once.mean() * once.weights(), b = anew.mean() * anew.weights();
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 0.05);
  EXPECT_GT(anew.effective(), 100);
}

// ------------------------------------------------------------------------------------------ the adaptivity gap

/// A few candidates under S kernels, and what every design of two labels tells, exactly but for quadrature.
struct Game {
  Matrix x;               // the pools borrow it
  std::vector<Matrix> k;  // of f
  Vector weights;
  double noise = 0.1;
  std::vector<PoolPosterior> members;

  Game(std::uint64_t seed, Index m, Index kinds) {
    Random rng(seed);
    x = 3 * rng.normal(m, 1);
    weights.resize(kinds);
    for (Index s = 0; s < kinds; ++s) {
      weights[s] = 0.1 + rng.uniform();
      const Kernel<Row> kernel = std::exp(rng.normal()) * se(std::exp(1.5 * rng.normal()));
      k.push_back(kernel.cross(x, x));
      members.emplace_back(pool_of<Row>(Process<Row>(kernel, zero_mean<Row>(), Noise::of(noise)), x));
    }
    weights /= weights.sum();
  }
  Index size() const { return k[0].rows(); }
  /// I(y_A; f | theta_s) of two.
  double told(Index s, Index a, Index b) const {
    const Matrix& c = k[static_cast<size_t>(s)];
    return 0.5 * std::log(((c(a, a) + noise) * (c(b, b) + noise) - c(a, b) * c(a, b)) / (noise * noise));
  }
  double noise_entropy() const { return 0.5 * std::log(2 * M_PI * std::exp(1) * noise); }
  /// I(y_b; f, theta | y_a = y) for all b; a itself 0.
  Vector second(Index a, double y) const {
    const Index kinds = weights.size();
    Vector w(kinds), out = Vector::Zero(size());
    for (Index s = 0; s < kinds; ++s) {
      const double v = k[static_cast<size_t>(s)](a, a) + noise;
      w[s] = std::log(weights[s]) - 0.5 * (std::log(v) + y * y / v);
    }
    w = internal::normalized_weights(w);
    for (Index b = 0; b < size(); ++b) {
      if (b == a) continue;
      Vector mean(kinds), sd(kinds);
      for (Index s = 0; s < kinds; ++s) {
        const Matrix& c = k[static_cast<size_t>(s)];
        const double v = c(a, a) + noise;
        mean[s] = c(a, b) / v * y, sd[s] = std::sqrt(c(b, b) + noise - c(a, b) * c(a, b) / v);
      }
      out[b] = internal::NormalMixture{w, mean, sd}.entropy() - noise_entropy();
    }
    return out;
  }
  /// The best sequential design of two labels, and the best fixed one: I(y; f, theta).
  std::pair<double, double> best() const {
    double sequential = 0, fixed = 0;
    for (Index a = 0; a < size(); ++a) {
      const Index kinds = weights.size();
      Vector sd(kinds), each = Vector::Zero(size());
      for (Index s = 0; s < kinds; ++s) sd[s] = std::sqrt(k[static_cast<size_t>(s)](a, a) + noise);
      const Vector none = Vector::Zero(kinds);
      const double first = internal::NormalMixture{weights, none, sd}.entropy() - noise_entropy();
      double chosen = 0;
      for (Index s = 0; s < kinds; ++s)
        for (int t = -12; t <= 12; ++t) {
          const double z = 0.5 * t, share = 0.5 * std::exp(-0.5 * z * z) / std::sqrt(2 * M_PI);
          const Vector then = second(a, z * sd[s]);
          each += weights[s] * share * then, chosen += weights[s] * share * then.maxCoeff();
        }
      sequential = std::max(sequential, first + chosen), fixed = std::max(fixed, first + each.maxCoeff());
    }
    return {sequential, fixed};
  }
};

TEST(AdaptivityGap, HoldsForTheBestPolicyInEveryRun) {
  double largest = 0;
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    const Game game(seed, 6, 3);
    const auto [sequential, fixed] = game.best();
    const AdaptivityGap gap = adaptivity_gap(game.members, game.weights, 2);
    EXPECT_GE(sequential, fixed - 1e-9);
    EXPECT_LE(sequential - fixed, gap.bound()) << seed;
    largest = std::max(largest, sequential - fixed);
  }
  EXPECT_GT(largest, 1e-3) << "a bound on nothing holds always";
}

TEST(AdaptivityGap, ItsPartsBoundThoseOfEveryPair) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    const Game game(seed, 7, 4);
    const AdaptivityGap gap = adaptivity_gap(game.members, game.weights, 2);
    double known = 0, fixed = 0;
    for (Index s = 0; s < 4; ++s) {
      double best = 0;
      for (Index a = 0; a < 7; ++a)
        for (Index b = 0; b < a; ++b) best = std::max(best, game.told(s, a, b));
      known += game.weights[s] * best;
    }
    for (Index a = 0; a < 7; ++a)
      for (Index b = 0; b < a; ++b) {
        double sum = 0;
        for (Index s = 0; s < 4; ++s) sum += game.weights[s] * game.told(s, a, b);
        fixed = std::max(fixed, sum);
      }
    EXPECT_LE(known - fixed, gap.designs + 1e-12);
    EXPECT_LE(gap.information, fixed + 1e-12);
    EXPECT_NEAR(gap.parameters, -(game.weights.array() * game.weights.array().log()).sum(), 1e-12);
    ASSERT_EQ(gap.design.size(), 2u);
    double design = 0;
    for (Index s = 0; s < 4; ++s) design += game.weights[s] * game.told(s, gap.design[0], gap.design[1]);
    EXPECT_NEAR(gap.information, design, 1e-9);
  }
}

TEST(AdaptivityGap, IsNothingWhereTheParametersAreKnown) {
  const Game game(3, 6, 3);
  EXPECT_EQ(adaptivity_gap(game.members, Eigen::Vector3d(0, 1, 0), 4).bound(), 0);
  EXPECT_GT(adaptivity_gap(game.members, Eigen::Vector3d(0.1, 0.8, 0.1), 4).bound(), 0);
  EXPECT_THROW((void)adaptivity_gap(game.members, Eigen::Vector3d(0, 1, 0), 0), Error);
  EXPECT_THROW((void)adaptivity_gap(game.members, Eigen::Vector2d(0, 1), 4), Error);
}

TEST(AdaptivityGap, OfMoreLabelsThanAreLeft) {
  const Game game(3, 6, 3);
  EXPECT_EQ(adaptivity_gap(game.members, game.weights, 100).design.size(), 6u);
}

// ----------------------------------------------------------------------------------------------- the strategies

std::string reason_of(const Line& line, const std::string& strategy, const std::vector<Index>& at) {
  Selector s(parse_strategy(strategy), line.pool());
  for (const Index i : at) s.tell(i, std::sin(2 * line.x(i, 0)) + 0.3);
  return s.suggest()[0].reason;
}

TEST(ExplicitExploration, SaysWhatItDoesAndWhy) {
  const Line line;
  const std::string at_first = reason_of(line, "explicit-exploration(gap=2)", {});
  EXPECT_EQ(at_first.find("explores: "), 0u) << at_first;
  EXPECT_NE(at_first.find("above gap=2"), std::string::npos) << at_first;
  const std::string generous = reason_of(line, "explicit-exploration(gap=1000)", {});
  EXPECT_EQ(generous.find("exploits: "), 0u) << generous;
  const std::string hopeless = reason_of(line, "explicit-exploration(gap=1, spread=0.001)", {4, 19});
  EXPECT_EQ(hopeless.find("exploits: "), 0u) << hopeless;
  EXPECT_NE(hopeless.find("stays above gap=1"), std::string::npos) << hopeless;
}

TEST(ExplicitExploration, SwitchesOnceTheParametersAreLearned) {
  const Line line;
  Selector s(parse_strategy("explicit-exploration(gap=2, horizon=3)"), line.pool());
  bool explored = false, exploited = false;
  for (int k = 0; k < 20; ++k) {
    const Choice c = s.suggest()[0];
    const bool explores = c.reason.starts_with("explores");
    explored = explored || explores, exploited = exploited || !explores;
    s.tell(c.candidate, std::sin(2 * line.x(c.candidate, 0)) + 0.3);
  }
  EXPECT_TRUE(explored);
  EXPECT_TRUE(exploited);
}

/// The entropy of the parameters after ten labels, less than by chance in most of 12 fields.
TEST(ParameterInformation, LearnsTheParametersSoonerThanChance) {
  const Matrix x = Vector::LinSpaced(60, 0, 12);
  const Process<Row> guess(parse<Row>("1 * se(lengthscale=1)"), zero_mean<Row>(), Noise::of(0.02));
  const Process<Row> truth(parse<Row>("1 * se(lengthscale=0.35)"), zero_mean<Row>(), Noise::of(0.02));
  int better = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Vector y = truth.sample(x, 1, seed, Of::y).col(0);
    const auto entropy = [&](const std::string& strategy) {
      Selector s(parse_strategy(strategy), pool_of<Row>(guess, x), {.seed = seed});
      for (int k = 0; k < 10; ++k) {
        const Index i = s.suggest()[0].candidate;
        s.tell(i, y[i]);
      }
      ParameterMixture all(64, 1.5, ParameterMixture::Drawn::once);
      all.follow(s.belief());
      return all.entropy();
    };
    better += entropy("parameter-information") < entropy("random");
  }
  EXPECT_GE(better, 9);
}

TEST(MixtureInformation, OfOneParameterVectorIsInformation) {
  const Line line;
  Selector one(parse_strategy("information"), line.pool()),
      all(parse_strategy("mixture-information(spread=1e-9)"), line.pool());
  for (Selector* s : {&one, &all}) {
    s->tell({3, 20, 11}, Eigen::Vector3d(0.1, 0.2, -0.3));
    s->suggest();
  }
  EXPECT_TRUE(near(all.scores(), one.scores(), 1e-6));
}

TEST(Exploration, RefusesWhatIsNoBudget) {
  const auto said = [](const std::string& text) {
    return error_of([&] { (void)parse_strategy(text).make(); }, Problem::usage);
  };
  EXPECT_NE(said("parameter-information(draws=0)").find("draws"), std::string::npos);
  EXPECT_NE(said("mixture-entropy(spread=0)").find("spread"), std::string::npos);
  EXPECT_NE(said("explicit-exploration(horizon=0)").find("horizon"), std::string::npos);
  EXPECT_NE(said("explicit-exploration(gap=0)").find("gap, in nats, must be above 0"), std::string::npos);
  const Matrix x = Vector::LinSpaced(9, 0, 1);
  Pool fixed = pool_of<Row>(
      Process<Row>(parse<Row>("fixed(1 * se(lengthscale=1))"), zero_mean<Row>(), Noise::of(0.1)), x);
  fixed.noise_known = true;
  Selector s(parse_strategy("mixture-entropy"), std::move(fixed));
  EXPECT_NE(error_of([&] { s.suggest(); }, Problem::usage).find("every parameter of this model is fixed"),
            std::string::npos);
}

}  // namespace
}  // namespace covary::test::exploration_test
