// Prior and posterior: predictions against dense algebra, and the identities that hold whatever the kernel.
#include "covary/process/process.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "covary/kernels/stationary.h"
#include "support.h"

namespace covary::test::process_test {
namespace {

struct Data {
  Matrix x, at;
  Vector y;
};

Data data(Index n, Index m, Index d, std::uint64_t seed = 60) {
  const Matrix x = random_points(seed, n, d);
  return {x, random_points(seed + 1, m, d), random_targets(seed + 2, x)};
}

const Kernel<Row>& kernel() {
  static const Kernel<Row> k = parse<Row>("1.7 * matern52(0.9) + 0.4");
  return k;
}

/// The eight points of the requirements, without and with noise.
TEST(Process, EightPoints) {
  Matrix x(8, 1), at(1, 1);
  Vector y(8);
  x << -1.5, -0.25, 0, 1, 5, 5.5, 10.5, 11.5;
  y << -1.6, 0.5, 0.8, -2, 0, 1, 3, 3;
  at << 8;
  const Kernel<Row> k = parse<Row>("fixed(1.6129 * se(lengthscale=1))");
  const Process<Row> exact = Process<Row>(k).condition(x, y);
  EXPECT_NEAR(exact.mean(at)[0], 0.2401335, 5e-8);
  EXPECT_NEAR(exact.variance(at)[0], 1.5995653, 5e-8);
  EXPECT_NEAR(exact.log_evidence(), -19.776499, 5e-7);
  EXPECT_TRUE(near(exact.mean(x), y, 1e-14));
  EXPECT_TRUE(same_bits(exact.predict(x).sd(), Vector::Zero(8)));
  const Process<Row> noisy = Process<Row>(k, {}, Noise::of(0.01)).condition(x, y);
  EXPECT_NEAR(noisy.mean(at)[0], 0.2328368, 5e-8);
  EXPECT_NEAR(noisy.variance(at)[0], 1.5999998, 5e-8);
  EXPECT_NEAR(noisy.log_evidence(), -18.237265, 5e-7);
}

TEST(Process, PredictionsAreTheDenseAlgebra) {
  const Data d = data(150, 40, 2);
  const Process<Row> p = Process<Row>(kernel(), {}, Noise::of(0.1)).condition(d.x, d.y);
  const Matrix k = covariance(kernel(), d.x, Vector::Constant(150, 0.1)), c = kernel().cross(d.at, d.x);
  const Matrix joint = kernel().cross(d.at, d.at) - c * solved(k, c.transpose());
  EXPECT_TRUE(near(p.mean(d.at), c * solved(k, d.y), 1e-12));
  EXPECT_TRUE(near(p.variance(d.at), joint.diagonal(), 1e-12));
  EXPECT_TRUE(near(p.joint(d.at).covariance(), joint, 1e-12));
  EXPECT_TRUE(near(p.joint(d.at).covariance().diagonal(), p.variance(d.at), 1e-12));
  EXPECT_TRUE(near(p.joint(d.at).mean(), p.mean(d.at), 1e-13));
  EXPECT_TRUE(same_bits(p.predict(d.at).mean, p.mean(d.at)));
  EXPECT_NEAR(p.log_evidence(), log_density(d.y, k), 1e-10);
}

TEST(Process, OfYAddsTheNoise) {
  const Data d = data(20, 6, 1);
  const Process<Row> prior(kernel(), {}, Noise::of(0.1));
  for (const Process<Row>& p : {prior, prior.condition(d.x, d.y)}) {
    EXPECT_TRUE(near(p.variance(d.at, Of::y), p.variance(d.at).array() + 0.1, 1e-15));
    const Matrix more = p.joint(d.at, Of::y).covariance() - p.joint(d.at).covariance();
    EXPECT_TRUE(near(more, 0.1 * Matrix::Identity(6, 6), 1e-13));
    EXPECT_TRUE(same_bits(p.predict(d.at, Of::y).mean, p.mean(d.at)));
  }
  const Process<Row> rows = Process<Row>(kernel(), {}, Noise::rows(Vector::Ones(20))).condition(d.x, d.y);
  EXPECT_THROW(rows.predict(d.at, Of::y), Error) << "the noise of new observations is not known";
  EXPECT_NO_THROW(rows.predict(d.at));
}

TEST(Process, ThePriorHasTheKernelsMoments) {
  const Matrix at = random_points(64, 9, 2);
  const Process<Row> p(kernel(), constant_mean<Row>(3.0));
  EXPECT_TRUE(same_bits(p.mean(at), Vector::Constant(9, 3)));
  EXPECT_TRUE(same_bits(p.variance(at), kernel().diag(at)));
  EXPECT_TRUE(near(p.joint(at).covariance(), kernel().cross(at, at), 1e-15));
  EXPECT_EQ(p.size(), 0);
  EXPECT_EQ(p.log_evidence(), 0);
  EXPECT_EQ(p.leave_one_out().mean.size(), 0);
}

TEST(Process, APriorWithAnUnknownTrendIsRefused) {
  const Matrix at = random_points(65, 3, 1);
  for (const char* trend : {"constant", "linear", "polynomial"}) {
    const Process<Row> p(kernel(), parse_mean(trend));
    EXPECT_NE(error_of([&] { p.predict(at); }, Problem::usage).find("condition it on data"),
              std::string::npos);
    EXPECT_THROW(p.mean(at), Error);
    EXPECT_THROW(p.joint(at), Error);
    EXPECT_THROW(p.sample(at, 1, 1), Error);
    EXPECT_THROW(p.path(1), Error);
  }
}

TEST(Process, ConditioningLeavesThePriorAlone) {
  const Data d = data(20, 5, 1);
  const Process<Row> prior(kernel(), {}, Noise::of(0.1));
  const Vector before = prior.variance(d.at);
  (void)prior.condition(d.x, d.y);
  EXPECT_EQ(prior.size(), 0);
  EXPECT_TRUE(same_bits(prior.variance(d.at), before));
}

/// Updating is refitting, whatever is added: new rows, repeats of old ones, rows with their own noise.
TEST(Process, ConditioningTwiceIsConditioningOnce) {
  for (const char* trend : {"zero", "constant", "linear"})
    for (const Index first : {1, 5, 40, 79}) {
      SCOPED_TRACE(std::string(trend) + " after " + std::to_string(first));
      if (first < 5 && std::string(trend) == "linear") continue;
      const Data d = data(80, 15, 2);
      const Process<Row> prior(kernel(), parse_mean(trend), Noise::of(0.05));
      const Process<Row> once = prior.condition(d.x, d.y);
      const Process<Row> twice = prior.condition(d.x.topRows(first), d.y.head(first))
                                     .condition(d.x.bottomRows(80 - first), d.y.tail(80 - first));
      EXPECT_NEAR(twice.log_evidence(), once.log_evidence(), 1e-10 * std::abs(once.log_evidence()));
      EXPECT_TRUE(near(twice.mean(d.at), once.mean(d.at), 1e-10));
      EXPECT_TRUE(near(twice.variance(d.at), once.variance(d.at), 1e-10));
      EXPECT_TRUE(near(twice.leave_one_out().mean, once.leave_one_out().mean, 1e-10));
      EXPECT_TRUE(near(twice.coefficients(), once.coefficients(), 1e-9));
    }
}

TEST(Process, ConditioningOnRepeatsAndOnRowsWithTheirOwnNoise) {
  const Data d = data(30, 10, 1);
  const Process<Row> prior(kernel(), constant_mean<Row>(), Noise::of(0.05));
  const Process<Row> once =
      prior.condition(join(d.x, d.x.topRows(7)), internal::concat(d.y, d.y.head(7).array() + 0.1));
  const Process<Row> twice = prior.condition(d.x, d.y).condition(d.x.topRows(7), d.y.head(7).array() + 0.1);
  EXPECT_TRUE(near(twice.mean(d.at), once.mean(d.at), 1e-10));
  EXPECT_TRUE(near(twice.variance(d.at), once.variance(d.at), 1e-10));
  EXPECT_NEAR(twice.log_evidence(), once.log_evidence(), 1e-10 * std::abs(once.log_evidence()));

  Vector sd(30);
  Random rng(66);
  for (double& s : sd) s = 0.1 + rng.uniform();
  const Process<Row> all = prior.condition(d.x, d.y, Noise::rows(sd));
  const Process<Row> parts = prior.condition(d.x.topRows(12), d.y.head(12), Noise::rows(sd.head(12)))
                                 .condition(d.x.bottomRows(18), d.y.tail(18), Noise::rows(sd.tail(18)));
  EXPECT_TRUE(near(parts.mean(d.at), all.mean(d.at), 1e-10));
  EXPECT_TRUE(near(parts.variance(d.at), all.variance(d.at), 1e-10));
}

/// An exact observation stays exact when a noisy one of the same input follows; the noisy one is only scored.
TEST(Process, NoisyRepeatsOfExactObservations) {
  const Data d = data(12, 6, 1);
  const Process<Row> exact = Process<Row>(matern32(1.0)).condition(d.x, d.y);
  const Process<Row> both = exact.condition(d.x.topRows(3), d.y.head(3).array() + 0.2, Noise::of(0.1));
  EXPECT_TRUE(near(both.mean(d.at), exact.mean(d.at), 1e-12));
  EXPECT_TRUE(near(both.variance(d.at), exact.variance(d.at), 1e-12));
  EXPECT_NEAR(both.log_evidence(), exact.log_evidence() + 3 * log_density(0.2, 0, 0.1), 1e-9);
}

TEST(Process, ManyUpdatesDoNotDrift) {
  const Data d = data(120, 10, 2);
  const Process<Row> prior(kernel(), {}, Noise::of(1e-4));
  Process<Row> p = prior;
  for (Index i = 0; i < 120; ++i) p = p.condition(d.x.middleRows(i, 1), d.y.segment(i, 1));
  const Process<Row> once = prior.condition(d.x, d.y);
  EXPECT_TRUE(near(p.mean(d.at), once.mean(d.at), 1e-10));
  EXPECT_TRUE(near(p.variance(d.at), once.variance(d.at), 1e-9));
}

TEST(Process, TheOrderOfRowsDoesNotMatter) {
  const Data d = data(60, 10, 2);
  const Process<Row> prior(kernel(), parse_mean("linear"), Noise::of(0.05));
  const Process<Row> p = prior.condition(d.x, d.y),
                     q = prior.condition(d.x.colwise().reverse(), d.y.reverse());
  EXPECT_NEAR(p.log_evidence(), q.log_evidence(), 1e-11 * std::abs(p.log_evidence()));
  EXPECT_TRUE(near(p.mean(d.at), q.mean(d.at), 1e-11));
  EXPECT_TRUE(near(p.variance(d.at), q.variance(d.at), 1e-11));
  EXPECT_TRUE(near(p.leave_one_out().mean, q.leave_one_out().mean.reverse(), 1e-11));
}

/// y -> c y with variances -> c^2: means scale, the log density falls by n log c.
TEST(Process, ScalingYScalesEverything) {
  const Data d = data(40, 10, 2);
  const Process<Row> p = Process<Row>(kernel(), constant_mean<Row>(), Noise::of(0.05)).condition(d.x, d.y);
  for (const double c : {1e-12, 3.7, 1e12}) {
    const Process<Row> q =
        Process<Row>(c * c * kernel(), constant_mean<Row>(), Noise::of(c * c * 0.05)).condition(d.x, c * d.y);
    EXPECT_NEAR(q.log_evidence(), p.log_evidence() - 40 * std::log(c), 1e-10 * std::abs(q.log_evidence()));
    EXPECT_TRUE(near(q.mean(d.at), c * p.mean(d.at), 1e-12)) << c;
    EXPECT_TRUE(near(q.variance(d.at), c * c * p.variance(d.at), 1e-12)) << c;
  }
}

/// Inputs on a dyadic grid moved by a power of two are moved exactly: not one bit of a prediction may change.
TEST(Process, AnExactOffsetOfXLeavesTheBits) {
  Data d = data(50, 20, 2);
  const auto grid = [](Matrix m) -> Matrix { return (m.array() * 1024).round() / 1024; };
  d.x = grid(d.x), d.at = grid(d.at);
  for (const char* text :
       {"2 * se([0.5, 2])", "matern12(1)", "matern52(1) * periodic(1, 2.5)", "rational_quadratic(1, 2)"})
    for (const char* trend : {"zero", "constant", "linear"}) {
      const Process<Row> prior(parse<Row>(text), parse_mean(trend), Noise::of(0.05));
      const Process<Row> p = prior.condition(d.x, d.y), q = prior.condition(d.x.array() + 0x1p27, d.y);
      const Matrix moved = d.at.array() + 0x1p27;
      EXPECT_TRUE(same_bits(p.mean(d.at), q.mean(moved))) << text << ", " << trend;
      EXPECT_TRUE(same_bits(p.variance(d.at), q.variance(moved))) << text << ", " << trend;
      EXPECT_EQ(p.log_evidence(), q.log_evidence()) << text << ", " << trend;
    }
}

/// K alpha = y is solved as well as a backward stable solution is: |K alpha - y| <= c eps |K||alpha|. How much of it
/// is used up is decided by the order of the sums, which is the processor's.
TEST(Process, WithoutNoiseItInterpolates) {
  const Data d = data(60, 5, 2);
  const Matrix k = covariance(matern32(1.0), d.x, Vector::Zero(60));
  const Vector alpha = solved(k, d.y);
  const double rounding = 2 * std::numeric_limits<double>::epsilon() * (k * alpha.cwiseAbs()).maxCoeff();
  for (const char* trend : {"zero", "constant", "linear"}) {
    const Process<Row> p = Process<Row>(matern32(1.0), parse_mean(trend)).condition(d.x, d.y);
    ASSERT_EQ(p.conditioning().jitter, 0);
    const Marginals m = p.predict(d.x);
    EXPECT_LE((m.mean - d.y).cwiseAbs().maxCoeff(), rounding) << trend;
    EXPECT_TRUE(same_bits(m.variance, Vector::Zero(60))) << trend;
    EXPECT_EQ(m.clamped, 60) << trend;
    EXPECT_GT(p.variance(d.at).minCoeff(), 0) << trend;
  }
}

TEST(Process, WithoutNoiseDrawsPassThroughTheObservations) {
  const Matrix x = random_points(61, 8, 1), between = random_points(62, 5, 1);
  const Vector y = random_targets(61, x);
  const Process<Row> p =
      Process<Row>(parse<Row>("2 * matern32(1)"), zero_mean<Row>(), Noise::of(0)).condition(x, y);
  Matrix at(13, 1);
  at << x, between;
  const Matrix draws = p.sample(at, 20, 3);
  EXPECT_LT((draws.topRows(8).colwise() - y).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_GT((draws.bottomRows(5).colwise() - p.mean(between)).cwiseAbs().maxCoeff(), 0.1);
}

TEST(Process, BadInputsAreNamed) {
  const Data d = data(10, 5, 2);
  const Process<Row> p(kernel(), {}, Noise::of(0.1));
  Matrix bad = d.x;
  bad(3, 1) = std::nan("");
  EXPECT_NE(error_of([&] { p.condition(bad, d.y); }, Problem::data).find("row 4, column 2"),
            std::string::npos);
  EXPECT_NE(error_of([&] { p.predict(bad); }, Problem::data).find("row 4, column 2"), std::string::npos);
  EXPECT_THROW(p.mean(bad), Error);
  EXPECT_THROW(p.joint(bad), Error);
  Vector y = d.y;
  y[6] = INFINITY;
  EXPECT_NE(error_of([&] { p.condition(d.x, y); }, Problem::data).find("y: row 7"), std::string::npos);
  EXPECT_NE(error_of([&] { p.condition(d.x, d.y.head(9)); }, Problem::usage).find("10 points"),
            std::string::npos);
  EXPECT_THROW(p.condition(Matrix(0, 2), Vector(0)), Error);
  EXPECT_THROW(Process<Row>(kernel(), {}, Noise::learn()).condition(d.x, d.y), Error);
}

TEST(Process, NoPointsGiveNoPredictions) {
  const Data d = data(10, 5, 2);
  const Process<Row> p = Process<Row>(kernel(), {}, Noise::of(0.1)).condition(d.x, d.y);
  EXPECT_EQ(p.predict(Matrix(0, 2)).mean.size(), 0);
  EXPECT_EQ(p.joint(Matrix(0, 2)).covariance().size(), 0);
  EXPECT_EQ(p.sample(Matrix(0, 2), 3, 1).size(), 0);
}

}  // namespace
}  // namespace covary::test::process_test
