// What a measurement promises against its definition, and strategies that look for the best.
#include "select/scores/improvement.h"

#include <gtest/gtest.h>

#include <cmath>

#include "covary/select/selector.h"
#include "support.h"

namespace covary::test::improvement_test {
namespace {

/// E g(Z), Z ~ N(0, 1), by the trapezoidal rule.
template <class G>
double expectation(const G& g) {
  double sum = 0;
  constexpr double step = 1e-3;
  for (double z = -10; z <= 10; z += step) sum += std::exp(-0.5 * z * z) * g(z);
  return sum * step / std::sqrt(2 * 3.14159265358979323846);
}

TEST(Improvement, IsItsDefinition) {
  for (const double gain : {-3.0, -1.0, -0.2, 0.0, 0.7, 2.5})
    for (const double sd : {0.3, 1.0, 2.0}) {
      const double expected = expectation([&](double z) { return std::max(gain + sd * z, 0.0); });
      EXPECT_NEAR(select::expected_improvement(gain, sd).value, expected, 1e-6 * sd);
      EXPECT_NEAR(select::probability_of_improvement(gain, sd).value,
                  0.5 * std::erfc(-gain / sd / std::sqrt(2)), 1e-15);
    }
  EXPECT_EQ(select::expected_improvement(0.4, 0).value, 0.4);
  EXPECT_EQ(select::expected_improvement(-0.4, 0).value, 0);
}

TEST(Improvement, LogarithmsAreThoseOfTheValuesAndGoOnBelow) {
  for (const double z : {-30.0, -20.0, -5.0, -1.001, -0.999, 0.0, 3.0}) {
    EXPECT_NEAR(select::log_expected_improvement(2 * z, 2).value,
                std::log(select::expected_improvement(2 * z, 2).value), 1e-9 * std::max(1.0, z * z));
    EXPECT_NEAR(select::log_probability_of_improvement(2 * z, 2).value,
                std::log(select::probability_of_improvement(2 * z, 2).value), 1e-9 * std::max(1.0, z * z));
  }
  // Leading terms: log phi(z) - 2 log|z| and log phi(z) - log|z|
  const double z = -1e4, log_density = -0.5 * (z * z + std::log(2 * 3.14159265358979323846));
  EXPECT_NEAR(select::log_expected_improvement(z, 1).value, log_density - 2 * std::log(-z), 1e-6);
  EXPECT_NEAR(select::log_probability_of_improvement(z, 1).value, log_density - std::log(-z), 1e-6);
}

TEST(Improvement, SlopesAreThoseOfDifferences) {
  using F = select::Promise (*)(double, double);
  for (const F f : {F(select::expected_improvement), F(select::probability_of_improvement),
                    F(select::log_expected_improvement), F(select::log_probability_of_improvement)})
    for (const double gain : {-60.0, -25.3, -24.7, -4.0, -1.0, 0.0, 2.0}) {
      const double sd = 1.1;
      const select::Promise p = f(gain, sd);
      const Vector d = differences([&](const Vector& t) { return f(gain + t[0], sd + t[1]).value; },
                                   Vector::Zero(2), 1e-3);
      EXPECT_NEAR(p.gain, d[0], 1e-7 * std::max(std::abs(d[0]), 1e-3)) << gain;
      EXPECT_NEAR(p.sd, d[1], 1e-7 * std::max(std::abs(d[1]), 1e-3)) << gain;
    }
}

TEST(KnowledgeGain, IsItsDefinitionWithItsSlopes) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Random rng(seed);
    const Vector a = rng.normal(12, 1), b = rng.normal(12, 1);
    const select::KnowledgeGain k = select::knowledge_gain(a, b);
    const double expected = expectation([&](double z) { return (a + b * z).maxCoeff(); }) - a.maxCoeff();
    EXPECT_NEAR(k.value, expected, 1e-5);
    EXPECT_NEAR(select::knowledge_gain_value(a, b), k.value, 1e-15);
    EXPECT_NEAR(k.largest.sum(), 1, 1e-12);
    const auto best = [](const Vector& level, const Vector& slope) {
      return select::knowledge_gain(level, slope).value + level.maxCoeff();
    };
    const Vector da = differences([&](const Vector&t) { return best(a + t, b); }, Vector::Zero(12), 1e-4),
                 db = differences([&](const Vector&t) { return best(a, b + t); }, Vector::Zero(12), 1e-4);
    EXPECT_LT((k.largest - da).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_LT((k.slopes - db).cwiseAbs().maxCoeff(), 1e-7);
  }
}

TEST(KnowledgeGain, IsZeroWhereNothingCanChange) {
  const Vector a = Random(1).normal(9, 1);
  EXPECT_EQ(select::knowledge_gain(a, Vector::Constant(9, 0.7)).value, 0);
  EXPECT_EQ(select::knowledge_gain(a, Vector::Zero(9)).value, 0);
  EXPECT_EQ(select::knowledge_gain(Vector::Ones(1), Vector::Ones(1)).value, 0);
}

/// 200 candidates on a line, and a function with one maximum among several hills.
struct Hills {
  Matrix x = Vector::LinSpaced(200, 0, 10);
  Process<Row> prior{parse<Row>("se(lengthscale=0.8)"), constant_mean<Row>(), Noise::of(1e-4)};
  double sign = 1;
  double f(Index i) const {
    return sign * (std::sin(2 * x(i, 0)) + std::sin(0.9 * x(i, 0)) - 0.05 * x(i, 0));
  }
  Selector selector(const std::string& strategy, bool minimize) const {
    Selector s(parse_strategy(strategy), pool_of<Row>(prior, x), {.seed = 3, .minimize = minimize});
    for (const Index i : {20, 90, 170}) s.tell(i, f(i));
    return s;
  }
};

class EveryOptimizer : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryOptimizer, FindsTheBestOfAPool) {
  const Hills h;
  Selector s = h.selector(GetParam(), false);
  double best = -10, highest = -10;
  for (Index i = 0; i < 200; ++i) highest = std::max(highest, h.f(i));
  for (int round = 0; round < 25; ++round) {
    const Index i = s.suggest()[0].candidate;
    s.tell(i, h.f(i)), best = std::max(best, h.f(i));
  }
  EXPECT_GT(best, highest - 0.02);
}

