// The usual menu of query strategies: class probabilities against draws and closed forms, expected changes and errors
// against labels that are told, medoids against a search.
#include <cmath>
#include <numbers>

#include "covary/select/selector.h"
#include "select/scores/class_probabilities.h"
#include "support.h"

namespace covary::test::menu_test {
namespace {

double normal_probability(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

/// 40 candidates in the plane, 10 of them with a label.
struct Scene {
  Matrix x = random_points(1, 40, 2);
  Process<Row> prior{parse<Row>("se(lengthscale=0.8)"), zero_mean<Row>(), Noise::of(0.1)};
  Index kind(Index i, Index kinds) const {
    return std::min(kinds - 1, Index(x(i, 0) > 0) + Index(x(i, 1) > 0.3));
  }
  double label(Index i, Index kinds) const { return kinds ? double(kind(i, kinds)) : std::sin(2 * x(i, 0)); }
  Selector selector(const std::string& strategy, Index kinds) const {
    Selector s(parse_strategy(strategy), pool_of<Row>(prior, x), {.kinds = kinds});
    Vector y(10);
    for (Index i = 0; i < 10; ++i) y[i] = label(i, kinds);
    s.tell(internal::all_indices(10), y);
    return s;
  }
};

TEST(ClassProbabilities, OfTwoClassesAndOfTwoAmongThree) {
  const Vector sd = (Vector(2) << 0.5, 2).finished();
  const Matrix two = select::class_probabilities((Matrix(2, 1) << 0.3, -1).finished(), sd, 2);
  EXPECT_NEAR(two(0, 1), normal_probability(0.6), 1e-15);
  EXPECT_NEAR(two(1, 1), normal_probability(-0.5), 1e-15);
  EXPECT_NEAR(two.row(0).sum(), 1, 1e-15);
  const Matrix three =
      select::class_probabilities((Matrix(2, 3) << 0.7, -60, 0.2, -90, 1, 3).finished(), sd, 3);
  EXPECT_NEAR(three(0, 0), normal_probability(0.5 / (0.5 * std::numbers::sqrt2)), 1e-12);
  EXPECT_NEAR(three(1, 2), normal_probability(2 / (2 * std::numbers::sqrt2)), 1e-12);
  const Matrix even = select::class_probabilities(Matrix::Constant(1, 5, 0.4), Vector::Ones(1), 5);
  EXPECT_TRUE(near(even, Matrix::Constant(1, 5, 0.2), 1e-12));
}

TEST(ClassProbabilities, AreTheSharesOfDraws) {
  const Matrix mean = (Matrix(1, 4) << 0.5, -0.2, 0.1, -1).finished();
  const Vector sd = Vector::Constant(1, 0.7);
  const Matrix p = select::class_probabilities(mean, sd, 4);
  const Index draws = 40000;
  const Matrix f = (0.7 * Random(2).normal(draws, 4)).rowwise() + mean.row(0);
  Vector share = Vector::Zero(4);
  for (Index i = 0; i < draws; ++i) {
    Index best = 0;
    f.row(i).maxCoeff(&best);
    share[best] += 1 / double(draws);
  }
  for (Index c = 0; c < 4; ++c) EXPECT_NEAR(p(0, c), share[c], 4 * std::sqrt(0.25 / double(draws)));
}

/// In the tails probabilities are small, not wrong: they sum to 1 whatever the means.
TEST(ClassProbabilities, HoldInTheTails) {
  const Matrix mean = 30 * random_points(3, 50, 6);
  const Matrix p = select::class_probabilities(mean, Vector::Constant(50, 0.1), 6);
  EXPECT_TRUE(p.allFinite());
  EXPECT_GE(p.minCoeff(), 0);
  EXPECT_TRUE(near(p.rowwise().sum(), Vector::Ones(50), 1e-12));
}

/// Of numbers the same words: the entropy of a normal label grows with its variance, and its error is its square.
TEST(Menu, OfNumbersEntropyIsVarianceAndErrorsAreSquares) {
  const Scene scene;
  Selector entropy = scene.selector("entropy", 0), errors = scene.selector("expected-error-reduction", 0),
           reduction = scene.selector("variance-reduction", 0);
  const Vector variance = entropy.belief().variance().array() + 0.1;  // before one is pending
  const Index widest = entropy.suggest()[0].candidate;
  EXPECT_TRUE(near(entropy.scores(), variance, 1e-12));
  EXPECT_EQ(variance[widest], variance.bottomRows(30).maxCoeff());
  EXPECT_EQ(errors.suggest()[0].candidate, reduction.suggest()[0].candidate);
  EXPECT_TRUE(near(errors.scores(), reduction.scores(), 1e-12));
}

TEST(Menu, OfTwoClassesAllThreeAskForTheSame) {
  const Scene scene;
  std::vector<Index> chosen;
  for (const char* name : {"least-confident", "margin", "entropy"}) {
    Selector s = scene.selector(name, 2);
    chosen.push_back(s.suggest()[0].candidate);
    const Matrix p = select::class_probabilities(s.sight());
    EXPECT_NEAR(std::abs(p(chosen.back(), 0) - 0.5), (p.bottomRows(30).col(0).array() - 0.5).abs().minCoeff(),
                1e-12);
  }
  EXPECT_EQ(chosen, std::vector<Index>(3, chosen[0]));
}

TEST(Menu, ScoresAreOfTheProbabilities) {
  const Scene scene;
  for (const Index kinds : {2, 3}) {
    Selector least = scene.selector("least-confident", kinds), margin = scene.selector("margin", kinds),
             entropy = scene.selector("entropy", kinds);
    const Matrix p = select::class_probabilities(least.sight());
    for (Selector* s : {&least, &margin, &entropy}) s->suggest();
    for (Index i = 0; i < 40; ++i) {
      std::vector<double> q(p.row(i).begin(), p.row(i).end());
      std::sort(q.rbegin(), q.rend());
      double sum = 0;
      for (const double v : q) sum -= v > 0 ? v * std::log(v) : 0;
      EXPECT_NEAR(least.scores()[i], 1 - q[0], 1e-12);
      EXPECT_NEAR(margin.scores()[i], 1 - q[0] + q[1], 1e-12);
      EXPECT_NEAR(entropy.scores()[i], sum, 1e-12);
    }
  }
}

/// The 30 candidates without a label.
std::vector<Index> rest() {
  std::vector<Index> out = internal::all_indices(30);
  for (Index& i : out) i += 10;
  return out;
}

double expected_error(const PoolPosterior& b, const std::vector<Index>& at, double noise) {
  const Matrix mean = b.mean();
  const Vector variance = b.variance();
  double sum = 0;
  for (const Index t : at)
    sum += select::runner_up(mean.row(t).transpose(), std::sqrt(variance[t] + noise)) / double(at.size());
  return sum;
}

TEST(Menu, ExpectedErrorReductionIsWhatLabelsDo) {
  const Scene scene;
  for (const Index kinds : {2, 3}) {
    Selector s = scene.selector("expected-error-reduction", kinds);
    const Matrix p = select::class_probabilities(s.sight());
    const PoolPosterior before = s.belief();
    s.suggest();
    const double now = expected_error(before, rest(), 0.1);
    double largest = 0;
    for (Index x = 10; x < 40; ++x) {
      double after = 0;
      for (Index c = 0; c < kinds; ++c) {
        PoolPosterior told = before;
        told.tell(x, select::coded_class(c, kinds));
        after += p(x, c) * expected_error(told, rest(), 0.1);
      }
      EXPECT_NEAR(s.scores()[x], std::max(0.0, now - after), 1e-9) << x;
      largest = std::max(largest, now - after);
    }
    EXPECT_GT(largest, 0);
  }
}

TEST(Menu, ExpectedModelChangeIsWhatLabelsDo) {
  const Scene scene;
  for (const Index kinds : {0, 2, 3}) {
    Selector s = scene.selector("expected-model-change", kinds);
    const PoolPosterior before = s.belief();
    const Matrix mean = before.mean(), p = kinds ? select::class_probabilities(s.sight()) : Matrix();
    const Vector variance = before.variance();
    s.suggest();
    const auto moved = [&](Index x, const Vector& label) {
      PoolPosterior told = before;
      told.tell(x, label);
      return (told.mean() - mean).eval()(rest(), Eigen::all).rowwise().norm().mean();
    };
    for (Index x = 10; x < 40; ++x) {
      double expected = 0;
      for (Index c = 0; c < kinds; ++c) expected += p(x, c) * moved(x, select::coded_class(c, kinds));
      if (kinds == 0)  // of a label one away from the mean, times the expected distance
        expected = moved(x, mean.row(x).transpose().array() + 1) *
                   std::sqrt(2 * (variance[x] + 0.1) / std::numbers::pi);
      EXPECT_NEAR(s.scores()[x], expected, 1e-9 * (1 + expected)) << x;
    }
  }
}

TEST(Representative, ABatchIsAMedoidOfEachGroup) {
  Matrix x = 0.5 * random_points(5, 90, 2);
  for (Index i = 0; i < 90; ++i) x(i, 0) += i < 50 ? 0 : i < 75 ? 10 : 20;  // 50, 25 and 15
  const Process<Row> prior(parse<Row>("linear(lengthscale=1)"), zero_mean<Row>(), Noise::of(0.1));
  const auto medoid = [&](Index first, Index count) {
    Index best = -1;
    double least = 0;
    for (Index i = first; i < first + count; ++i) {
      const double sum = (x.middleRows(first, count).rowwise() - x.row(i)).squaredNorm();
      if (best < 0 || sum < least) best = i, least = sum;
    }
    return best;
  };
  for (const Index kinds : {0, 2}) {
    Selector s(parse_strategy("representative"), pool_of<Row>(prior, x), {.kinds = kinds});
    const std::vector<Choice> batch = s.suggest(3);
    EXPECT_EQ(batch[0].candidate, medoid(0, 90));
    std::vector<Index> group;
    for (const Choice& c : batch)
      group.push_back(Index(x(c.candidate, 0) > 5) + Index(x(c.candidate, 0) > 15));
    std::sort(group.begin(), group.end());
    EXPECT_EQ(group, (std::vector<Index>{0, 1, 2}));
    // Given labels in two groups, the next is in the third and its medoid.
    Selector given(parse_strategy("representative"), pool_of<Row>(prior, x), {.kinds = kinds});
    given.tell({3, 60}, (Vector(2) << 0, 1).finished());
    EXPECT_EQ(given.suggest()[0].candidate, medoid(75, 15));
  }
}

TEST(PureDensity, IsTheMeanCorrelationWithTheRest) {
  const Scene scene;
  Selector s = scene.selector("pure-density", 0);
  s.suggest();
  const Matrix k = scene.prior.kernel().cross(scene.x, Matrix(scene.x.bottomRows(30)));
  EXPECT_TRUE(near(s.scores(), k.rowwise().mean(), 1e-12));
}

}  // namespace
}  // namespace covary::test::menu_test
