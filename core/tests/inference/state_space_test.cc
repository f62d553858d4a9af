#include "covary/inference/state_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "conformance.h"
#include "covary/kernels/stationary.h"
#include "covary/learn/fit.h"
#include "inference/state_space/state_decay.h"

namespace covary::test::state_space_test {
namespace {

using conformance::InferenceCase;

Inference<Row> state_space(const std::string& text = "state_space()") { return parse_inference<Row>(text); }

/// Irregular times, the last ones far away.
Matrix times(Index n, double far = 40) {
  Matrix t = 3 * random_points(1, n, 1);
  t(n - 1, 0) = far, t(n - 2, 0) = far - 0.1;
  return t;
}

/// Every kind of kernel that it takes exactly.
std::vector<std::string> exact_kernels() {
  return {"1.3 * matern12(lengthscale=0.7)",
          "0.8 * matern32(lengthscale=0.5)",
          "1.7 * matern52(lengthscale=0.9)",
          "2.5 + 0.4 * matern32(lengthscale=0.3)",
          "linear(lengthscale=1.5) + matern12(lengthscale=2)",
          "1.2 * cosine(period=1.7) + 0.3 * matern32(lengthscale=0.4)",
          "1.1 * cosine(period=0.8) * matern12(lengthscale=2.5)",
          "0.9 * matern32(lengthscale=1.5) * cosine(period=1.1)",
          "matern52(lengthscale=1.2) * matern12(lengthscale=3)",
          "linear(lengthscale=2) * matern52(lengthscale=0.8)",
          "(1.5 + linear(lengthscale=2)) * (matern32(lengthscale=0.5) + 0.2 * cosine(period=3))",
          "0.7 * linear(lengthscale=3) * linear(lengthscale=2.5) + 1.4",
          "fixed(0.5 * matern32(lengthscale=0.3)) + 1.1 * matern52(lengthscale=0.9)",
          "1.2 * matern32(lengthscale=fixed(0.6)) + 0.1 * matern12(lengthscale=0.05)"};
}

/// The same with those that are approximations, of an order that leaves rounding.
std::vector<std::string> kernels() {
  std::vector<std::string> all = exact_kernels();
  all.push_back("1.2 * periodic(period=1.4, lengthscale=1.1)");
  all.push_back("1.2 * periodic(period=1.4, lengthscale=0.9) * matern32(lengthscale=2)");
  return all;
}

TEST(StateSpace, IsExactForEveryKernelThatItTakes) {
  const Matrix x = with_repeats(times(300, 12), 6), at = 4 * random_points(3, 25, 1);
  const Vector y = random_targets(2, x);
  for (const std::string& text : kernels())
    for (const Mean<Row>& mean : {zero_mean<Row>(), polynomial_mean(1)}) {
      SCOPED_TRACE(text + ", " + mean.text);
      const Process<Row> prior(parse<Row>(text), mean, Noise::of(0.03));
      const Process<Row> exact = prior.condition(x, y),
                         p = condition(state_space("state_space(order=20)"), prior, x, y);
      EXPECT_NEAR(p.log_evidence(), exact.log_evidence(), 1e-9 * std::abs(exact.log_evidence()));
      const double size = std::max(1.0, exact.mean(at).cwiseAbs().maxCoeff());
      EXPECT_LT((p.mean(at) - exact.mean(at)).cwiseAbs().maxCoeff(), 1e-9 * size);
      EXPECT_LT((p.variance(at) - exact.variance(at)).cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_LT((p.joint(at).covariance() - exact.joint(at).covariance()).cwiseAbs().maxCoeff(), 1e-9);
      const LeaveOneOut a = p.leave_one_out(), b = exact.leave_one_out();
      EXPECT_LT((a.mean - b.mean).cwiseAbs().maxCoeff(), 1e-9 * std::max(1.0, b.mean.cwiseAbs().maxCoeff()));
      EXPECT_LT((a.variance - b.variance).cwiseAbs().maxCoeff(), 1e-9 * std::max(1.0, b.variance.maxCoeff()));
      EXPECT_LE((p.coefficients() - exact.coefficients()).cwiseAbs().sum(), 1e-8);
      EXPECT_FALSE(p.report().approximate);
    }
}

TEST(StateSpace, ItsGradientIsThatOfDifferencesForEveryKindOfKernelTrendAndNoise) {
  const Matrix x = with_repeats(times(60, 6), 5);  // so far that a hundredth of a period is a small angle
  const Vector y = random_targets(2, x).array() + 1;
  const Vector sd = Random(3).normal(x.rows(), 1).cwiseAbs().array() + 0.2;
  std::vector<std::string> all = kernels();
  for (const char* more :
       {"1.2 * se(lengthscale=0.8)", "periodic(period=7, lengthscale=0.3) + se(lengthscale=2)"})
    all.push_back(more);
  for (const std::string& text : all)
    for (const Noise& noise : {Noise::learn(), Noise::rows(sd)})
      for (const Mean<Row>& mean : {zero_mean<Row>(), polynomial_mean(2)}) {
        SCOPED_TRACE(text + ", " + mean.text + ", " + noise.text());
        expect_none(conformance::gradients(
            state_space(), InferenceCase<Row>{Process<Row>(parse<Row>(text), mean, noise), x, y, x}));
      }
}

TEST(StateSpace, TheGradientIsThatOfTheExactEvidence) {
  const Matrix x = times(200);
  const Vector y = random_targets(2, x);
  const Process<Row> prior(parse<Row>("0.8 * matern32(lengthscale=0.5) + 1.3 * matern52(lengthscale=4)"),
                           constant_mean<Row>(), Noise::learn());
  const Vector theta = internal::concat(prior.kernel().theta(), Vector::Constant(1, std::log(0.05)));
  const auto evaluate = [&](const Inference<Row>& i) {
    return i.objective(prior, x, y, ObjectiveKind::evidence)()->at(theta);
  };
  const Evaluation a = evaluate(state_space()), b = evaluate(parse_inference<Row>("exact()"));
  EXPECT_NEAR(a.value, b.value, 1e-9 * std::abs(b.value));
  EXPECT_NEAR(a.misfit, b.misfit, 1e-8);
  EXPECT_LT((a.gradient - b.gradient).cwiseAbs().maxCoeff(), 1e-7);
}

TEST(StateSpace, EqualStepsAreWhatOtherStepsAre) {
  const Vector y = Random(4).normal(200, 1);
  Matrix grid(200, 1), off(200, 1);
  for (Index i = 0; i < 200; ++i)
    grid(i, 0) = 0.25 * double(i), off(i, 0) = grid(i, 0) + 1e-13 * double(i % 7);
  const Process<Row> prior(parse<Row>("matern52(lengthscale=2) + 0.5 * matern12(lengthscale=0.7)"),
                           constant_mean<Row>(), Noise::of(0.1));
  EXPECT_NEAR(condition(state_space(), prior, grid, y).log_evidence(),
              condition(state_space(), prior, off, y).log_evidence(), 1e-8);
}

/// A x (P - Q) A' and what is left of P for tiny and enormous steps; Q keeps its digits where P - A P A' has none.
TEST(StateSpace, TransitionsAreRightForTinyAndEnormousSteps) {
  for (Index d = 1; d <= 3; ++d) {
    internal::StateTerm term;
    term.decays = {{d, true, 1.0, -1}}, term.d = d;
    const Matrix p = internal::stationary(term), f = internal::drift(term, 0);
    for (const double x : {0.0, 1e-8, 1e-3, 0.3, 0.999, 1.001, 4.0, 80.0, 1e9}) {
      Matrix a(d, d), q(d, d);
      internal::transitions(term, &x, 1, a.data(), q.data());
      EXPECT_LT((p - a * p * a.transpose() - q).cwiseAbs().maxCoeff(), 1e-14) << d << " at " << x;
      // two half steps
      Matrix ah(d, d), qh(d, d);
      const double half = 0.5 * x;
      internal::transitions(term, &half, 1, ah.data(), qh.data());
      const Matrix twice = ah * qh * ah.transpose() + qh;
      for (Index i = 0; i < d; ++i) {
        if (x > 300) continue;
        EXPECT_NEAR(twice(i, i), q(i, i), 1e-12 * q(i, i)) << d << " at " << x;  // relative to itself
      }
      if (x == 0 || x > 1e-2) continue;  // dQ/dx = -F P - P F' at 0
      EXPECT_NEAR(q(d - 1, d - 1) / x, (-f * p - p * f.transpose())(d - 1, d - 1), 20 * x)
          << d << " at " << x;
    }
  }
}

TEST(StateSpace, TinyAndEnormousStepsAreExact) {
  Matrix x(8, 1);
  x << 0, 1e-7, 2e-7, 1, 1 + 1e-9, 1e6, 1e12, 1e12 + 1;
  const Vector y = Random(1).normal(8, 1);
  for (const char* text : {"matern12(lengthscale=1)", "matern32(lengthscale=1)", "matern52(lengthscale=1)",
                           "matern52(lengthscale=1) + 0.5 * matern32(lengthscale=300)"}) {
    const Process<Row> prior(parse<Row>(text), zero_mean<Row>(), Noise::of(0.01));
    const Process<Row> exact = prior.condition(x, y), p = condition(state_space(), prior, x, y);
    EXPECT_NEAR(p.log_evidence(), exact.log_evidence(), 1e-9 * std::abs(exact.log_evidence())) << text;
    const Matrix at = (Matrix(5, 1) << -1e9, 1e-7, 0.5, 1e6 + 0.1, 1e13).finished();
    EXPECT_LT((p.mean(at) - exact.mean(at)).cwiseAbs().maxCoeff(), 1e-9) << text;
    EXPECT_LT((p.variance(at) - exact.variance(at)).cwiseAbs().maxCoeff(), 1e-9) << text;
    const auto objective = state_space().objective(prior, x, y, ObjectiveKind::evidence)();
    EXPECT_LT((objective->at(prior.kernel().theta()).gradient -
               parse_inference<Row>("exact()")
                   .objective(prior, x, y, ObjectiveKind::evidence)()
                   ->at(prior.kernel().theta())
                   .gradient)
                  .cwiseAbs()
                  .maxCoeff(),
              1e-7)
        << text;
  }
}

TEST(StateSpace, WithoutNoiseItInterpolates) {
  Matrix x(60, 1);
  for (Index i = 0; i < 60; ++i) x(i, 0) = 0.01 * double(i);
  const Vector y = (4 * x.col(0)).array().sin();
  const Process<Row> prior(matern52(0.5), zero_mean<Row>(), Noise::none());
  const Process<Row> p = condition(state_space(), prior, x, y);
  EXPECT_EQ(p.conditioning().jitter, 0);
  EXPECT_LT((p.mean(x) - y).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT(p.variance(x).maxCoeff(), 1e-12);
  EXPECT_NEAR(p.mean(Matrix::Constant(1, 1, 0.255))[0], std::sin(4 * 0.255), 1e-6);
}

TEST(StateSpace, RowsWithoutNoiseThatFollowFromOthersGetJitterAndSaySo) {
  const Matrix x = times(30);
  const Process<Row> prior(parse<Row>("linear(lengthscale=1) + 2"), zero_mean<Row>(), Noise::none());
  const Process<Row> p = condition(state_space(), prior, x, Vector(2 * x.col(0).array() + 1));
  EXPECT_GT(p.conditioning().jitter, 0);
  EXPECT_NEAR(p.mean(Matrix::Constant(1, 1, 7))[0], 15, 1e-3);
}

TEST(StateSpace, TimesOutOfOrderAreSortedAndThatIsSaid) {
  const Matrix x = times(50);
  const Vector y = random_targets(2, x);
  std::vector<Index> order = internal::all_indices(50);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return x(a, 0) < x(b, 0); });
  const Process<Row> prior(matern32(0.5), constant_mean<Row>(), Noise::of(0.1));
  const Process<Row> mixed = condition(state_space(), prior, x, y),
                     sorted = condition(state_space(), prior, Matrix(x(order, Eigen::all)), Vector(y(order)));
  EXPECT_NEAR(mixed.log_evidence(), sorted.log_evidence(), 1e-10);
  ASSERT_EQ(mixed.notes().size(), 1);
  EXPECT_NE(mixed.notes()[0].find("sorted by time"), std::string::npos);
  EXPECT_TRUE(sorted.notes().empty());
  const LeaveOneOut a = mixed.leave_one_out(), b = sorted.leave_one_out();
  EXPECT_LT((a.mean(order) - b.mean).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(StateSpace, LaterRowsAreFilteredOn) {
  const Matrix x = 0.1 * Vector::LinSpaced(600, 0, 599);
  const Vector y = random_targets(2, x);
  const Process<Row> prior(parse<Row>("matern52(lengthscale=0.8) + 0.3 * cosine(period=1.3)"),
                           polynomial_mean(1), Noise::of(0.1));
  const Process<Row> once = condition(state_space(), prior, x, y);
  Process<Row> p = condition(state_space(), prior, Matrix(x.topRows(300)), Vector(y.head(300)));
  const Matrix at = 70 * random_points(3, 30, 1);
  EXPECT_GT(p.variance(at.cwiseAbs().eval()).maxCoeff(), 0);  // looked back before there are later rows
  for (Index i = 300; i < 600; i += 60) p = p.condition(x.middleRows(i, 60), y.segment(i, 60));
  EXPECT_EQ(p.size(), 600);
  EXPECT_NEAR(p.log_evidence(), once.log_evidence(), 1e-8);
  EXPECT_LT((p.mean(at) - once.mean(at)).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((p.variance(at) - once.variance(at)).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((p.leave_one_out().mean - once.leave_one_out().mean).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(StateSpace, SamplesOfManyPointsHaveThePosteriorsMoments) {
  const Matrix x = times(40), at = Vector::LinSpaced(501, -2, 5);
  const Process<Row> prior(parse<Row>("1.5 * matern32(lengthscale=0.5) + 0.4 * cosine(period=2)"),
                           constant_mean<Row>(), Noise::of(0.1));
  const Process<Row> p = condition(state_space(), prior, x, random_targets(2, x));
  const Matrix draws = p.sample(at, 400, 7);
  const std::vector<Index> some{0, 100, 101, 350, 500};
  const Gaussian j = p.joint(Matrix(at(some, Eigen::all)));
  const Matrix f = draws(some, Eigen::all);
  const Vector mean = f.rowwise().mean();
  const Matrix c = (f.colwise() - mean) * (f.colwise() - mean).transpose() / 399;
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(mean[i], j.mean()[i], 4.5 * std::sqrt(j.covariance()(i, i) / 400));
    for (Index k = 0; k < 5; ++k)
      EXPECT_NEAR(c(i, k), j.covariance()(i, k),
                  0.25 * std::sqrt(j.covariance()(i, i) * j.covariance()(k, k)));
  }
}

TEST(StateSpace, OfAnOrderItIsApproximateAndSaysByHowMuch) {
  const Matrix x = times(40);
  const Vector y = random_targets(2, x);
  const auto report = [&](const char* kernel, const char* how) {
    return condition(state_space(how), Process<Row>(parse<Row>(kernel), {}, Noise::of(0.1)), x, y).report();
  };
  const char* rough = "periodic(period=2, lengthscale=0.2)";
  EXPECT_TRUE(report(rough, "state_space(order=4)").approximate);
  EXPECT_NE(report(rough, "state_space(order=4)").notes.front().find("of 4 harmonics"), std::string::npos);
  EXPECT_TRUE(report("se(lengthscale=0.5)", "state_space()").approximate);
  EXPECT_FALSE(report("periodic(period=2, lengthscale=1)", "state_space(order=20)").approximate);
}

TEST(StateSpace, ApproximationsConvergeAsTheOrderGrows) {
  const Matrix x = 3 * random_points(1, 80, 1), at = 3 * random_points(5, 20, 1);
  const Vector y = random_targets(2, x);
  for (const char* text : {"se(lengthscale=0.7)", "periodic(period=2, lengthscale=0.6)"}) {
    const Process<Row> prior(parse<Row>(text), constant_mean<Row>(), Noise::of(0.1)),
        exact = prior.condition(x, y);
    double worst = std::numeric_limits<double>::infinity();
    for (const char* how : {"state_space(order=3)", "state_space(order=6)", "state_space(order=12)"}) {
      const double off =
          (condition(state_space(how), prior, x, y).mean(at) - exact.mean(at)).cwiseAbs().maxCoeff();
      EXPECT_LT(off, 0.5 * worst) << text << " " << how;
      worst = off;
    }
    EXPECT_LT(worst, 2e-3) << text;
  }
}

TEST(StateSpace, TakesTheOneColumnThatTheKernelReads) {
  Matrix x(40, 3);
  x << random_points(1, 40, 1), times(40), random_points(6, 40, 1);
  const Vector y = random_targets(2, x);
  const Process<Row> prior(
      parse<Row>("1.2 * on(2, matern32(lengthscale=0.5)) + on(2, linear(lengthscale=3))"), polynomial_mean(1),
      Noise::of(0.1));
  const Process<Row> exact = prior.condition(x, y), p = condition(state_space(), prior, x, y);
  EXPECT_NEAR(p.log_evidence(), exact.log_evidence(), 1e-9 * std::abs(exact.log_evidence()));
  EXPECT_LT((p.mean(x) - exact.mean(x)).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(StateSpace, RefusesWhatHasNoStatesAndSaysWhichPart) {
  const auto refusal = [](const char* kernel, Index columns) {
    return state_space().refusal(Process<Row>(parse<Row>(kernel)), random_points(1, 5, columns));
  };
  EXPECT_EQ(refusal("matern32() + linear() * cosine(period=2)", 1), "");
  EXPECT_NE(refusal("matern32() + 2 * rational_quadratic(alpha=1)", 1)
                .find("cannot take rational_quadratic(alpha=1)"),
            std::string::npos);
  EXPECT_NE(refusal("rational_quadratic()", 1).find("it takes matern12"), std::string::npos);
  EXPECT_NE(refusal("matern32()", 2).find("it reads 2 columns, and time is one"), std::string::npos);
  EXPECT_NE(refusal("on(1, matern32()) * on(2, matern32())", 2).find("column 2"), std::string::npos);
  EXPECT_NE(refusal("periodic() * periodic() * periodic()", 1).find("at most 96 states"), std::string::npos);
  const Matrix x = times(20);
  const Process<Row> prior(matern32(1.0), zero_mean<Row>(), Noise::learn());
  EXPECT_THROW(state_space().objective(prior, x, Vector(x.col(0)), ObjectiveKind::leave_one_out), Error);
  EXPECT_THROW(state_space("state_space(0)"), Error);
  EXPECT_EQ(state_space("state_space(order=8)").text(), "state_space()");
  EXPECT_EQ(state_space("state_space(12)").text(), "state_space(order=12)");
}

TEST(StateSpace, TakesOneTwoAndThreeRows) {
  const Matrix x = (Matrix(3, 1) << 0, 0.4, 1).finished(), at = Matrix::Constant(1, 1, 0.3);
  const Vector y = Vector::LinSpaced(3, 1, 2);
  const Process<Row> prior(2 * matern52(0.5), zero_mean<Row>(), Noise::of(0.1));
  for (Index n = 1; n <= 3; ++n) {
    const Process<Row> exact = prior.condition(x.topRows(n), y.head(n)),
                       p = condition(state_space(), prior, Matrix(x.topRows(n)), Vector(y.head(n)));
    EXPECT_NEAR(p.log_evidence(), exact.log_evidence(), 1e-12);
    EXPECT_NEAR(p.mean(at)[0], exact.mean(at)[0], 1e-12);
    EXPECT_NEAR(p.variance(at)[0], exact.variance(at)[0], 1e-12);
  }
}

TEST(StateSpace, BitsDoNotDependOnTheOtherPointsThatArePredicted) {
  const Matrix x = 0.03 * Vector::LinSpaced(4000, 0, 3999), at = 130 * random_points(3, 3000, 1);
  for (const char* text :
       {"matern32(lengthscale=0.5)", "matern12(lengthscale=0.5) + 0.2 * periodic(period=1, lengthscale=1)"})
    expect_none(conformance::prediction_blocks(
        state_space(),
        InferenceCase<Row>{Process<Row>(parse<Row>(text), constant_mean<Row>(), Noise::of(0.1)), x,
                           random_targets(2, x), at}));
}

TEST(StateSpace, AFitFindsTheParametersOfItsProcess) {
  const Matrix x = 30 * random_points(1, 3000, 1);
  const Process<Row> truth(2 * matern32(0.6), {}, Noise::of(0.1));
  const Vector y =
      condition(state_space(), truth, Matrix(Matrix::Constant(1, 1, 1e6)), Vector(Vector::Zero(1)))
          .sample(x, 1, 4, Of::y);
  FitOptions options;
  options.inference = "state_space()";
  const FitResult<Row> fitted = fit(Model<Row>{parse<Row>("matern32()")}, Rows(x), y, options);
  EXPECT_NEAR(fitted.summary.noise_variance, 0.1, 0.02);
  EXPECT_NEAR(fitted.process.kernel().theta()[1], std::log(0.6), 0.4);
  EXPECT_EQ(fitted.summary.inference, "state_space()");
}

}  // namespace
}  // namespace covary::test::state_space_test
