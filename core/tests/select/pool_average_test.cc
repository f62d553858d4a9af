// Averages that strategies take over a pool: over the candidates without a label, whatever is
// labelled beside them.
#include "covary/select/coverage.h"
#include "covary/select/selector.h"
#include "support.h"

namespace covary::pool_average_test {
namespace {

/// 30 candidates, and 20 labelled rows beside them that are far from most of those.
struct Beside {
  Matrix x = Random(1).normal(50, 1);
  Process<Row> p{parse<Row>("1.3 * se(lengthscale=0.6)"), constant_mean<Row>(), Noise::of(0.05)};
  std::vector<Index> labelled;
  Beside() {
    x.bottomRows(20).array() = 0.2 * x.bottomRows(20).array() + 2;
    for (Index i = 30; i < 50; ++i) labelled.push_back(i);
  }
  Selector selector(const std::string& strategy) const {
    Selector s(parse_strategy(strategy), pool_of<Row>(p, x));
    s.tell(labelled, Vector::Zero(20));
    return s;
  }
  /// The covariance of all, given labels at the labelled and some more.
  Matrix covariance(std::vector<Index> more) const {
    more.insert(more.begin(), labelled.begin(), labelled.end());
    return p.condition(x(more, Eigen::all), Vector::Zero(std::ssize(more))).joint(x).covariance();
  }
  static std::vector<Index> others(const std::vector<Index>& taken) {
    std::vector<Index> out;
    for (Index i = 0; i < 30; ++i)
      if (std::find(taken.begin(), taken.end(), i) == taken.end()) out.push_back(i);
    return out;
  }
};

/// mean_t cov(t, x)^2/(var + noise) by the book, step by step as labels come.
TEST(PoolAverage, VarianceReductionIsOverCandidatesWithoutALabel) {
  const Beside b;
  Selector s = b.selector("variance-reduction");
  std::vector<Index> taken;
  for (int round = 0; round < 6; ++round) {
    const Matrix c = b.covariance(taken);
    const std::vector<Index> open = Beside::others(taken);
    const Choice choice = s.suggest()[0];
    for (const Index i : open) {
      const double expected = c(open, i).squaredNorm() / double(open.size()) / (c(i, i) + 0.05);
      EXPECT_NEAR(s.scores()[i], expected, 1e-7 * expected) << i;
    }
    taken.push_back(choice.candidate);
    s.tell(choice.candidate, 0.5);
  }
}

TEST(PoolAverage, DensityIsOverCandidatesWithoutALabel) {
  const Beside b;
  Selector s = b.selector("density");
  std::vector<Index> taken;
  for (int round = 0; round < 6; ++round) {
    const Matrix c = b.covariance(taken), k = b.p.kernel().cross(b.x, b.x) / 1.3;
    const std::vector<Index> open = Beside::others(taken);
    const Choice choice = s.suggest()[0];
    for (const Index i : open)
      EXPECT_NEAR(s.scores()[i], c(i, i) * k(open, i).mean(), 1e-7 * s.scores()[i] + 1e-12) << i;
    taken.push_back(choice.candidate);
    s.tell(choice.candidate, 0.5);
  }
}

/// 1/2 log var(y | labels)/var(y | the other candidates).
TEST(PoolAverage, InformationIsOfCandidatesWithoutALabel) {
  const Beside b;
  Selector s = b.selector("information");
  const Choice choice = s.suggest()[0];
  const Matrix c = b.covariance({});
  Matrix k = b.p.kernel().cross(b.x.topRows(30), b.x.topRows(30));
  k.diagonal() *= 1 + 1e-6;
  const double rest = 1 / test::inverse_of(k)(choice.candidate, choice.candidate);
  EXPECT_NEAR(choice.score, 0.5 * std::log((c(choice.candidate, choice.candidate) + 0.05) / (rest + 0.05)),
              1e-6);
}

/// Once all representatives of a large pool have labels, others take their place.
TEST(PoolAverage, GoesOnToTheLastCandidate) {
  for (const char* strategy : {"variance-reduction(reference=3)", "information(reference=3)"}) {
    const Beside b;
    Selector s = b.selector(strategy);
    for (int round = 0; round < 30; ++round) s.tell(s.suggest()[0].candidate, 0);
    EXPECT_EQ(s.open(), 0);
  }
}

TEST(PoolAverage, CoverageCountsCandidatesWithoutALabel) {
  const Beside b;
  PoolPosterior belief(pool_of<Row>(b.p, b.x));
  belief.tell(b.labelled, Vector::Zero(20));
  const Vector left = b.p.condition(b.x(b.labelled, Eigen::all), Vector::Zero(20)).variance(b.x.topRows(30));
  const double uncovered = double((left.array() > 0.65).count()) / 30;
  EXPECT_NEAR(coverage(belief).uncovered, uncovered, 0.07);
}

}  // namespace
}  // namespace covary::pool_average_test
