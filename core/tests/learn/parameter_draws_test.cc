#include "covary/learn/parameter_draws.h"

#include <Eigen/Eigenvalues>

#include "covary/learn/fit.h"
#include "support.h"

namespace covary::draws_test {
namespace {

TEST(Draws, OfAGaussianHaveItsMeanAndCovariance) {
  const Matrix h = (Matrix(3, 3) << 4, 1, 0, 1, 2, 0.5, 0, 0.5, 0).finished();
  const Vector best = (Vector(3) << 1, -2, 0.5).finished();
  const Index n = 20000;
  const Matrix draws =
      internal::laplace_draws([&](const Vector& t) -> Vector { return -h * (t - best); }, best, n, 1);
  ASSERT_EQ(draws.cols(), n);
  // What is flat or rises has the prior's curvature only.
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(h);
  const Vector variance = (eigen.eigenvalues().cwiseMax(0).array() + 1.0 / 9).inverse();
  const Matrix expected = eigen.eigenvectors() * variance.asDiagonal() * eigen.eigenvectors().transpose();
  const Vector mean = draws.rowwise().mean();
  const Matrix off = draws.colwise() - mean, covariance = off * off.transpose() / double(n);
  for (Index i = 0; i < 3; ++i) {
    EXPECT_NEAR(mean[i], best[i], 4 * std::sqrt(expected(i, i) / double(n)));
    for (Index j = 0; j < 3; ++j)
      EXPECT_NEAR(covariance(i, j), expected(i, j),
                  4 * std::sqrt(2 * expected(i, i) * expected(j, j) / double(n)));
  }
}

TEST(Draws, WhereThereIsNoGradientThePriorDecides) {
  const Matrix draws =
      internal::laplace_draws([](const Vector&) { return Vector(); }, Vector::Zero(1), 20000, 2);
  EXPECT_NEAR(std::sqrt(draws.squaredNorm() / 20000), 3, 4 * 3 / std::sqrt(2 * 20000.0));
}

TEST(Draws, TheSameSeedTheSameDraws) {
  const auto gradient = [](const Vector& t) -> Vector { return -t; };
  const Vector best = Vector::Zero(2);
  EXPECT_TRUE(test::same_bits(internal::laplace_draws(gradient, best, 5, 3),
                              internal::laplace_draws(gradient, best, 5, 3)));
  EXPECT_FALSE(test::same_bits(internal::laplace_draws(gradient, best, 5, 3),
                               internal::laplace_draws(gradient, best, 5, 4)));
}

TEST(Draws, OfAFitBracketTheTruth) {
  int inside = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random rng(seed);
    const Matrix x = 10 * Matrix::NullaryExpr(80, 1, [&](Index, Index) { return rng.uniform(); });
    const Process<Row> truth(parse<Row>("1 * se(lengthscale=1)"), zero_mean<Row>(), Noise::of(0.04));
    const Vector y = truth.sample(x, 1, rng.fork()).col(0) + 0.2 * rng.normal(80, 1).col(0);
    const FitResult<Row> fitted = fit<Row>({parse<Row>("1 * se()"), zero_mean<Row>()}, x, y, {.threads = 1});
    Matrix theta(3, 200);
    Index i = 0;
    for (const Process<Row>& p : parameter_draws<Row>(fitted.process, x, y, 200, seed))
      theta.col(i++) << p.kernel().theta(), std::log(p.noise().variance);
    Vector wanted(3);
    wanted << truth.kernel().theta(), std::log(0.04);
    for (Index k = 0; k < 3; ++k) {
      const double below = double((theta.row(k).array() < wanted[k]).count()) / 200;
      inside += below > 0.025 && below < 0.975;
    }
  }
  EXPECT_GE(inside, 51);  // of 60, where 57 are expected
}

// Where the parameters are not at the mode, it is looked for; where they are, they stay.
TEST(Draws, FindTheMode) {
  const Matrix h = (Matrix(2, 2) << 40, 5, 5, 20).finished();
  const Vector best = (Vector(2) << 1, -2).finished();
  const auto density = [&](const Vector& t) {
    return Evaluation{-0.5 * (t - best).dot(h * (t - best)), -h * (t - best)};
  };
  EXPECT_TRUE(test::near(internal::posterior_mode(density, Vector::Zero(2)), best, 0.02));
  const Vector near = best + Vector::Constant(2, 0.05);
  EXPECT_EQ(internal::posterior_mode(density, near), near);
  EXPECT_EQ(internal::posterior_mode([](const Vector&) { return Evaluation{}; }, near), near);
}

TEST(Draws, SeveralFunctionsOfTheSameParameters) {
  const Matrix x = test::random_points(3, 40, 1);
  const Process<Row> p(parse<Row>("1 * se(lengthscale=1)"), zero_mean<Row>(), Noise::of(0.04));
  const Matrix y = p.sample(x, 6, 5);
  const auto spread = [&](const Matrix& some) {
    Matrix theta(2, 200);
    Index i = 0;
    for (const Process<Row>& q : parameter_draws<Row>(p, x, some, 200, 1, {.noise_known = true}))
      theta.col(i++) = q.kernel().theta();
    return (theta.colwise() - theta.rowwise().mean()).norm();
  };
  EXPECT_LT(spread(y), 0.7 * spread(y.col(0)));  // six functions tell more than one
}

TEST(Draws, OfNothingAreRefused) {
  const Matrix x = test::random_points(1, 20, 1);
  const Process<Row> p(parse<Row>("fixed(1 * se(lengthscale=1))"), zero_mean<Row>(), Noise::of(0.1));
  EXPECT_NE(test::error_of([&] { parameter_draws<Row>(p, x, x.col(0), 3, 1, {.noise_known = true}); },
                           Problem::usage)
                .find("every parameter of this model is fixed"),
            std::string::npos);
  for (const Process<Row>& q : parameter_draws<Row>(p, x, x.col(0), 3, 1)) EXPECT_NE(q.noise().variance, 0.1);
}

TEST(Draws, KeepANoiseThatIsNotLearned) {
  const Matrix x = test::random_points(1, 20, 1);
  const Process<Row> p(parse<Row>("1 * se(lengthscale=1)"), zero_mean<Row>(), Noise::of(0));
  for (const Process<Row>& q : parameter_draws<Row>(p, x, x.col(0), 3, 1)) EXPECT_EQ(q.noise().variance, 0);
}

}  // namespace
}  // namespace covary::draws_test
