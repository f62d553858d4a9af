// Weights under the widest and the narrowest priors, and with one wild observation: what 50 digits say of
// them (oracles/make_linear_oracles.py), and what n fits say.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "covary/linear/linear_regression.h"
#include "covary/linear/weight_space.h"
#include "support.h"

namespace covary::prior_width_test {
namespace {

using Json = nlohmann::json;
using test::near;
using test::random_points;

const Json& oracle() {
  static const Json all = Json::parse(std::ifstream(COVARY_TEST_DATA "/oracles/linear.json"));
  return all;
}

Vector vector_of(const Json& j) {
  const auto values = j.get<std::vector<double>>();
  return Eigen::Map<const Vector>(values.data(), std::ssize(values));
}

Matrix inputs() {
  Matrix x(10, 2);
  x << vector_of(oracle()["a"]), vector_of(oracle()["b"]);
  return x;
}

LinearModel bayes(double prior_sd, Side side = Side::automatic) {
  LinearModel m{.method = Method::bayes, .features = parse_features("a, b", {"a", "b"})};
  m.standardize = false, m.prior_sd = prior_sd, m.side = side;
  return m;
}

/// |a - b| as a share of b.
double off(double a, double b) { return std::abs(a - b) / std::abs(b); }

// The noise, from a prior of sd 1e-8 to one of 1e10, on both sides.
TEST(PriorWidth, NoiseAgreesWithFiftyDigits) {
  const Vector y = vector_of(oracle()["y"]);
  for (const Json& one : oracle()["priors"])
    for (const Side side : {Side::weights, Side::functions}) {
      const double sd = one["prior_sd"];
      const FitResult<Row> f = fit(bayes(sd, side), inputs(), y);
      const Weights& w = internal::regression_of(f.process)->weights();
      SCOPED_TRACE(testing::Message() << "prior sd " << sd << ", side " << int(side));
      EXPECT_LT(off(w.noise_variance(), one["noise"]), 1e-6);
      EXPECT_NEAR(f.summary.log_marginal_likelihood, one["log_evidence"].get<double>(), 1e-9);
      const Vector mean = vector_of(one["mean"]), error = vector_of(one["sd"]);
      for (Index j = 0; j < 3; ++j) {
        EXPECT_NEAR(w.mean()[j], mean[j], 1e-6 * (error[j] + std::abs(mean[j]))) << "weight " << j;
        EXPECT_LT(off(w.sd()[j], error[j]), 1e-6) << "weight " << j;
      }
    }
}

// Without an intercept a prior without end is least squares, its residual variance too.
TEST(PriorWidth, WithoutEndItIsLeastSquares) {
  for (const Index n : {8, 60}) {
    const Matrix x = random_points(3, n, 2);
    const Vector y = x.col(0) - 2 * x.col(1) + 0.7 * random_points(4, n, 1);
    const Weights line = least_squares(x, y);
    for (const double sd : {1e4, 1e6, 1e8, 1e10, 1e12})
      for (const Side side : {Side::weights, Side::functions}) {
        LinearModel m = bayes(sd, side);
        m.intercept = false;
        const FitResult<Row> f = fit(m, x, y);
        SCOPED_TRACE(testing::Message() << n << " rows, prior sd " << sd << ", side " << int(side));
        EXPECT_LT(off(internal::regression_of(f.process)->weights().noise_variance(), line.noise_variance()),
                  1e-6);
        EXPECT_TRUE(near(internal::regression_of(f.process)->weights().mean(), line.mean(), 1e-6));
        EXPECT_TRUE(near(internal::regression_of(f.process)->weights().sd(), line.sd(), 1e-6));
      }
  }
}

// A prior of no width leaves the noise all there is.
TEST(PriorWidth, NoWidthLeavesTheNoise) {
  const Matrix x = random_points(5, 30, 2);
  const Vector y = x.col(0) + random_points(6, 30, 1);
  for (const double sd : {1e-6, 1e-9, 1e-12, 1e-100}) {
    LinearModel m = bayes(sd);
    m.intercept = false;
    const FitResult<Row> f = fit(m, x, y);
    EXPECT_LT(off(internal::regression_of(f.process)->weights().noise_variance(), y.squaredNorm() / 30), 1e-6)
        << sd;
    EXPECT_LT(internal::regression_of(f.process)->weights().mean().norm(), 1e3 * sd * sd) << sd;
  }
}

// The noise known, the prior by evidence: no other prior has more.
TEST(PriorWidth, PriorByEvidenceForAnyKnownNoise) {
  const Matrix x = random_points(7, 40, 2);
  const Vector y = x.col(0) - 0.5 * x.col(1) + 0.3 * random_points(8, 40, 1);
  for (const double noise : {1e-6, 1e-2, 0.09, 1.0}) {
    LinearModel m = bayes(1);
    m.prior_sd = {}, m.noise = noise;
    const FitResult<Row> best = fit(m, x, y);
    for (const double factor : {0.9, 1.1}) {
      LinearModel other = bayes(factor * best.summary.parameters[1].value);
      other.noise = noise;
      EXPECT_LT(fit(other, x, y).summary.log_marginal_likelihood, best.summary.log_marginal_likelihood)
          << noise;
    }
  }
}

TEST(PriorWidth, BeyondTheArithmeticIsRefused) {
  const Matrix x = random_points(9, 10, 2);
  const Vector y = random_points(10, 10, 1);
  for (const double sd : {1e-200, 1e200})
    EXPECT_NE(test::error_of([&] { fit(bayes(sd), x, y); }, Problem::usage).find("prior"), std::string::npos)
        << sd;
}

// Each row from the others, one of them wild.
TEST(WildObservation, LeaveOneOutAgreesWithFiftyDigits) {
  const Matrix x = inputs();
  Matrix phi(10, 3);
  phi << Vector::Ones(10), x;
  const double infinity = std::numeric_limits<double>::infinity();
  const Vector proper = (Vector(3) << infinity, 4, 4).finished();
  for (const Json& one : oracle()["wild"]) {
    Vector y = vector_of(oracle()["y"]);
    y[one["row"].get<Index>()] = one["y"];
    const auto check = [&](const Weights& prior, const char* kind, Side side) {
      const LeaveOneOut l =
          prior.condition(phi, y, {.side = side}).leave_one_out(internal::row_blocks(phi), y);
      const Vector mean = vector_of(one[kind]["mean"]), variance = vector_of(one[kind]["variance"]);
      for (Index i = 0; i < 10; ++i) {
        SCOPED_TRACE(testing::Message()
                     << kind << ", y = " << one["y"] << ", row " << i << ", side " << int(side));
        EXPECT_LT(off(l.variance[i], variance[i]), 1e-8);
        EXPECT_NEAR(l.mean[i], mean[i], 1e-8 * (std::abs(mean[i]) + std::sqrt(variance[i])));
      }
      EXPECT_TRUE(std::isfinite(l.nlpd) && std::isfinite(l.rmse)) << kind << one["y"];
    };
    check(Weights(WeightPrior::flat(3)), "flat", Side::weights);
    for (const Side side : {Side::weights, Side::functions}) {
      check(Weights(WeightPrior::each(proper)), "unit", side);
      check(Weights(WeightPrior::each(proper), NoisePrior::known(0.25)), "known", side);
    }
  }
}

// The same of whole models, against n fits, whichever row is wild.
TEST(WildObservation, LeaveOneOutIsNFits) {
  const Matrix x = random_points(11, 20, 2);
  for (const Index wild : {0, 7, 19})
    for (const double value : {-1e6, 1e9, 1e13}) {
      Vector y = x.col(0) + 0.5 * random_points(12, 20, 1);
      y[wild] = value;
      const Weights w = least_squares(x, y);
      const LeaveOneOut l = w.leave_one_out(internal::row_blocks(x), y);
      for (Index i = 0; i < 20; ++i) {
        std::vector<Index> rows;
        for (Index r = 0; r < 20; ++r)
          if (r != i) rows.push_back(r);
        const Marginals m = least_squares(x(rows, Eigen::all), y(rows)).predict(x.row(i), Of::y);
        EXPECT_LT(off(l.variance[i], m.variance[0]), 1e-8) << wild << " " << value << " row " << i;
        EXPECT_NEAR(l.mean[i], m.mean[0], 1e-8 * (std::abs(m.mean[0]) + m.sd()[0]))
            << wild << " " << value << " row " << i;
      }
    }
}

}  // namespace
}  // namespace covary::prior_width_test
