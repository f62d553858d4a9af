#include "covary/inference/vecchia.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <numbers>

#include "conformance.h"
#include "covary/kernels/periodic.h"
#include "covary/kernels/sphere/sphere.h"
#include "covary/kernels/stationary.h"
#include "covary/kernels/strings/strings.h"
#include "covary/learn/fit.h"

namespace covary::test::vecchia_test {
namespace {

using conformance::InferenceCase;
using internal::PlacedPoints;

Vector two(double a, double b) { return (Vector(2) << a, b).finished(); }

/// log p of each observation given those of its set, one dense block after the other, about a known mean.
double by_conditionals(const Kernel<Row>& kernel, const PlacedPoints<Row>& placed, const Vector& y,
                       const Vector& noise) {
  const Matrix& x = *placed.x;
  const Index n = x.rows(), m = placed.neighbors.most;
  double sum = 0;
  for (Index i = 0; i < n; ++i) {
    std::vector<Index> set;
    for (Index q = 0; q < m; ++q)
      if (const Index j = placed.neighbors.sets[static_cast<size_t>(i * m + q)]; j >= 0) set.push_back(j);
    double mean = 0, variance = kernel.diag(x.row(i))[0] + noise[i];
    if (!set.empty()) {
      const Matrix some = pick(Rows(x), set);
      Matrix k = kernel.cross(some, some);
      for (size_t q = 0; q < set.size(); ++q) k(Index(q), Index(q)) += noise[set[q]];
      const Vector own = kernel.cross(some, x.row(i)), w = solved(k, own);
      mean = w.dot(y(set)), variance -= w.dot(own);
    }
    sum -= 0.5 * (std::log(2 * std::numbers::pi * variance) + (y[i] - mean) * (y[i] - mean) / variance);
  }
  return sum;
}

std::vector<Kernel<Row>> kernels() {
  std::vector<Kernel<Row>> all;
  for (const char* text :
       {"1.3 * se(lengthscale=[0.4, 0.7])", "1.3 * matern12(lengthscale=[0.4, 0.7])",
        "0.8 * matern32(lengthscale=0.5)", "1.3 * matern52(lengthscale=[0.4, 0.7])",
        "0.7 * rational_quadratic(lengthscale=0.5, alpha=0.8)",
        "rational_quadratic(lengthscale=[0.5, 1.5], alpha=0.8) + 0.4 * matern12(lengthscale=0.2)",
        "2 * (se(lengthscale=1.5) + 0.3 * matern12(lengthscale=[0.1, 0.4])) + 0.5",
        "1.7 * on(1, matern32(lengthscale=0.5)) * on(2, matern52(lengthscale=0.8))",
        "fixed(0.5 * se(lengthscale=0.3)) + 1.1 * matern32(lengthscale=0.9)",
        "1.2 * matern32(lengthscale=[fixed(0.6), 0.9])",
        // of other kinds: by whole blocks of covariances
        "0.9 * on(1, periodic(period=0.9, lengthscale=0.8)) + 0.6 * matern32(lengthscale=0.5)",
        "(1.2 + 0.4 * linear(lengthscale=1.5)) * se(lengthscale=0.6)", "1.5 * wendland(lengthscale=1.5)"})
    all.push_back(parse<Row>(text));
  return all;
}

TEST(Vecchia, IsTheProductOfItsConditionals) {
  const Matrix x = random_points(1, 120, 2);
  const Vector y = random_targets(2, x), noise = Random(3).normal(120, 1).cwiseAbs().array() + 0.05;
  for (const Kernel<Row>& k : kernels()) {
    const PlacedPoints<Row> placed(k, x, 7, 1);
    const Process<Row> prior(k, zero_mean<Row>(), Noise::rows(noise.cwiseSqrt()));
    const double value = condition(parse_inference<Row>("vecchia(7)"), prior, x, y).log_evidence();
    EXPECT_NEAR(value, by_conditionals(k, placed, y(placed.rows), noise(placed.rows)), 1e-9 * std::abs(value))
        << k.text();
  }
}

TEST(Vecchia, ItsSlopesAreThoseOfDifferencesForEveryKindOfKernelTrendAndNoise) {
  const Matrix x = with_repeats(random_points(1, 60, 2), 5);
  const Vector y = random_targets(2, x).array() + 1;
  const Vector sd = Random(3).normal(x.rows(), 1).cwiseAbs().array() + 0.2;
  const Inference<Row> inference = parse_inference<Row>("vecchia(9)");
  for (const Kernel<Row>& k : kernels())
    for (const Noise& noise : {Noise::learn(), Noise::rows(sd)})
      for (const Mean<Row>& mean : {zero_mean<Row>(), polynomial_mean(1), polynomial_mean(4)}) {
        SCOPED_TRACE(k.text() + ", " + mean.text + ", " + noise.text());
        expect_none(
            conformance::gradients(inference, InferenceCase<Row>{Process<Row>(k, mean, noise), x, y, x}));
      }
}

TEST(Vecchia, WithAllNeighborsItIsExactToRounding) {
  const Matrix x = with_repeats(random_points(1, 150, 2), 6), at = random_points(3, 12, 2);
  const Vector y = random_targets(2, x);
  for (const Kernel<Row>& k : kernels()) {
    const Process<Row> prior(k, polynomial_mean(1), Noise::of(0.03));
    const Process<Row> exact = prior.condition(x, y),
                       all = condition(parse_inference<Row>("vecchia(149)"), prior, x, y);
    SCOPED_TRACE(k.text());
    EXPECT_NEAR(all.log_evidence(), exact.log_evidence(), 1e-9 * std::abs(exact.log_evidence()));
    EXPECT_LT((all.mean(at) - exact.mean(at)).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((all.variance(at) - exact.variance(at)).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((all.joint(at).covariance() - exact.joint(at).covariance()).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((all.leave_one_out().mean - exact.leave_one_out().mean).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((all.leave_one_out().variance - exact.leave_one_out().variance).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_FALSE(all.report().approximate);
  }
}

TEST(Vecchia, IsNearExactWithThirtyNeighbors) {
  const Matrix x = random_points(1, 1500, 2), at = random_points(3, 200, 2);
  const Kernel<Row> k = 1.5 * matern32(two(0.3, 0.6));
  const Vector y = Process<Row>(k, {}, Noise::of(0.1)).sample(x, 1, 4, Of::y);
  const Process<Row> prior(k, constant_mean<Row>(), Noise::of(0.1)), exact = prior.condition(x, y);
  double worst = std::numeric_limits<double>::infinity();
  for (const char* m : {"vecchia(5)", "vecchia(15)", "vecchia(45)"}) {
    const Process<Row> near = condition(parse_inference<Row>(m), prior, x, y);
    EXPECT_TRUE(near.report().approximate);
    const double off = std::abs(near.log_evidence() - exact.log_evidence());
    EXPECT_LT(off, worst) << m;
    worst = off;
  }
  EXPECT_LT(worst, 1.5);  // nats of 1500 rows
  const Process<Row> near = condition(parse_inference<Row>("vecchia(30)"), prior, x, y);
  EXPECT_LT(
      (near.mean(at) - exact.mean(at)).cwiseQuotient(exact.variance(at).cwiseSqrt()).cwiseAbs().maxCoeff(),
      0.2);
  EXPECT_LT((near.variance(at).cwiseQuotient(exact.variance(at)).array() - 1).abs().maxCoeff(), 0.03);
  EXPECT_NEAR(near.leave_one_out().nlpd, exact.leave_one_out().nlpd, 0.003);
}

TEST(Vecchia, TheJointOfManyPointsIsNearThatOfTheExactProcess) {
  const Matrix x = random_points(1, 900, 2), at = random_points(3, 60, 2);
  const Process<Row> prior(1.5 * matern32(0.4), polynomial_mean(1), Noise::of(0.1));
  const Vector y = Process<Row>(prior.kernel(), {}, Noise::of(0.1)).sample(x, 1, 4, Of::y);
  const Matrix exact = prior.condition(x, y).joint(at).covariance();
  double worst = std::numeric_limits<double>::infinity();
  for (const char* m : {"vecchia(4)", "vecchia(12)", "vecchia(40)"}) {
    const Process<Row> near = condition(parse_inference<Row>(m), prior, x, y);
    const Matrix joint = near.joint(at).covariance();
    EXPECT_LT((joint.diagonal() - near.variance(at)).cwiseAbs().maxCoeff(), 1e-12) << m;
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(joint).eigenvalues()[0], 0) << m;
    const double off = (joint - exact).norm() / exact.norm();
    EXPECT_LT(off, worst) << m;
    worst = off;
  }
  EXPECT_LT(worst, 0.02);
}

/// What is left of draws at points whose nearest neighbors were drawn too is a difference of near equals: draws of a
/// smooth function are smooth.
TEST(Vecchia, ManyPointsAreDrawnOneAfterTheOther) {
  const Matrix x = random_points(1, 400, 2), at = random_points(3, 2500, 2), few = at.topRows(40);
  const Process<Row> prior(1.5 * matern32(0.4), polynomial_mean(1), Noise::of(0.1));
  const Process<Row> p = condition(parse_inference<Row>("vecchia(20)"), prior, x, random_targets(2, x));
  constexpr Index draws = 1500;
  const Matrix f = p.sample(at, draws, 5), noise = p.sample(at, 2, 5, Of::y) - p.sample(at, 2, 5);
  const Matrix off = (f.colwise() - p.mean(at)).topRows(40);
  const Matrix joint = p.joint(few).covariance();
  const Vector sd = joint.diagonal().cwiseSqrt();
  const Matrix error = sd.cwiseInverse().asDiagonal() * (off * off.transpose() / double(draws) - joint) *
                       sd.cwiseInverse().asDiagonal();
  EXPECT_LT(error.cwiseAbs().maxCoeff(), 5 / std::sqrt(double(draws)) + 0.03);  // of correlations
  EXPECT_LT((off.rowwise().mean().cwiseQuotient(sd)).cwiseAbs().maxCoeff(), 5 / std::sqrt(double(draws)));
  EXPECT_NEAR(noise.squaredNorm() / double(noise.size()), 0.1, 0.01);
  EXPECT_EQ(f, p.sample(at, draws, 5));
}

TEST(Vecchia, TakesPlacesOnTheSphereAcrossTheDateLine) {
  Matrix x = random_points(1, 200, 2);
  x.col(0) *= 20,
      x.col(1) = (x.col(1).array() * 10 + 180).unaryExpr([](double v) { return v > 180 ? v - 360 : v; });
  const Process<Row> prior(1.5 * sphere_matern32(900), constant_mean<Row>(), Noise::of(0.1));
  const Vector y = Process<Row>(prior.kernel(), {}, Noise::of(0.1)).sample(x, 1, 4, Of::y);
  const Process<Row> exact = prior.condition(x, y),
                     near = condition(parse_inference<Row>("vecchia(40)"), prior, x, y);
  const Matrix at = (Matrix(2, 2) << 1.0, 179.9, 1.0, -179.9).finished();
  EXPECT_LT((near.mean(at) - exact.mean(at)).cwiseAbs().maxCoeff(), 0.02);
  EXPECT_NEAR(near.log_evidence(), exact.log_evidence(), 2);
  EXPECT_THROW(near.mean(Matrix::Constant(1, 2, 95)), Error);  // no latitude
}

TEST(Vecchia, TakesTexts) {
  std::vector<std::string> x;
  Random rng(5);
  for (int i = 0; i < 60; ++i) {
    std::string s;
    for (int k = 0; k < 8; ++k) s += "ACGT"[rng.integer(4)];
    x.push_back(s);
  }
  const std::span<const std::string> at(x);
  const Vector y = Random(6).normal(60, 1);
  const Process<std::string> prior(parse<std::string>("1.3 * spectrum(k=2)"), constant_mean<std::string>(),
                                   Noise::of(0.3));
  const Process<std::string> exact = prior.condition(at, y);
  const Process<std::string> all = condition(parse_inference<std::string>("vecchia(60)"), prior, at, y);
  EXPECT_NEAR(all.log_evidence(), exact.log_evidence(), 1e-9 * std::abs(exact.log_evidence()));
  EXPECT_LT((all.mean(at) - exact.mean(at)).cwiseAbs().maxCoeff(), 1e-9);
  const std::vector<std::string> fresh{"ACGTACGT", "TTTTACGA", "GGGGCCCC", "TTTTACGT"};
  const std::span<const std::string> more(fresh);
  EXPECT_LT((all.joint(more).covariance() - exact.joint(more).covariance()).cwiseAbs().maxCoeff(), 1e-9);
  double worst = std::numeric_limits<double>::infinity();
  for (const char* m : {"vecchia(5)", "vecchia(20)", "vecchia(40)"}) {
    const Process<std::string> few = condition(parse_inference<std::string>(m), prior, at, y);
    const double off = (few.mean(at) - exact.mean(at)).norm();
    EXPECT_LT(off, worst) << m;
    worst = off;
  }
}

TEST(Vecchia, TakesOneTwoAndThreeRows) {
  const Matrix x = (Matrix(3, 1) << 0, 0.4, 1).finished(), at = Matrix::Constant(1, 1, 0.3);
  const Vector y = Vector::LinSpaced(3, 1, 2);
  const Process<Row> prior(2 * se(0.5), zero_mean<Row>(), Noise::of(0.1));
  for (Index n = 1; n <= 3; ++n) {
    const Process<Row> exact = prior.condition(x.topRows(n), y.head(n)),
                       p = condition(parse_inference<Row>("vecchia(30)"), prior, Rows(x.topRows(n)),
                                     Vector(y.head(n)));
    EXPECT_NEAR(p.log_evidence(), exact.log_evidence(), 1e-12);
    EXPECT_NEAR(p.mean(at)[0], exact.mean(at)[0], 1e-12);
    EXPECT_NEAR(p.variance(at)[0], exact.variance(at)[0], 1e-12);
  }
}

TEST(Vecchia, RowsThatAreAllAlikeAreOneInput) {
  const Matrix x = Matrix::Constant(5000, 2, 0.7);
  const Vector y = Random(1).normal(5000, 1);
  const Process<Row> prior(2 * se(0.5), zero_mean<Row>(), Noise::of(1));
  const Process<Row> p = condition(parse_inference<Row>("vecchia(30)"), prior, x, y),
                     exact = prior.condition(x, y);
  EXPECT_EQ(p.distinct(), 1);
  EXPECT_NEAR(p.log_evidence(), exact.log_evidence(), 1e-7);
  EXPECT_NEAR(p.variance(x.topRows(1))[0], exact.variance(x.topRows(1))[0], 1e-12);
}

TEST(Vecchia, AColumnThatIsConstantChangesNothing) {
  Matrix x(400, 2), with(400, 3);
  x = random_points(1, 400, 2);
  with << x, Matrix::Constant(400, 1, 3.5);
  const Vector y = random_targets(2, x);
  const auto evidence = [&](const Matrix& rows, const Kernel<Row>& k) {
    return condition(parse_inference<Row>("vecchia(10)"), Process<Row>(k, {}, Noise::of(0.1)), rows, y)
        .log_evidence();
  };
  EXPECT_NEAR(evidence(x, se(two(0.3, 0.5))), evidence(with, se((Vector(3) << 0.3, 0.5, 0.01).finished())),
              1e-9);
}

TEST(Vecchia, RowsWithoutNoiseThatNearlyCoincideGetJitterAndSaySo) {
  Matrix x = random_points(1, 50, 1);
  x.row(1).array() = x(0, 0) + 1e-9;
  const Process<Row> prior(se(1.0), zero_mean<Row>(), Noise::none());
  const Process<Row> p = condition(parse_inference<Row>("vecchia(10)"), prior, x, Vector(x.array().sin()));
  EXPECT_GT(p.conditioning().jitter, 0);
  EXPECT_NEAR(p.mean(Matrix::Constant(1, 1, 0.1))[0], std::sin(0.1), 1e-2);
}

/// The order is of the inputs and not of the rows: what changes is only what is drawn at random among equals.
TEST(Vecchia, PermutingTheRowsChangesLittle) {
  const Matrix x = random_points(1, 800, 2);
  const Kernel<Row> k = 1.5 * matern32(0.4);
  const Process<Row> prior(k, constant_mean<Row>(), Noise::of(0.1));
  const Vector y = Process<Row>(k, {}, Noise::of(0.1)).sample(x, 1, 4, Of::y);
  std::vector<Index> order = Random(8).subset(800, 800);
  std::reverse(order.begin(), order.begin() + 500);
  const Inference<Row> i = parse_inference<Row>("vecchia(20)");
  const Process<Row> a = condition(i, prior, x, y),
                     b = condition(i, prior, Matrix(x(order, Eigen::all)), Vector(y(order)));
  EXPECT_NEAR(a.log_evidence(), b.log_evidence(), 1);
  const Matrix at = random_points(3, 20, 2);
  EXPECT_LT((a.mean(at) - b.mean(at)).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(Vecchia, AFitFindsTheParametersOfItsProcess) {
  const Matrix x = random_points(1, 1500, 2);
  const Vector y = Process<Row>(2 * matern32(two(0.4, 1.0)), {}, Noise::of(0.1)).sample(x, 1, 4, Of::y);
  FitOptions options;
  options.inference = "vecchia(20)";
  const FitResult<Row> fitted = fit(Model<Row>{parse<Row>("matern32()")}, Rows(x), y, options);
  EXPECT_NEAR(fitted.summary.noise_variance, 0.1, 0.02);
  const Vector theta = fitted.process.kernel().theta();
  EXPECT_NEAR(theta[1], std::log(0.4), 0.4);
  EXPECT_NEAR(theta[2] - theta[1], std::log(2.5), 0.2);
  EXPECT_EQ(fitted.summary.inference, "vecchia(neighbors=20)");
}

TEST(Vecchia, RefusesWhatItCannotMaximize) {
  const Matrix x = random_points(1, 20, 1);
  const Process<Row> prior(se(1.0), zero_mean<Row>(), Noise::learn());
  EXPECT_THROW(
      parse_inference<Row>("vecchia").objective(prior, x, Vector(x.col(0)), ObjectiveKind::leave_one_out),
      Error);
  EXPECT_THROW(parse_inference<Row>("vecchia(0)"), Error);
  EXPECT_THROW(parse_inference<Row>("vecchia(1001)"), Error);
}

}  // namespace
}  // namespace covary::test::vecchia_test
