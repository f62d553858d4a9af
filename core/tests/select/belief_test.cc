#include "covary/select/belief.h"

#include "covary/kernels/expression.h"
#include "support.h"

namespace covary::belief_test {
namespace {

using test::near;

struct Case {
  std::string kernel, mean;
  double noise;
};

Process<Row> prior(const Case& c) {
  return Process<Row>(parse<Row>(c.kernel), parse_mean(c.mean), Noise::of(c.noise));
}

class BeliefOf : public testing::TestWithParam<Case> {
 protected:
  Matrix x = Random(3).normal(300, 2);
  Vector f = x.col(0).array().sin() + x.col(1).array();
  std::vector<Index> chosen = Random(4).subset(300, 70);
};

/// Of the process conditioned on the first `labels` of the chosen; variance given the first `all`.
void expect_as_conditioned(const PoolPosterior& b, const Process<Row>& p, const Matrix& x, const Vector& f) {
  const std::vector<Index> labelled(b.order().begin(), b.order().begin() + b.labels());
  const Process<Row> measured = p.condition(x(labelled, Eigen::all), f(labelled));
  const Process<Row> asked = p.condition(x(b.order(), Eigen::all), f(b.order()));
  const double level = 1e-9 * b.pool().diagonal.maxCoeff();
  EXPECT_TRUE(near(b.mean(), measured.mean(x), 1e-8));
  const auto [alpha, beta] = b.weights();
  Matrix mean = b.pool().among(internal::all_indices(300), labelled) * alpha + b.pool().basis * beta;
  mean.colwise() += b.pool().known;
  EXPECT_TRUE(near(mean, b.mean(), 1e-9));
  EXPECT_LE((b.variance() - asked.variance(x)).cwiseAbs().maxCoeff(), level);
  const Matrix joint = asked.joint(x.topRows(20)).covariance();
  const Matrix own = b.covariance({0, 20}, internal::all_indices(20));
  EXPECT_LE((joint - own).cwiseAbs().maxCoeff(), level);
}

TEST_P(BeliefOf, OneLabelAtATimeIsConditioning) {
  const Process<Row> p = prior(GetParam());
  PoolPosterior b(pool_of<Row>(p, x));
  for (size_t i = 0; i < chosen.size(); ++i) {
    b.tell(chosen[i], Vector::Constant(1, f[chosen[i]]));
    if (i == 9 || i == 40 || i + 1 == chosen.size()) expect_as_conditioned(b, p, x, f);
  }
}

TEST_P(BeliefOf, ManyAtOnceIsOneAtATime) {
  const Process<Row> p = prior(GetParam());
  PoolPosterior one(pool_of<Row>(p, x)), many(pool_of<Row>(p, x));
  for (const Index i : chosen) one.tell(i, Vector::Constant(1, f[i]));
  many.tell(chosen, f(chosen));
  EXPECT_TRUE(near(one.mean(), many.mean(), 1e-9));
  EXPECT_TRUE(near(one.variance(), many.variance(), 1e-9));
}

// With L in the place of the columns of C, everything is as it was.
TEST_P(BeliefOf, WithoutColumnsIsTheSame) {
  const Process<Row> p = prior(GetParam());
  PoolPosterior lean(pool_of<Row>(p, x), 1, 2, 0);
  const std::vector<Index> first(chosen.begin(), chosen.begin() + 50);
  std::vector<double> shares;
  lean.watched_by([&](const char*, double share) { shares.push_back(share); });
  lean.tell(first, f(first));
  EXPECT_EQ(lean.without_trend().first_kept(), 50);
  EXPECT_EQ(shares.back(), 1);
  expect_as_conditioned(lean, p, x, f);
  for (Index i = 50; i < 60; ++i) lean.tell(chosen[static_cast<size_t>(i)], f.segment(chosen[size_t(i)], 1));
  expect_as_conditioned(lean, p, x, f);
  for (Index i = 60; i < 64; ++i) lean.pend(chosen[static_cast<size_t>(i)]);
  expect_as_conditioned(lean, p, x, f);
  lean.tell(chosen[62], f.segment(chosen[62], 1));
  expect_as_conditioned(lean, p, x, f);
  lean.drop_pending();
  const std::vector<Index> rest(chosen.begin() + 64, chosen.end());
  lean.tell(rest, f(rest));
  expect_as_conditioned(lean, p, x, f);
  lean.replace(pool_of<Row>(p, x));
  EXPECT_EQ(lean.without_trend().first_kept(), lean.labels());
  expect_as_conditioned(lean, p, x, f);
}

TEST_P(BeliefOf, PendingOnesCountForTheVarianceAlone) {
  const Process<Row> p = prior(GetParam());
  PoolPosterior b(pool_of<Row>(p, x));
  const std::vector<Index> first(chosen.begin(), chosen.begin() + 40);
  b.tell(first, f(first));
  const Matrix mean = b.mean();
  for (Index i = 40; i < 46; ++i) b.pend(chosen[static_cast<size_t>(i)]);
  EXPECT_TRUE(near(b.mean(), mean, 1e-12));
  expect_as_conditioned(b, p, x, f);
  b.tell(chosen[40], Vector::Constant(1, f[chosen[40]]));  // in order
  expect_as_conditioned(b, p, x, f);
  b.tell(chosen[44], Vector::Constant(1, f[chosen[44]]));  // out of order: the others stay pending
  EXPECT_EQ(b.pending(), 4);
  expect_as_conditioned(b, p, x, f);
  b.tell(0, Vector::Constant(1, f[0]));  // never asked for
  EXPECT_EQ(b.pending(), 4);
  expect_as_conditioned(b, p, x, f);
  b.drop_pending();
  EXPECT_EQ(b.pending(), 0);
  expect_as_conditioned(b, p, x, f);
}

TEST_P(BeliefOf, AnotherKernelIsAFreshStart) {
  const Process<Row> p = prior(GetParam());
  const Process<Row> other(parse<Row>("2 * matern32(lengthscale=2)"), parse_mean("zero"), Noise::of(0.1));
  PoolPosterior b(pool_of<Row>(p, x));
  b.tell(chosen, f(chosen));
  const Index generation = b.generation();
  b.replace(pool_of<Row>(other, x));
  EXPECT_NE(b.generation(), generation);
  expect_as_conditioned(b, other, x, f);
}

TEST_P(BeliefOf, TheSameBitsOnAnyNumberOfThreads) {
  const Process<Row> p = prior(GetParam());
  const Matrix many = Random(5).normal(9000, 2);
  PoolPosterior one(pool_of<Row>(p, many), 1, 1), four(pool_of<Row>(p, many), 1, 4);
  for (const Index i : {5, 8000, 4096, 17}) {
    one.tell(i, Vector::Ones(1));
    four.tell(i, Vector::Ones(1));
  }
  EXPECT_TRUE(test::same_bits(one.mean(), four.mean()));
  EXPECT_TRUE(test::same_bits(one.variance(), four.variance()));
}

INSTANTIATE_TEST_SUITE_P(Trends, BeliefOf,
                         testing::Values(Case{"1.5 * se(lengthscale=0.7)", "zero", 0.01},
                                         Case{"1.5 * se(lengthscale=0.7)", "constant", 0.01},
                                         Case{"0.8 * matern52(lengthscale=1.2)", "linear", 0.1},
                                         Case{"2 * matern12(lengthscale=1)", "constant(0.5)", 0}));

TEST(PoolPosterior, SeveralTargetsAreSeveralBeliefs) {
  const Matrix x = Random(6).normal(60, 1), y = Random(7).normal(10, 3);
  const Process<Row> p = prior({"se(lengthscale=1)", "constant", 0.1});
  PoolPosterior all(pool_of<Row>(p, x), 3);
  all.tell(internal::all_indices(10), y);
  for (Index t = 0; t < 3; ++t) {
    PoolPosterior one(pool_of<Row>(p, x));
    one.tell(internal::all_indices(10), y.col(t));
    EXPECT_TRUE(near(all.mean().col(t), one.mean(), 1e-12));
  }
}

TEST(PoolPosterior, AnExactRepeatWithoutNoiseTellsNothing) {
  Matrix x = Random(8).normal(20, 1);
  x(1, 0) = x(0, 0);
  PoolPosterior b(pool_of<Row>(prior({"se(lengthscale=1)", "constant", 0}), x));
  b.tell(0, Vector::Ones(1));
  b.tell(5, Vector::Zero(1));
  const Matrix mean = b.mean();
  const Vector variance = b.variance();
  b.tell(1, Vector::Ones(1));
  EXPECT_TRUE(near(b.mean(), mean, 1e-12));
  EXPECT_TRUE(near(b.variance(), variance, 1e-12));
}

TEST(PoolPosterior, CandidatesThatDoNotExist) {
  PoolPosterior b(pool_of<Row>(prior({"se(lengthscale=1)", "zero", 0}), Matrix::Zero(3, 1)));
  EXPECT_EQ(test::error_of([&] { b.tell(3, Vector::Ones(1)); }, Problem::usage),
            "candidate 3 does not exist: there are 3, counted from 0");
}

}  // namespace
}  // namespace covary::belief_test
