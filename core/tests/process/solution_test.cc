// Leave-one-out in closed form against n refits, and the evidence as a sum of one-step-ahead predictions.
#include "covary/process/solution.h"

#include <gtest/gtest.h>

#include <cmath>

#include "covary/inference/evidence.h"
#include "covary/kernels/stationary.h"
#include "covary/predictive/score.h"
#include "covary/predictive/student_t.h"
#include "support.h"

namespace covary::test::solution_test {
namespace {

std::vector<Index> all_but(Index n, Index out) {
  std::vector<Index> rows;
  for (Index i = 0; i < n; ++i)
    if (i != out) rows.push_back(i);
  return rows;
}

struct Setting {
  std::string name, trend;
  Index repeats;
  bool per_row;
};
void PrintTo(const Setting& s, std::ostream* out) { *out << s.name; }

class LeaveOneOutIn : public ::testing::TestWithParam<Setting> {
 protected:
  Matrix x = with_repeats(random_points(71, 24, 2), GetParam().repeats);
  Vector y = random_targets(72, x).array() + 3;
  Kernel<Row> kernel = parse<Row>("1.2 * matern32([0.9, 1.4])");
  Mean<Row> mean = parse_mean(GetParam().trend);
  Vector variances = per_row();
  Process<Row> prior{kernel, mean, noise_of(variances)};

