// Inducing points that move: slopes in their coordinates, fits that optimize them, inferences that hold them.
#include "covary/inference/inducing.h"

#include <gtest/gtest.h>

#include "covary/kernels/expression.h"
#include "covary/kernels/stationary.h"
#include "covary/learn/fit.h"
#include "support.h"

namespace covary::test::inducing_test {
namespace {

const Inference<Row> ten = parse_inference<Row>("inducing(10)");

/// 120 rows of two columns, seven of them twice.
struct Rows120 {
  Matrix x = with_repeats(random_points(1, 120, 2), 7);
  Vector y = random_targets(2, x);
};

TEST(InducingPoints, SlopesInTheirCoordinatesAreThoseOfDifferences) {
  const Rows120 data;
  for (const char* text : {"1.7 * matern52([0.9, 1.4])", "0.8 * se(0.7) + 0.2 * linear(2)",
                           "1.2 * matern32(1) * rational_quadratic(2, alpha=1.5)", "polynomial(2, offset=1)"})
    for (const Noise& noise : {Noise::learn(), Noise::of(0.2)}) {
      const Process<Row> prior(parse<Row>(text), constant_mean<Row>(), noise);
      const auto objective = ten.objective(prior, data.x, data.y, ObjectiveKind::evidence)();
      Vector theta = prior.kernel().theta();
      if (noise.is_learned()) theta = internal::concat(theta, Vector::Constant(1, std::log(0.07)));
      const Vector z = random_points(5, 20, 1).col(0);  // 10 points of two columns
      const Evaluation e = objective->joint(theta, z, true, 1);
      ASSERT_EQ(e.gradient.size(), theta.size() + z.size()) << text;
      const auto value = [&](const Vector& both) {
        return objective->joint(both.head(theta.size()), both.tail(z.size()), false, 1).value;
      };
      const Vector d = differences(value, internal::concat(theta, z), 1e-3);
      for (Index i = 0; i < d.size(); ++i)
        EXPECT_NEAR(e.gradient[i], d[i], 1e-5 * std::max(1.0, d.cwiseAbs().maxCoeff())) << text << ": " << i;
    }
}

TEST(InducingPoints, ThreadsDoNotChangeABit) {
  const Matrix x = random_points(3, 6000, 3);
  const Vector y = random_targets(4, x);
  const Process<Row> prior(1.7 * matern52(0.9), constant_mean<Row>(), Noise::of(0.1));
  const auto objective =
      parse_inference<Row>("inducing(64)").objective(prior, x, y, ObjectiveKind::evidence)();
  const Vector theta = prior.kernel().theta();
  const internal::Variables one = objective->variables(theta, 1), two = objective->variables(theta, 2);
  EXPECT_TRUE(same_bits(one.values, two.values));
  EXPECT_TRUE(same_bits(objective->joint(theta, one.values, true, 1).gradient,
                        objective->joint(theta, one.values, true, 2).gradient));
}

TEST(InducingPoints, AnInferenceHoldsThem) {
  const Rows120 data;
  const Process<Row> prior(1.7 * matern52(0.9), constant_mean<Row>(), Noise::of(0.1));
  const Vector z = random_points(5, 20, 1).col(0);
  const Inference<Row> held = ten.with_variables(z);
  EXPECT_EQ(held.text(), ten.text());
  const Process<Row> all = condition(held, prior, data.x, data.y);
  const auto objective = ten.objective(prior, data.x, data.y, ObjectiveKind::evidence)();
  EXPECT_NEAR(all.log_evidence(), objective->joint(prior.kernel().theta(), z, false, 1).value, 1e-8);
  EXPECT_TRUE(same_bits(all.posterior()->variables(), z));
  EXPECT_NE(all.notes().back().find("10 inducing points, optimized"), std::string::npos);

  const Process<Row> later = condition(held, prior, Rows(data.x.topRows(80)), Vector(data.y.head(80)))
                                 .condition(data.x.bottomRows(47), data.y.tail(47));
  EXPECT_TRUE(same_bits(later.posterior()->variables(), z));
  EXPECT_NEAR(later.log_evidence(), all.log_evidence(), 1e-8);
  EXPECT_THROW(condition(ten.with_variables(z.head(19)), prior, data.x, data.y), Error);
}

FitResult<Row> fitted(const Matrix& x, const Vector& y, const std::string& inference, int threads = 1) {
  FitOptions options;
  options.inference = inference;
  options.threads = threads;
  return fit<Row>(Model<Row>{matern52()}, x, y, options);
}

/// A rough function of one column: ten points cannot stand for it wherever they are, and best places help.
struct Rough {
  Matrix x = Matrix(400, 1);
  Vector y = Vector(400);
  Rough() {
    Random rng(8);
    for (Index i = 0; i < 400; ++i) {
      x(i, 0) = 10 * std::pow(rng.uniform(), 3);
      y[i] = std::sin(2 * x(i, 0)) + 0.1 * rng.normal();
    }
  }
};

TEST(InducingPoints, AFitMovesThemToWhereTheBoundIsGreater) {
  const auto [x, y] = Rough();
  const FitResult<Row> moved = fitted(x, y, "inducing(10)"), rows = fitted(x, y, "inducing(10, fixed=1)");
  EXPECT_GT(moved.summary.log_marginal_likelihood, rows.summary.log_marginal_likelihood + 5);
  EXPECT_EQ(moved.process.posterior()->variables().size(), 10);
  EXPECT_EQ(rows.process.posterior()->variables().size(), 0);
  EXPECT_EQ(rows.summary.inference, "inducing(points=10, fixed=1)");
  EXPECT_NEAR(moved.summary.basins[0].objective,
              moved.summary.log_marginal_likelihood + moved.summary.log_prior, 1e-6);

  const FitResult<Row> again = fitted(x, y, "inducing(10)", 2);
  EXPECT_TRUE(same_bits(again.process.posterior()->variables(), moved.process.posterior()->variables()));
  EXPECT_EQ(again.summary.kernel, moved.summary.kernel);
}

TEST(InducingPoints, MoveWhereNoParameterIsToBeLearned) {
  const auto [x, y] = Rough();
  const Model<Row> known{fixed(matern52(0.7)), {}, Noise::of(0.01)};
  FitOptions options;
  options.inference = "inducing(10)";
  const FitResult<Row> moved = fit<Row>(known, x, y, options);
  options.inference = "inducing(10, fixed=1)";
  const FitResult<Row> rows = fit<Row>(known, x, y, options);
  EXPECT_EQ(moved.process.posterior()->variables().size(), 10);
  EXPECT_GT(moved.summary.log_marginal_likelihood, rows.summary.log_marginal_likelihood + 5);
  EXPECT_GT(moved.summary.evaluations, 1);
  EXPECT_EQ(rows.summary.stopped, "nothing to learn");
}

TEST(InducingPoints, TheShareOfProgressNeverFalls) {
  const auto [x, y] = Rough();
  FitOptions options;
  options.inference = "inducing(10)";
  std::vector<double> shares;
  options.progress = [&](const Progress& p) { return shares.push_back(p.share), true; };
  fit<Row>(Model<Row>{matern52()}, x, y, options);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_GT(std::count_if(shares.begin(), shares.end(), [](double s) { return s > 0.75 && s < 1; }), 10);
}

TEST(InducingPoints, AsManyAsThereAreRowsStayAndAreExact) {
  const Matrix x = random_points(11, 40, 2);
  const Vector y = random_targets(12, x);
  const FitResult<Row> all = fitted(x, y, "inducing(40)"), exact = fitted(x, y, "exact()");
  EXPECT_EQ(all.process.posterior()->variables().size(), 0);
  EXPECT_NEAR(all.summary.log_marginal_likelihood, exact.summary.log_marginal_likelihood, 1e-5);
}

TEST(InducingPoints, CostCountsThePivotedColumns) {
  const Inducing how{100};
  EXPECT_GE(how.cost(50000, 3).bytes, 8.0 * 4000 * 100);
  EXPECT_TRUE(how.cost(50000, 3).variables);
  EXPECT_FALSE(how.cost(100, 3).variables);
  EXPECT_FALSE((Inducing{100, true}.cost(50000, 3).variables));
}

TEST(InducingPoints, TextIsReadBack) {
  for (const char* text : {"inducing(points=64)", "inducing(points=64, fixed=1)"})
    EXPECT_EQ(parse_inference<Row>(text).text(), text);
  EXPECT_EQ(parse_inference<Row>("inducing(64, 1)").text(), "inducing(points=64, fixed=1)");
  EXPECT_THROW(parse_inference<Row>("inducing(64, fixed=2)"), Error);
}

}  // namespace
}  // namespace covary::test::inducing_test
