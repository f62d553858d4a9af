// Parameters that are shared, noise inside them and several targets: against dense algebra, differences and
// Evidence.
#include "covary/learn/reparametrized.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "covary/kernels/expression.h"
#include "covary/kernels/stationary.h"
#include "support.h"

namespace covary::test::tied_test {
namespace {

/// The kernel's parameters from half as many, some fixed, and a noise of two parts that share one of them.
struct Problems {
  Matrix x, y;
  Vector variances, t;
  internal::Reparametrized tied;
  internal::ReparametrizedData data() const { return {x, y, variances}; }
};

Problems problem(std::uint64_t seed) {
  Random rng(seed);
  const Index d = 1 + static_cast<Index>(seed % 3), n = 14, m = 1 + static_cast<Index>(seed % 2);
  const Kernel<Row> k = random_kernel(seed, d);
  const Index q = k.theta().size(), p = q / 2 + 2;
  Problems out{random_points(seed + 100, n, d),
               rng.normal(n, m),
               Vector(n),
               0.3 * Vector(rng.normal(p, 1)),
               {k, {}, {}}};
  for (double& v : out.variances) v = 0.05 + rng.uniform();
  out.tied.theta = {k.theta(), Matrix::Zero(q, p)};
  for (Index i = 0; i + 1 < q; ++i) out.tied.theta.map(i, i / 2) = i % 2 ? 1 : 2;
  out.tied.noise = {Vector::Constant(2, -2), Matrix::Zero(2, p)};
  out.tied.noise.map(0, 0) = 1, out.tied.noise.map(0, p - 1) = 1, out.tied.noise.map(1, p - 2) = 2;
  return out;
}

Matrix whole(const Problems& p) {
  return covariance(p.tied.kernel_at(p.t), p.x, (p.variances.array() + p.tied.noise_at(p.t)).matrix());
}

class TiedProblems : public ::testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Random, TiedProblems, ::testing::Range<std::uint64_t>(1, 41));

TEST_P(TiedProblems, ValueIsTheSumOfGaussianDensities) {
  const Problems p = problem(GetParam());
  double sum = 0;
  for (Index j = 0; j < p.y.cols(); ++j) sum += log_density(p.y.col(j), whole(p));
  const Evaluation e = internal::ReparametrizedEvidence(p.tied, p.data()).at(p.t, false);
  EXPECT_NEAR(e.value, sum, 1e-10 * std::abs(sum));
  EXPECT_EQ(e.gradient.size(), 0);
}

TEST_P(TiedProblems, GradientIsTheLimitOfDifferences) {
  const Problems p = problem(GetParam());
  const Evaluation e = internal::ReparametrizedEvidence(p.tied, p.data()).at(p.t, true);
  const Vector d = differences(
      [&](const Vector& t) { return internal::ReparametrizedEvidence(p.tied, p.data()).at(t, false).value; },
      p.t, 5e-4);
  const double least = 1e-3 * std::max(1.0, std::abs(e.value));
  for (Index i = 0; i < d.size(); ++i)
    EXPECT_NEAR(e.gradient[i], d[i], 1e-6 * std::max(std::abs(d[i]), least)) << p.tied.kernel.text();
}

TEST_P(TiedProblems, PosteriorIsTheConditionalOfTheJoint) {
  const Problems p = problem(GetParam());
  const auto post = internal::posterior(p.tied, p.data(), p.t, 1);
  ASSERT_TRUE(post);
  const Matrix at = random_points(GetParam() + 900, 5, p.x.cols());
  const Kernel<Row> k = p.tied.kernel_at(p.t);
  const Matrix cross = k.cross(p.x, at), weights = solved(whole(p), cross);
  Matrix left = k.cross(at, at) - cross.transpose() * weights;
  left.diagonal().array() += p.tied.noise_at(p.t);
  const auto [mean, joint] = post->joint(at);
  const auto [same, variance] = post->marginals(at);
  const double size = std::max(1.0, k.diag(at).maxCoeff());
  EXPECT_LT((mean - weights.transpose() * p.y).cwiseAbs().maxCoeff(), 1e-9 * size);
  EXPECT_LT((joint - left).cwiseAbs().maxCoeff(), 1e-9 * size);
  EXPECT_LT((variance - left.diagonal()).cwiseAbs().maxCoeff(), 1e-9 * size);
  EXPECT_EQ(same, mean);
  EXPECT_EQ(post->mean(at), mean);
  EXPECT_EQ(post->mean(at.topRows(2)), mean.topRows(2));
}

TEST(Reparametrized, WithNothingTiedItIsTheEvidence) {
  const Matrix x = random_points(3, 30, 2);
  const Vector y = random_targets(4, x);
  const Kernel<Row> k = 1.5 * se(Vector{{0.7, 1.2}});
  Evidence<Row> e(k, zero_mean<Row>(), Noise::learn(), x, y);
  internal::Reparametrized tied{
      k, {Vector::Zero(3), Matrix::Identity(3, 4)}, {Vector::Zero(1), Matrix::Zero(1, 4)}};
  tied.noise.map(0, 3) = 1;
  const Vector t = internal::concat(k.theta(), Vector::Constant(1, std::log(0.1))), none = Vector::Zero(30);
  const Matrix targets = y;
  const Evaluation a = e.at(t), b = internal::ReparametrizedEvidence(tied, {x, targets, none}).at(t, true);
  EXPECT_NEAR(a.value, b.value, 1e-12 * std::abs(a.value));
  EXPECT_LT((a.gradient - b.gradient).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(Reparametrized, MaximizeStaysInTheBoxAndEndsWhereTheSlopeIsNothing) {
  const Matrix x = random_points(5, 40, 2), y = random_targets(6, x);
  const Kernel<Row> k = 1.0 * se(Vector{{1, 1}});
  internal::Reparametrized tied{
      k, {Vector::Zero(3), Matrix::Identity(3, 4)}, {Vector::Zero(1), Matrix::Zero(1, 4)}};
  tied.noise.map(0, 3) = 1;
  const Vector none = Vector::Zero(40), lower = Vector::Constant(4, -7), upper = Vector::Constant(4, 7);
  const internal::Minimum m = internal::maximize(tied, {x, y, none}, Vector{{0, 0, 0, -2}}, lower, upper, 1);
  const Evaluation e = internal::ReparametrizedEvidence(tied, {x, y, none}).at(m.x, true);
  EXPECT_EQ(e.value, -m.value);
  for (Index i = 0; i < 4; ++i)
    EXPECT_TRUE(std::abs(e.gradient[i]) < 1e-3 || m.x[i] == -7 || m.x[i] == 7) << e.gradient.transpose();
}

/// Four of five inputs say nothing: their length-scales end far out, where the likelihood is all but flat.
TEST(Reparametrized, IdleInputsDoNotHoldTheSearchUp) {
  const Index n = 80, p = 7;
  const Matrix x = random_points(9, n, 5), y = random_targets(10, x.leftCols(1), 0.1);
  const Kernel<Row> k = 1.0 * se(Vector::Ones(5));
  internal::Reparametrized tied{
      k, {Vector::Zero(6), Matrix::Identity(6, p)}, {Vector::Zero(1), Matrix::Zero(1, p)}};
  tied.noise.map(0, p - 1) = 1;
  const Vector none = Vector::Zero(n), start = Vector::Zero(p), lower = Vector::Constant(p, -11.5),
               upper = Vector::Constant(p, 11.5);
  const internal::ReparametrizedData data{x, y, none};
  const internal::Minimum found = internal::maximize(tied, data, start, lower, upper, 1);
  const internal::Minimum plain = internal::minimize(
      [&](const Vector& t) {
        const Evaluation e = internal::ReparametrizedEvidence(tied, data).at(t, true);
        return std::pair<double, Vector>(-e.value, -e.gradient);
      },
      start, lower, upper);
  EXPECT_LE(found.value, plain.value + 1e-6);
  EXPECT_LT(found.evaluations, plain.evaluations);
}

TEST(Reparametrized, NotPositiveDefiniteIsMinusInfinityAndNoPosterior) {
  const Matrix x = Matrix::Zero(3, 1), y = Matrix::Ones(3, 1);
  const Vector below = Vector::Constant(3, -1e-3);
  const internal::Reparametrized tied{
      1.0 * se(1.0), {Vector::Zero(2), Matrix::Zero(2, 1)}, {Vector(0), Matrix(0, 1)}};
  const Evaluation e = internal::ReparametrizedEvidence(tied, {x, y, below}).at(Vector::Zero(1), true);
  EXPECT_EQ(e.value, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(e.gradient, Vector::Zero(1));
  EXPECT_FALSE(internal::posterior(tied, {x, y, below}, Vector::Zero(1), 1));
}

TEST(Reparametrized, SizesThatDoNotFitAreNamed) {
  internal::Reparametrized tied{
      1.0 * se(1.0), {Vector::Zero(2), Matrix::Zero(2, 1)}, {Vector(0), Matrix(0, 1)}};
  internal::check_reparametrized(tied);
  tied.theta.offset = Vector::Zero(3);
  EXPECT_EQ(error_of([&] { internal::check_reparametrized(tied); }, Problem::usage),
            "theta: expected 2 rows, found 3");
  tied.theta.offset = Vector::Zero(2), tied.noise.map = Matrix(0, 2);
  EXPECT_EQ(error_of([&] { internal::check_reparametrized(tied); }, Problem::usage),
            "noise: expected a map of 1 parameters, found 2");
  tied.noise.map = Matrix(0, 1);
  const Matrix x = Matrix::Zero(3, 1), y = Matrix::Ones(2, 1);
  EXPECT_EQ(error_of(
                [&] {
                  internal::ReparametrizedEvidence(tied, {x, y, Vector::Zero(3)}).at(Vector::Zero(1), true);
                },
                Problem::usage),
            "y: expected 3 rows, found 2");
}

/// sin(2 pi x / 6.28) at n irregular points of [0, 30], under 1 * periodic + noise: t = its logarithms.
Problems periodic_problem(Index n, std::uint64_t seed) {
  Random rng(seed);
  Problems p{Matrix(n, 1),
             Matrix(n, 1),
             Vector::Zero(n),
             Vector(4),
             {parse<Row>("1 * periodic(lengthscale=1, period=1)"), {}, {}}};
  for (Index i = 0; i < n; ++i) {
    p.x(i, 0) = 30 * rng.uniform();
    p.y(i, 0) = std::sin(p.x(i, 0)) + 0.3 * rng.normal();
  }
  p.tied.theta = {Vector::Zero(3), Matrix::Identity(3, 4)};
  p.tied.noise = {Vector::Zero(1), Matrix::Zero(1, 4)};
  p.tied.noise.map(0, 3) = 1;
  p.t << 0, 0, std::log(5.0), std::log(0.1);
  return p;
}

/// scikit-learn's gallery example: from a period of 5, a descent finds 6.28 or, more often, something else.
TEST(TiedPeriods, AreFoundWhereverTheSearchBegins) {
  const double ten = std::log(10.0);
  const Vector lower = Eigen::Vector4d(-5, -5, -2, -5) * ten, upper = Eigen::Vector4d(5, 5, 1, 5) * ten;
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    for (const Index n : {30, 200}) {
      Problems p = periodic_problem(n, seed);
      for (const double period : {0.5, 9.0}) {
        p.t[2] = std::log(period);
        const internal::Minimum found = internal::maximize(p.tied, p.data(), p.t, lower, upper, 1);
        Vector truth = p.t;
        truth[2] = std::log(2 * std::numbers::pi);
        EXPECT_GT(-found.value, internal::ReparametrizedEvidence(p.tied, p.data()).at(truth, false).value)
            << seed << " " << n;
      }
    }
}

TEST(TiedPeriods, StartsAreTheSameOnAnyThreadsAndInsideTheBounds) {
  const Problems p = periodic_problem(40, 3);
  const Vector lower = Eigen::Vector4d(-1, -1, 0, -3), upper = Eigen::Vector4d(1, 0.5, 2, 0);
  const std::vector<Vector> one = internal::period_starts(p.tied, p.data(), p.t, lower, upper, 1);
  const std::vector<Vector> four = internal::period_starts(p.tied, p.data(), p.t, lower, upper, 4);
  ASSERT_GE(one.size(), 8u);
  ASSERT_EQ(four.size(), one.size());
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i], four[i]);
    EXPECT_TRUE((one[i].array() >= lower.array() - 1e-12).all() &&
                (one[i].array() <= upper.array() + 1e-12).all());
  }
}

/// Neighbors are frequencies 1/(4 range) apart. The second scan has a kernel three times as smooth. Of each
/// come four starts and those that are the first of their octave.
TEST(TiedPeriods, StartsAreBetterThanTheirNeighbors) {
  Problems p = periodic_problem(40, 3);
  p.tied.kernel = parse<Row>("periodic(lengthscale=1, period=1)");
  p.tied.theta = {Vector::Zero(2), Matrix::Identity(2, 3)};
  p.tied.noise = {Vector::Zero(1), Matrix::Zero(1, 3)};
  p.tied.noise.map(0, 2) = 1;
  p.t = Eigen::Vector3d(-0.3, std::log(5.0), std::log(0.1));
  const double range = p.x.maxCoeff() - p.x.minCoeff(), step = 1 / (4 * range);
  const auto value = [&](const Vector& t) {
    return internal::ReparametrizedEvidence(p.tied, p.data()).at(t, false).value;
  };
  const std::vector<Vector> starts =
      internal::period_starts(p.tied, p.data(), p.t, Eigen::Vector3d(-9, 0, -9), Vector::Constant(3, 9), 1);
  std::array<std::multiset<double>, 2> octaves;
  for (size_t i = 0; i < starts.size(); ++i) {
    const bool smooth = starts[i][0] != p.t[0];
    EXPECT_EQ(starts[i][0], p.t[0] + (smooth ? std::log(3.0) : 0));
    std::multiset<double>& seen = octaves[smooth ? 1 : 0];
    const double octave = std::floor(starts[i][1] / std::numbers::ln2);
    EXPECT_TRUE(seen.size() < 4 || seen.count(octave) == 0) << i;
    seen.insert(octave);
    for (const double way : {-step, step}) {
      const double frequency = std::exp(-starts[i][1]) + way;
      Vector beside = starts[i];
      beside[1] = -std::log(frequency);
      if (frequency < 1 / (2 * range) || frequency > 1) continue;
      EXPECT_GT(value(starts[i]), value(beside)) << i;
    }
  }
  for (const auto& seen : octaves) {
    EXPECT_GE(seen.size(), 4u);
    EXPECT_GE(std::set<double>(seen.begin(), seen.end()).size(), 4u) << "octaves that have an optimum";
  }
}

TEST(TiedPeriods, WithoutOneThereAreNoOtherStarts) {
  Problems p = periodic_problem(20, 1);
  const Vector wide = Vector::Constant(4, 9);
  EXPECT_FALSE(internal::period_starts(p.tied, p.data(), p.t, -wide, wide, 1).empty());
  p.tied.kernel = parse<Row>("1 * rational_quadratic(lengthscale=1, alpha=1)");
  EXPECT_TRUE(internal::period_starts(p.tied, p.data(), p.t, -wide, wide, 1).empty());
  p.tied.kernel = parse<Row>("1 * periodic(lengthscale=1, period=1)");
  p.x.setConstant(2);
  EXPECT_TRUE(internal::period_starts(p.tied, p.data(), p.t, -wide, wide, 1).empty());
}

TEST(TiedPeriods, RowsAreScatteredAndFew) {
  EXPECT_EQ(internal::scattered_rows(7), (std::vector<Index>{0, 1, 2, 3, 4, 5, 6}));
  const std::vector<Index> rows = internal::scattered_rows(100000);
  EXPECT_GT(rows.size(), 100u);
  EXPECT_LE(rows.size(), 120u);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()) && rows.back() < 100000);
}

}  // namespace
}  // namespace covary::test::tied_test