  Vector per_row() const {
    Vector v = Vector::Constant(x.rows(), 0.08);
    Random rng(73);
    if (GetParam().per_row)
      for (double& each : v) each = 0.02 + 0.3 * rng.uniform();
    return v;
  }
  static Noise noise_of(const Vector& v) {
    return GetParam().per_row ? Noise::rows(v.cwiseSqrt()) : Noise::of(v[0]);
  }
};

TEST_P(LeaveOneOutIn, ClosedFormIsRefits) {
  const LeaveOneOut loo = prior.condition(x, y).leave_one_out();
  double nlpd = 0, squares = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    const std::vector<Index> rest = all_but(x.rows(), i);
    const Marginals m =
        prior.condition(x(rest, Eigen::all), y(rest), noise_of(variances(rest))).predict(x.row(i));
    const double v = m.variance[0] + variances[i];
    EXPECT_NEAR(loo.mean[i], m.mean[0], 1e-10) << "row " << i;
    EXPECT_NEAR(loo.variance[i], v, 1e-10 * v) << "row " << i;
    nlpd -= log_density(y[i], m.mean[0], v) / double(x.rows());
    squares += (y[i] - m.mean[0]) * (y[i] - m.mean[0]);
  }
  EXPECT_NEAR(loo.nlpd, nlpd, 1e-10);
  EXPECT_NEAR(loo.rmse, std::sqrt(squares / double(x.rows())), 1e-10);
}

TEST_P(LeaveOneOutIn, TheObjectiveIsItsLogDensity) {
  const LeaveOneOut loo = prior.condition(x, y).leave_one_out();
  Evidence<Row> e(kernel, mean, noise_of(variances), x, y, ObjectiveKind::leave_one_out);
  EXPECT_NEAR(e.at(kernel.theta()).value, -loo.nlpd * double(x.rows()), 1e-9);
}
INSTANTIATE_TEST_SUITE_P(
    Settings, LeaveOneOutIn,
    ::testing::Values(Setting{"zero", "zero", 0, false}, Setting{"constant", "constant", 0, false},
                      Setting{"linear", "linear", 0, false}, Setting{"rows", "constant", 0, true},
                      Setting{"repeats", "zero", 9, false}, Setting{"trend_repeats", "linear", 9, false},
                      Setting{"repeats_rows", "constant", 9, true},
                      Setting{"known", "constant(2.5)", 5, false}),
    [](const auto& tested) { return tested.param.name; });

/// An exact observation and a noisy one at one point are left out together; each keeps its own noise.
TEST(Solution, LeaveOneOutOfAnExactAndANoisyRepeat) {
  const Matrix x = random_points(77, 6, 2);
  const Vector y = random_targets(78, x);
  const Process<Row> prior(se(0.8), {}, Noise::of(0));
  const LeaveOneOut loo =
      prior.condition(x, y).condition(x.topRows(1), y.head(1), Noise::of(0.25)).leave_one_out();
  const Marginals f = prior.condition(x.bottomRows(5), y.tail(5)).predict(x.topRows(1));
  ASSERT_EQ(loo.mean.size(), 7);
  for (const Index i : {0, 6}) {
    EXPECT_NEAR(loo.mean[i], f.mean[0], 1e-10);
    EXPECT_NEAR(loo.variance[i], f.variance[0] + (i == 0 ? 0 : 0.25), 1e-10);
  }
}

/// log p(y) = sum_i log p(y_i | y_1, ..., y_i-1), for refits and for updates.
TEST(Solution, EvidenceIsTheSumOfOneStepAheadDensities) {
  const Matrix x = with_repeats(random_points(74, 30, 2), 4);
  const Vector y = random_targets(75, x);
  for (const char* trend : {"zero", "constant(0.7)", "linear(1, 0.3, -0.2)"}) {
    const Process<Row> prior(parse<Row>("1.2 * se([0.9, 1.4]) + 0.3 * matern12(1)"), parse_mean(trend),
                             Noise::of(0.1));
    double refits = 0, updates = 0;
    Process<Row> updated = prior;
    for (Index i = 0; i < x.rows(); ++i) {
      const Matrix at = x.row(i);
      const Marginals u = updated.predict(at, Of::y);
      updates += log_density(y[i], u.mean[0], u.variance[0]);
      const Marginals r = i ? prior.condition(x.topRows(i), y.head(i)).predict(at, Of::y) : u;
      refits += log_density(y[i], r.mean[0], r.variance[0]);
      updated = updated.condition(at, y.segment(i, 1));
    }
    const double whole = prior.condition(x, y).log_evidence();
    EXPECT_NEAR(refits, whole, 1e-10 * std::abs(whole)) << trend;
    EXPECT_NEAR(updates, whole, 1e-10 * std::abs(whole)) << trend;
    EXPECT_NEAR(updated.log_evidence(), whole, 1e-10 * std::abs(whole)) << trend;
  }
}

TEST(Solution, IndependentColumns) {
  Matrix f = random_points(76, 10, 5);
  f.col(2) = 2 * f.col(0) - f.col(1);
  f.col(4).setZero();
  EXPECT_EQ(internal::independent_columns(f), (std::vector<Index>{0, 1, 3}));
  EXPECT_EQ(internal::independent_columns(Matrix::Ones(1, 3)), (std::vector<Index>{0}));
  EXPECT_TRUE(internal::independent_columns(Matrix(4, 0)).empty());
  EXPECT_EQ(internal::independent_columns(1e-100 * f), (std::vector<Index>{0, 1, 3}))
      << "small is not dependent";
}

TEST(Solution, Scored) {
  const LeaveOneOut s =
      internal::scored(Eigen::Vector2d(1, 2), Eigen::Vector2d(0.5, 2), Eigen::Vector2d(1.5, 0));
  EXPECT_NEAR(s.rmse, std::sqrt((0.25 + 4) / 2), 1e-15);
  EXPECT_NEAR(s.nlpd, -(log_density(1.5, 1, 0.5) + log_density(0, 2, 2)) / 2, 1e-15);
  EXPECT_TRUE(std::isinf(s.freedom));
}

TEST(Solution, ScoredByAT) {
  const Eigen::Vector2d mean(1, 2), variance(0.5, 2), y(1.5, 0);
  const LeaveOneOut s = internal::scored(mean, variance, y, 3);
  EXPECT_NEAR(s.nlpd, score(StudentT{mean, variance.cwiseSqrt(), 3}, y).nlpd, 1e-15);
  EXPECT_EQ(s.freedom, 3);
}

}  // namespace
}  // namespace covary::test::solution_test
