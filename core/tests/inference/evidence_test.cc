// The two objectives: values against dense algebra, gradients against differences, for random kernels.
#include "covary/inference/evidence.h"

#include <gtest/gtest.h>

#include <cmath>

#include "covary/kernels/stationary.h"
#include "support.h"

namespace covary::test::evidence_test {
namespace {

struct Problems {
  Matrix x;
  Vector y;
  Kernel<Row> kernel;
  Mean<Row> mean;
  Noise noise;
  Vector theta;  // with log noise where it is learned
};

/// Every combination of trend and noise comes up; two thirds have repeated rows.
Problems problem(std::uint64_t seed) {
  static const std::vector<std::string> trends{"zero", "constant", "linear", "constant(0.4)"};
  Random rng(seed);
  const Index d = 1 + static_cast<Index>(seed % 3), n = 12 + rng.integer(10);
  const Matrix x = with_repeats(random_points(seed + 5000, n, d), static_cast<Index>(seed % 3) * 2);
  Problems p{x, random_targets(seed + 6000, x), random_kernel(seed, d), parse_mean(trends[seed % 4]), {}, {}};
  p.theta = p.kernel.theta();
  if (seed % 3 == 0) p.noise = Noise::of(0.15);
  if (seed % 3 == 1)
    p.noise = Noise::learn(), p.theta = internal::concat(p.theta, Vector::Constant(1, std::log(0.2)));
  if (seed % 3 == 2) {
    Vector sd(x.rows());
    for (double& s : sd) s = 0.3 + 0.3 * rng.uniform();
    p.noise = Noise::rows(sd);
  }
  return p;
}

/// Relative to the entry, or to 1e-3 of max(1, |value|) where an entry is smaller than that: differences of a
/// value known to 1e-13 or so cannot resolve less.
void expect_gradient(const Problems& p, ObjectiveKind objective) {
  Evidence<Row> e(p.kernel, p.mean, p.noise, p.x, p.y, objective);
  const Evaluation at = e.at(p.theta);
  ASSERT_TRUE(std::isfinite(at.value)) << p.kernel.text();
  ASSERT_EQ(at.gradient.size(), e.parameters());
  const Vector d = differences([&](const Vector& t) { return e.at(t, false).value; }, p.theta, 5e-4);
  const double least = 1e-3 * std::max(1.0, std::abs(at.value));
  for (Index i = 0; i < d.size(); ++i)
    EXPECT_NEAR(at.gradient[i], d[i], 1e-6 * std::max(std::abs(d[i]), least))
        << "entry " << i << " of " << p.kernel.text() << ", trend " << p.mean.text << ", noise "
        << p.noise.text();
  EXPECT_EQ(e.at(p.theta, false).value, at.value);
}

class RandomKernels : public ::testing::TestWithParam<std::uint64_t> {};
constexpr std::uint64_t per_test = 20;

TEST_P(RandomKernels, GradientOfTheEvidence) {
  for (std::uint64_t i = 0; i < per_test; ++i)
    expect_gradient(problem(GetParam() * per_test + i), ObjectiveKind::evidence);
}
TEST_P(RandomKernels, GradientOfLeaveOneOut) {
  for (std::uint64_t i = 0; i < per_test; ++i)
    expect_gradient(problem(GetParam() * per_test + i), ObjectiveKind::leave_one_out);
}
INSTANTIATE_TEST_SUITE_P(Twenty, RandomKernels, ::testing::Range(std::uint64_t{0}, std::uint64_t{8}));

TEST(Evidence, ValueIsTheLogDensity) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Problems p = problem(seed);
    Evidence<Row> e(p.kernel, p.mean, p.noise, p.x, p.y);
    const double value = e.at(p.theta).value;
    const Noise noise = p.noise.is_learned() ? Noise::of(0.2) : p.noise;
    const Matrix k = covariance(p.kernel, p.x, noise.variances(p.y.size()));
    Vector r = p.y - p.mean.known_at(p.x);
    if (const Matrix f = p.mean.basis_at(p.x); f.cols()) {
      const Matrix w = solved(k, f);
      r -= f * solved(f.transpose() * w, w.transpose() * r);
    }
    EXPECT_NEAR(value, log_density(r, k), 1e-10 * std::abs(value)) << p.kernel.text();
    EXPECT_NEAR(value, Process<Row>(p.kernel, p.mean, noise).condition(p.x, p.y).log_evidence(),
                1e-10 * std::abs(value));
  }
}