TEST_P(EveryOptimizer, TheSmallestIsTheLargestOfTheNegative) {
  Hills up, down;
  down.sign = -1;
  Selector a = up.selector(GetParam(), false), b = down.selector(GetParam(), true);
  for (int round = 0; round < 8; ++round) {
    const Choice p = a.suggest()[0], q = b.suggest()[0];
    if (GetParam() != "thompson") {  // a draw of -f is not the negative of a draw of f
      ASSERT_EQ(p.candidate, q.candidate) << round;
      EXPECT_NEAR(p.score, q.score, 1e-7 * std::max(1.0, p.score));
    }
    a.tell(p.candidate, up.f(p.candidate)), b.tell(q.candidate, down.f(q.candidate));
  }
}

INSTANTIATE_TEST_SUITE_P(Best, EveryOptimizer,
                         ::testing::Values("expected-improvement", "probability-of-improvement(margin=0.1)",
                                           "upper-confidence", "thompson", "knowledge-gradient"),
                         [](const auto& tested) {
                           std::string name = tested.param.substr(0, tested.param.find('('));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// A lucky label is not the one to beat: with noise it is the posterior mean.
TEST(Optimizers, TheBestIsAMeanNotALabel) {
  const Matrix x = Vector::LinSpaced(50, 0, 5);
  const Process<Row> prior(parse<Row>("se(lengthscale=1)"), zero_mean<Row>(), Noise::of(1));
  Selector s(parse_strategy("expected-improvement"), pool_of<Row>(prior, x), {});
  s.tell({10, 11, 12}, (Vector(3) << 0, 3, 0).finished());
  const select::Outlook o = select::outlook(s.sight());
  EXPECT_LT(o.best, 1.5);
  EXPECT_NEAR(o.best, s.belief().mean().col(0)({10, 11, 12}).maxCoeff(), 1e-12);
}

TEST(Optimizers, ParametersAreChecked) {
  for (const char* bad : {"upper-confidence(beta=-1)", "probability-of-improvement(margin=-0.1)",
                          "thompson(reference=0)", "knowledge-gradient(reference=0.5)"})
    EXPECT_THROW(parse_strategy(bad).make(), Error) << bad;
}

}  // namespace
}  // namespace covary::test::improvement_test
