// A regression as a process: what weight space says of it, function space says too.
#include "covary/linear/weight_space.h"

#include <gtest/gtest.h>

#include "covary/kernels/expression.h"
#include "support.h"

namespace covary::weight_space_test {
namespace {

using test::near;
using test::random_points;

struct Example {
  Matrix x = random_points(1, 40, 2);
  Vector y = x.col(0).array() - 0.4 * x.col(1).array().square() + 0.2 * random_points(2, 40, 1).array();
  Matrix at = random_points(3, 9, 2);
};

FitResult<Row> fitted(const Example& e, Method method) {
  return fit(LinearModel{.method = method, .features = parse_features("a, b, b^2, a*b", {"a", "b"})}, e.x,
             e.y);
}

/// The prior of the process, conditioned in function space: weights with a prior are its kernel, flat ones its
/// trend. The noise is at its estimate on both sides.
TEST(WeightSpace, IsTheProcessOfItsKernelAndTrend) {
  const Example e;
  for (const Method method : {Method::linear, Method::ridge, Method::bayes}) {
    SCOPED_TRACE(static_cast<int>(method));
    const FitResult<Row> f = fitted(e, method);
    const Process<Row>& weights = f.process;
    const Process<Row> functions(condition(parse_inference<Row>("exact()"),
                                           Process<Row>(weights.kernel(), weights.trend(), weights.noise()),
                                           Rows(e.x), e.y / f.scale));
    for (const Of of : {Of::f, Of::y}) {
      const Marginals a = weights.predict(e.at, of), b = functions.predict(e.at, of);
      EXPECT_TRUE(near(a.mean, b.mean, 1e-9));
      EXPECT_TRUE(near(a.variance, b.variance, 1e-8));
    }
    EXPECT_TRUE(near(weights.joint(e.at).covariance(), functions.joint(e.at).covariance(), 1e-8));
    EXPECT_TRUE(near(weights.leave_one_out().mean, functions.leave_one_out().mean, 1e-8));
  }
}

TEST(WeightSpace, AnswersAsTheRegressionDoes) {
  const Example e;
  for (const Method method : {Method::linear, Method::ridge, Method::bayes}) {
    const FitResult<Row> f = fitted(e, method);
    const Regression& r = *internal::regression_of(f.process);
    for (const Of of : {Of::f, Of::y}) {
      const Prediction p = r.predict(e.at, of);
      EXPECT_TRUE(near(f.process.predict(e.at, of).mean, p.mean, 1e-15));
      EXPECT_TRUE(near(f.process.predict(e.at, of).sd(), p.sd, 1e-14));
      EXPECT_TRUE(near(f.process.joint(e.at, of).covariance(), r.joint(e.at, of).covariance(), 1e-14));
      EXPECT_TRUE(test::same_bits(f.process.sample(e.at, 3, 7, of), r.sample(e.at, 3, 7, of)));
    }
    EXPECT_EQ(f.process.predict(e.at, Of::y).freedom, r.freedom());
  }
}

TEST(WeightSpace, OtherProcessesAreNoRegressions) {
  EXPECT_EQ(internal::regression_of(Process<Row>(parse<Row>("se(lengthscale=1)"))), nullptr);
  const Example e;
  EXPECT_EQ(internal::regression_of(
                Process<Row>(parse<Row>("se(lengthscale=1)"), {}, Noise::of(0.1)).condition(e.x, e.y)),
            nullptr);
}

}  // namespace
}  // namespace covary::weight_space_test