/// More rows than a tile, an odd number of them, and repeats.
TEST(Evidence, GradientAcrossTiles) {
  const Matrix x = with_repeats(random_points(91, 301, 3), 20);
  const Problems p{x,
                   random_targets(92, x),
                   parse<Row>("1.4 * matern32([1, 2, 0.7]) + 0.2 * on(1, se(0.5))"),
                   parse_mean("linear"),
                   Noise::learn(),
                   {}};
  Problems q = p;
  q.theta = internal::concat(p.kernel.theta(), Vector::Constant(1, std::log(0.1)));
  expect_gradient(q, ObjectiveKind::evidence);
  expect_gradient(q, ObjectiveKind::leave_one_out);
}

TEST(Evidence, ThreadsDoNotChangeIt) {
  const Matrix x = random_points(93, 300, 2);
  const Vector y = random_targets(94, x);
  const Kernel<Row> k = parse<Row>("1.4 * matern32([1, 2])");
  for (const ObjectiveKind o : {ObjectiveKind::evidence, ObjectiveKind::leave_one_out}) {
    Evidence<Row> e(k, constant_mean<Row>(), Noise::of(0.1), x, y, o);
    const Evaluation one = e.at(k.theta(), true, 1);
    for (const int threads : {2, 16}) {
      const Evaluation many = e.at(k.theta(), true, threads);
      EXPECT_NEAR(many.value, one.value, 1e-12 * std::abs(one.value));
      EXPECT_TRUE(near(many.gradient, one.gradient, 1e-11));
    }
  }
}

TEST(Evidence, OutsideTheDomainIsMinusInfinityNotAnError) {
  const Matrix x = Vector::LinSpaced(200, 0, 1);
  Evidence<Row> e(se(1.0), zero_mean<Row>(), Noise::none(), x, random_targets(95, x));
  const Evaluation at = e.at(Vector::Constant(1, std::log(100.0)));
  EXPECT_EQ(at.value, -std::numeric_limits<double>::infinity());
  for (const double t : {-800.0, 800.0, 1e300}) {
    const Evaluation far = e.at(Vector::Constant(1, t));
    EXPECT_FALSE(std::isnan(far.value)) << t;
  }
}

TEST(Evidence, RepeatsCostOneRow) {
  const Matrix x = with_repeats(random_points(96, 15, 1), 15);
  const Vector y = random_targets(97, x);
  EXPECT_EQ(Evidence<Row>(se(1.0), zero_mean<Row>(), Noise::learn(), x, y).size(), 15);
  EXPECT_EQ(
      Evidence<Row>(se(1.0), zero_mean<Row>(), Noise::learn(), x, y, ObjectiveKind::leave_one_out).size(),
      30);
}

TEST(Evidence, WorkMayBeOfAnySizeAndReused) {
  const Matrix x = random_points(98, 40, 1);
  const Vector y = random_targets(99, x);
  Evidence<Row> big(se(1.0), zero_mean<Row>(), Noise::of(0.1), x, y);
  Evidence<Row> small(se(1.0), zero_mean<Row>(), Noise::of(0.1), x.topRows(7), y.head(7));
  const Vector t = Vector::Zero(1);
  const double alone = Evidence<Row>(small).at(t).value;  // of a copy, with a scratch of its own
  const double first = big.at(t).value;
  EXPECT_EQ(small.at(t).value, alone);
  EXPECT_EQ(big.at(t).value, first);
}

}  // namespace
}  // namespace covary::test::evidence_test
