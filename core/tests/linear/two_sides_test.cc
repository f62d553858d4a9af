// One object seen from two sides: a process with the linear kernel is Bayesian linear regression.
#include <cmath>

#include "covary/basis/basis_kernel.h"
#include "covary/kernels/linear.h"
#include "covary/linear/weights.h"
#include "support.h"

namespace covary::two_sides_test {
namespace {

using test::near;
using test::random_points;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Case {
  Index n, columns;
  double offset;
  bool level;  // an unknown one beside the weights
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Index n : {5, 12, 40})  // more weights than points, as many, fewer
    for (const double offset : {0.0, 1e6})
      for (const bool level : {false, true}) all.push_back({n, 12, offset, level});
  return all;
}

/// The same question to both: weights of variance 1/lengthscale^2, noise 0.3.
struct Sides {
  Matrix x, phi, at, phi_at;
  Vector y;
  Process<Row> process;
  Weights weights;
};
Sides sides(std::uint64_t seed, const Case& c) {
  const Matrix x = random_points(seed, c.n, c.columns).array() + c.offset,
               at = random_points(seed + 1, 6, c.columns).array() + c.offset;
  const Vector lengthscale = random_points(seed + 2, c.columns, 1).array().exp();
  const Vector w = random_points(seed + 3, c.columns, 1).cwiseQuotient(lengthscale);
  const Vector y = (x.array() - c.offset).matrix() * w + 0.5 * random_points(seed + 4, c.n, 1) +
                   Vector::Constant(c.n, c.offset * w.sum());
  const auto with_level = [&](const Matrix& m) {
    Matrix phi(m.rows(), c.columns + (c.level ? 1 : 0));
    if (c.level)
      phi << Vector::Ones(m.rows()), m;
    else
      phi = m;
    return phi;
  };
  Vector variances(c.columns + (c.level ? 1 : 0));
  variances.tail(c.columns) = lengthscale.array().square().inverse();
  if (c.level) variances[0] = infinity;
  const Process<Row> prior(linear(lengthscale), c.level ? constant_mean<Row>() : zero_mean<Row>(),
                           Noise::of(0.3));
  return {x,
          with_level(x),
          at,
          with_level(at),
          y,
          prior.condition(x, y),
          Weights(WeightPrior::each(variances), NoisePrior::known(0.3)).condition(with_level(x), y)};
}

TEST(TwoSides, ALinearKernelIsBayesianLinearRegression) {
  std::uint64_t seed = 1;
  for (const Case& c : cases())
    for (int repeat = 0; repeat < 5; ++repeat) {
      const Sides s = sides(seed += 10, c);
      SCOPED_TRACE(testing::Message() << "n " << c.n << ", offset " << c.offset << ", level " << c.level);
      EXPECT_TRUE(near(s.process.mean(s.at), s.weights.predict(s.phi_at).mean, 1e-9));
      EXPECT_TRUE(near(s.process.joint(s.at).covariance(), s.weights.joint(s.phi_at).covariance(), 1e-9));
      const double evidence = s.weights.log_evidence();
      EXPECT_NEAR(s.process.log_evidence(), evidence, 1e-9 * std::abs(evidence));
    }
}

// Draws of both have the mean and the covariance that both say.
TEST(TwoSides, SamplesHaveOneDistribution) {
  const Index draws = 20000;
  for (const Case& c : {Case{12, 4, 0, true}, Case{5, 8, 1e6, false}}) {
    const Sides s = sides(500, c);
    const Gaussian joint = s.weights.joint(s.phi_at);
    const Matrix a = s.process.sample(s.at, draws, 1), b = s.weights.sample(s.phi_at, draws, 2, Of::f);
    for (const Matrix& m : {a, b}) {
      const Vector mean = m.rowwise().mean();
      EXPECT_LT(((mean - joint.mean()).cwiseQuotient(joint.sd())).cwiseAbs().maxCoeff(),
                5 / std::sqrt(double(draws)));
      const Matrix off = m.colwise() - mean;
      EXPECT_TRUE(near(off * off.transpose() / double(draws), joint.covariance(), 0.05));
    }
  }
}

// Every feature map yields its kernel, so that both sides can be taken.
TEST(TwoSides, AKernelOfFeaturesIsRegressionOnThem) {
  const Matrix x = random_points(600, 20, 2), at = random_points(601, 5, 2);
  const Vector y = random_points(602, 20, 1);
  for (const std::string text :
       {"polynomial(degree=3)", "interactions(degree=2)", "splines(a, knots=5), b",
        "bumps([a, b], centers=6)", "fourier(features=30, seed=4)", "a*b, exp(a), 1"}) {
    const Features f = parse_features(text, {"a", "b"}).placed(x);
    const Vector variances = random_points(603, f.size(), 1).array().exp();
    const Process<Row> process =
        Process<Row>(internal::kernel_of(f, variances), zero_mean<Row>(), Noise::of(0.2)).condition(x, y);
    const Weights weights = Weights(WeightPrior::each(variances), NoisePrior::known(0.2)).condition(f(x), y);
    EXPECT_TRUE(near(process.mean(at), weights.predict(f(at)).mean, 1e-9)) << text;
    EXPECT_TRUE(near(process.joint(at).covariance(), weights.joint(f(at)).covariance(), 1e-9)) << text;
    EXPECT_NEAR(process.log_evidence(), weights.log_evidence(), 1e-9 * std::abs(weights.log_evidence()))
        << text;
  }
}

}  // namespace
}  // namespace covary::two_sides_test
