// The strategies for posterior densities against their formulas, found in another way.
#include "covary/kernels/expression.h"
#include "covary/select/selector.h"
#include "support.h"

namespace covary::posterior_strategies_test {
namespace {

/// 30 candidates on a line, labels at some of them.
struct Line {
  Matrix x = Vector::LinSpaced(30, 0, 5);
  Process<Row> prior{parse<Row>("4 * se(lengthscale=0.7)"), zero_mean<Row>(), Noise::of(0.02)};
  std::vector<Index> at{2, 9, 17, 28};
  Vector y{{-1.0, 2.0, 0.5, -3.0}};
  Selector selector(const std::string& strategy, double shift = 0) const {
    Selector s(parse_strategy(strategy), pool_of<Row>(prior, x));
    s.tell(at, y.array() + shift);
    return s;
  }
};

TEST(ExponentiatedVariance, IsTheVarianceOfTheExponential) {
  const Line line;
  Selector s = line.selector("exponentiated-variance");
  const Vector m = s.belief().mean().col(0), v = s.belief().variance();
  s.suggest();
  const Vector direct = (2 * m + v).array().exp() * (v.array().exp() - 1);
  const double factor = direct[0] / s.scores()[0];
  EXPECT_TRUE(test::near(factor * s.scores(), direct, 1e-9));
  double largest = 0;
  for (Index i = 0; i < 30; ++i)
    if (std::find(line.at.begin(), line.at.end(), i) == line.at.end())
      largest = std::max(largest, s.scores()[i]);
  EXPECT_NEAR(largest, 1, 1e-12);
}

/// Log likelihoods are as large as they like.
TEST(ExponentiatedVariance, ScoresAreFiniteWhateverTheLevelOfF) {
  const Line line;
  for (const char* kernel :
       {"4 * se(lengthscale=0.7)", "1e8 * se(lengthscale=0.7)", "1e-12 * se(lengthscale=0.7)"})
    for (const double level : {0.0, -1e6, 1e6}) {
      Selector s(parse_strategy("exponentiated-variance"),
                 pool_of<Row>(Process<Row>(parse<Row>(kernel), zero_mean<Row>(), Noise::of(1e-14)), line.x));
      s.tell(line.at, line.y.array() + level);
      const Choice c = s.suggest()[0];
      EXPECT_TRUE(s.scores().allFinite());
      EXPECT_GE(s.scores().minCoeff(), 0);
      EXPECT_NEAR(c.score, 1, 1e-9);
    }
}

TEST(ExpectedDivergence, IsTheAverageOverLabelsThatMayCome) {
  const Line line;
  Selector s = line.selector("expected-divergence(nodes=30)");
  const Vector m = s.belief().mean().col(0), v = s.belief().variance();
  std::vector<Index> open;
  for (Index i = 0; i < 30; ++i)
    if (s.is_open(i)) open.push_back(i);
  const auto density = [&](const Vector& mean) -> Vector {
    const Vector p = (mean(open).array() - mean.maxCoeff()).exp();
    return p / p.sum();
  };
  const Vector before = density(m);
  s.suggest();
  Random rng(3);
  constexpr Index draws = 3000;
  for (const Index i : {5, 13, 22}) {
    const double sd = std::sqrt(v[i] + 0.02);
    Vector divergences(draws);
    for (Index d = 0; d < draws; ++d) {
      PoolPosterior told = line.selector("random").belief();
      told.tell(i, Vector::Constant(1, m[i] + sd * rng.normal()));
      const Vector after = density(told.mean().col(0));
      divergences[d] = (after.array() > 0)
                           .select(after.array() * (after.array() / before.array()).max(1e-300).log(), 0)
                           .sum();
    }
    const double mean = divergences.mean(),
                 error = std::sqrt((divergences.array() - mean).square().mean() / double(draws));
    EXPECT_NEAR(s.scores()[i], mean, 4 * error) << i;
  }
}

/// A few of many candidates stand for the rest: by how many they are.
TEST(ExpectedDivergence, SomeReferencePointsStandForAll) {
  const Matrix x = Vector::LinSpaced(1200, 0, 5);
  const Line line;
  const auto scores = [&](const std::string& strategy) {
    Selector s(parse_strategy(strategy), pool_of<Row>(line.prior, x));
    s.tell({80, 360, 700, 1100}, line.y);
    s.suggest();
    return Vector(s.scores());
  };
  const Vector all = scores("expected-divergence(reference=2000)"),
               some = scores("expected-divergence(reference=400)");
  EXPECT_TRUE(test::near(some, all, 0.05));
}

TEST(ExpectedDivergence, KnownPointsAreWorthNothing) {
  const Line line;
  Selector s(parse_strategy("expected-divergence"),
             pool_of<Row>(Process<Row>(line.prior.kernel(), zero_mean<Row>(), Noise::of(0)), line.x));
  s.tell(line.at, line.y);
  s.suggest();
  for (const Index i : line.at) EXPECT_LT(s.scores()[i], 1e-6 * s.scores().maxCoeff());
}

}  // namespace
}  // namespace covary::posterior_strategies_test
