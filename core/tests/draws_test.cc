#include "covary/select/draws.h"

#include <Eigen/Eigenvalues>

#include "covary/learn.h"
#include "support.h"

namespace covary {
namespace {

TEST(Draws, OfAGaussianHaveItsMeanAndCovariance) {
  const Matrix h = (Matrix(3, 3) << 4, 1, 0, 1, 2, 0.5, 0, 0.5, 0).finished();
  const Vector best = (Vector(3) << 1, -2, 0.5).finished();
  const Index n = 20000;
  const Matrix draws = laplace_draws([&](const Vector& t) -> Vector { return -h * (t - best); }, best, n, 1);
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
  const Matrix draws = laplace_draws([](const Vector&) { return Vector(); }, Vector::Zero(1), 20000, 2);
  EXPECT_NEAR(std::sqrt(draws.squaredNorm() / 20000), 3, 4 * 3 / std::sqrt(2 * 20000.0));
}

TEST(Draws, TheSameSeedTheSameDraws) {
  const auto gradient = [](const Vector& t) -> Vector { return -t; };
  const Vector best = Vector::Zero(2);
  EXPECT_TRUE(test::same_bits(laplace_draws(gradient, best, 5, 3), laplace_draws(gradient, best, 5, 3)));
  EXPECT_FALSE(test::same_bits(laplace_draws(gradient, best, 5, 3), laplace_draws(gradient, best, 5, 4)));
}

TEST(Draws, OfAFitBracketTheTruth) {
  int inside = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random rng(seed);
    const Matrix x = 10 * Matrix::NullaryExpr(80, 1, [&](Index, Index) { return rng.uniform(); });
    const Process<Row> truth(parse<Row>("1 * se(lengthscale=1)"), zero_mean<Row>(), Noise::of(0.04));
    const Vector y = truth.sample(x, 1, rng.fork()).col(0) + 0.2 * rng.normal(80, 1).col(0);
    const Fitted<Row> fitted = fit<Row>({parse<Row>("1 * se()"), zero_mean<Row>()}, x, y, {.threads = 1});
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

TEST(Draws, KeepANoiseThatIsNotLearned) {
  const Matrix x = test::random_points(1, 20, 1);
  const Process<Row> p(parse<Row>("1 * se(lengthscale=1)"), zero_mean<Row>(), Noise::of(0));
  for (const Process<Row>& q : parameter_draws<Row>(p, x, x.col(0), 3, 1)) EXPECT_EQ(q.noise().variance, 0);
}

}  // namespace
}  // namespace covary
