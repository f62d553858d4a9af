// Vecchia's approximation with its points split over ranks: the numbers of one process.
#include <gtest/gtest.h>

#include "covary/base/ranks.h"
#include "covary/inference/registry.h"
#include "support.h"

namespace covary::test::cluster_vecchia_test {
namespace {

using namespace internal;

constexpr Index n = rows_of_one_rank + 700;

struct Numbers {
  Evaluation evaluation;
  Vector mean, variance;
  double log_evidence = 0;
};

Numbers computed(const std::string& kernel, const std::string& mean) {
  const Matrix x = random_points(1, n, 2), z = random_points(3, 40, 2);
  const Vector y = random_targets(2, x);
  const Vecchia how{12};
  const Process<Row> prior(parse<Row>(kernel), parse_mean(mean), Noise::learn());
  const auto objective = how.objective<Row>(prior, Rows(x), y, ObjectiveKind::evidence)();
  Numbers out;
  out.evaluation = objective->at(concat(prior.kernel().theta(), Vector::Constant(1, std::log(0.1))), true, 1);
  EXPECT_NEAR(
      objective->at(concat(prior.kernel().theta(), Vector::Constant(1, std::log(0.1))), false, 1).value,
      out.evaluation.value, 1e-10 * std::abs(out.evaluation.value));
  const Posterior<Row> p = how.condition<Row>(prior, Rows(x), y, Vector::Constant(n, 0.1), 1);
  const Marginals m = p.marginals(Rows(z), 1);
  out.mean = m.mean, out.variance = m.variance, out.log_evidence = p.log_evidence();
  return out;
}

void expect_same(const std::string& kernel, const std::string& mean) {
  Ranks* const all = ranks();
  set_ranks(nullptr);
  const Numbers here = computed(kernel, mean);
  set_ranks(all);
  const Numbers there = computed(kernel, mean);
  EXPECT_TRUE(std::isfinite(here.evaluation.value));
  EXPECT_NEAR(here.evaluation.value, there.evaluation.value, 1e-10 * std::abs(here.evaluation.value));
  EXPECT_NEAR(here.evaluation.misfit, there.evaluation.misfit, 1e-10 * here.evaluation.misfit);
  EXPECT_TRUE(near(here.evaluation.gradient, there.evaluation.gradient, 1e-10));
  EXPECT_NEAR(here.log_evidence, there.log_evidence, 1e-10 * std::abs(here.log_evidence));
  EXPECT_TRUE(near(here.mean, there.mean, 1e-10));
  EXPECT_TRUE(near(here.variance, there.variance, 1e-10));
}

TEST(VecchiaOnRanks, HasTheNumbersOfOneProcess) {
  expect_same("1.3 * matern32(lengthscale=[0.3, 0.5])", "zero");
}
TEST(VecchiaOnRanks, HasThemWithATrend) { expect_same("1.3 * matern52(lengthscale=0.4)", "linear"); }
TEST(VecchiaOnRanks, HasThemOfKernelsThatTheLoopsDoNotKnow) {
  expect_same("1.3 * matern32(lengthscale=0.4) * periodic(period=2, lengthscale=1)", "linear");
}

}  // namespace
}  // namespace covary::test::cluster_vecchia_test
