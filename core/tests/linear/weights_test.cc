#include "covary/linear/weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "covary/gaussian/univariate.h"
#include "support.h"

namespace covary::linear_test {
namespace {

using test::determinant_of;
using test::error_of;
using test::inverse_of;
using test::near;
using test::random_points;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Rows and observations of a line with noise.
struct Problem3 {
  Matrix phi;
  Vector y;
};
Problem3 problem(std::uint64_t seed, Index n, Index columns, double noise = 0.5, double offset = 0) {
  Matrix phi = random_points(seed, n, columns).array() + offset;
  const Vector w = random_points(seed + 1, columns, 1);
  return {phi, phi * w + noise * random_points(seed + 2, n, 1)};
}

/// A positive definite matrix.
Matrix random_covariance(std::uint64_t seed, Index n) {
  const Matrix a = random_points(seed, n, n + 2);
  return a * a.transpose() / double(n);
}

Marginals at(const Weights& w, const Rows& phi, Of of = Of::f) { return w.predict(phi, of); }

// ------------------------------------------------------------------------------------ against definitions

TEST(Weights, PosteriorByDefinition) {
  for (const Index n : {1, 3, 5, 40}) {
    const auto [phi, y] = problem(10, n, 5);
    const Vector m0 = random_points(20, 5, 1);
    const Matrix s = random_covariance(21, 5);
    const double noise = 0.3;
    const Weights w = Weights(WeightPrior::full(m0, s), NoisePrior::known(noise)).condition(phi, y);
    const Matrix covariance = inverse_of(inverse_of(s) + phi.transpose() * phi / noise);
    const Vector mean = covariance * (inverse_of(s) * m0 + phi.transpose() * y / noise);
    EXPECT_TRUE(near(w.mean(), mean, 1e-11));
    EXPECT_TRUE(near(w.covariance(), covariance, 1e-11));
    EXPECT_TRUE(near(w.sd(), covariance.diagonal().cwiseSqrt(), 1e-11));
    const Matrix c = phi * s * phi.transpose() + noise * Matrix::Identity(n, n);
    EXPECT_NEAR(w.log_evidence(), test::log_density(y - phi * m0, c), 1e-10);
    const Matrix new_rows = random_points(22, 7, 5);
    EXPECT_TRUE(near(at(w, new_rows).mean, new_rows * mean, 1e-11));
    const Matrix joint = new_rows * covariance * new_rows.transpose();
    EXPECT_TRUE(near(at(w, new_rows, Of::y).variance, joint.diagonal().array() + noise, 1e-11));
    EXPECT_TRUE(near(w.joint(new_rows).covariance(), joint, 1e-10));
    EXPECT_NEAR(w.log_volume(), 0.5 * std::log(determinant_of(covariance)), 1e-10);
    EXPECT_EQ(w.freedom(), infinity);
  }
}

TEST(Weights, UnknownNoiseByDefinition) {
  const auto [phi, y] = problem(30, 25, 4);
  const Matrix v = random_covariance(31, 4);
  const Vector m0 = random_points(32, 4, 1);
  const double shape = 2.5, rate = 0.7;
  const Weights w = Weights(WeightPrior::full(m0, v), NoisePrior::gamma(shape, rate)).condition(phi, y);
  const Matrix unit = Matrix::Identity(25, 25) + phi * v * phi.transpose();  // y ~ t with this as its shape
  const Vector off = y - phi * m0;
  const double quadratic = off.dot(inverse_of(unit) * off);
  EXPECT_NEAR(w.freedom(), 2 * shape + 25, 1e-12);
  EXPECT_NEAR(w.noise_variance(), (2 * rate + quadratic) / (2 * shape + 25), 1e-11);
  const double evidence = std::lgamma(shape + 12.5) - std::lgamma(shape) + shape * std::log(rate) -
                          (shape + 12.5) * std::log(rate + 0.5 * quadratic) -
                          12.5 * std::log(2 * std::numbers::pi) - 0.5 * std::log(determinant_of(unit));
  EXPECT_NEAR(w.log_evidence(), evidence, 1e-9);
  const Matrix unit_covariance = inverse_of(inverse_of(v) + phi.transpose() * phi);
  EXPECT_TRUE(near(w.covariance(), w.noise_variance() * unit_covariance, 1e-11));
}

TEST(Weights, LeastSquaresByTheTextbook) {
  const auto [phi, y] = problem(40, 30, 4);
  const Weights w = least_squares(phi, y);
  const Vector beta = test::qr_solved(phi, y);
  const double s2 = (y - phi * beta).squaredNorm() / 26;
  EXPECT_TRUE(near(w.mean(), beta, 1e-13));
  EXPECT_EQ(w.freedom(), 26);
  EXPECT_NEAR(w.noise_variance(), s2, 1e-13);
  EXPECT_TRUE(near(w.covariance(), s2 * inverse_of(phi.transpose() * phi), 1e-12));
}

// A vague prior is the limit, not a small ridge.
TEST(Weights, FlatIsTheLimitOfWidePriors) {
  const auto [phi, y] = problem(50, 30, 3);
  const Weights flat = Weights(WeightPrior::flat(3), NoisePrior::known(0.25)).condition(phi, y);
  double before = infinity;
  for (const double variance : {1e2, 1e4, 1e6}) {
    const Weights wide =
        Weights(WeightPrior::isotropic(3, variance), NoisePrior::known(0.25)).condition(phi, y);
    const double off = (wide.mean() - flat.mean()).norm();
    EXPECT_LT(off, 0.02 * before) << variance;
    before = off;
  }
  EXPECT_TRUE(near(flat.mean(), least_squares(phi, y).mean(), 1e-12));
}

TEST(Weights, SomeFlatSomeNot) {
  auto [phi, y] = problem(60, 30, 4);
  phi.col(0).setOnes();
  const Vector variances = (Vector(4) << infinity, 2, 0.5, 1).finished();
  const Weights mixed = Weights(WeightPrior::each(variances), NoisePrior::known(0.25)).condition(phi, y);
  Matrix precision = phi.transpose() * phi / 0.25;
  precision.diagonal().tail(3) += variances.tail(3).cwiseInverse();
  EXPECT_TRUE(near(mixed.mean(), inverse_of(precision) * (phi.transpose() * y / 0.25), 1e-12));
  const Matrix tail = phi.rightCols(3);
  const Matrix c = tail * variances.tail(3).asDiagonal() * tail.transpose() + 0.25 * Matrix::Identity(30, 30);
  const Vector ones = Vector::Ones(30);
  const double level = ones.dot(inverse_of(c) * y) / ones.dot(inverse_of(c) * ones);
  EXPECT_NEAR(mixed.log_evidence(), test::log_density(y.array() - level, c), 1e-9);
}

// ---------------------------------------------------------------------------------------------- identities

TEST(Weights, EvidenceIsTheSumOfOneStepAheadPredictions) {
  const auto [phi, y] = problem(70, 40, 3);
  Weights known(WeightPrior::isotropic(3, 2.0), NoisePrior::known(0.3));
  Weights unknown(WeightPrior::isotropic(3, 2.0), NoisePrior::gamma(1.5, 0.4));
  double sum_known = 0, sum_unknown = 0;
  for (Index i = 0; i < 40; ++i) {
    const Marginals a = known.predict(phi.row(i), Of::y), b = unknown.predict(phi.row(i), Of::y);
    sum_known += test::log_density(y[i], a.mean[0], a.variance[0]);
    const double f = unknown.freedom(), t = (y[i] - b.mean[0]) / b.sd()[0];
    sum_unknown += std::lgamma((f + 1) / 2) - std::lgamma(f / 2) -
                   0.5 * std::log(f * std::numbers::pi * b.variance[0]) - (f + 1) / 2 * std::log1p(t * t / f);
    known = known.condition(phi.row(i), y.segment(i, 1));
    unknown = unknown.condition(phi.row(i), y.segment(i, 1));
  }
  EXPECT_NEAR(known.log_evidence(), sum_known, 1e-10);
  EXPECT_NEAR(unknown.log_evidence(), sum_unknown, 1e-10);
}

TEST(Weights, LeaveOneOutIsSoManyRefits) {
  for (const bool known : {true, false})
    for (const bool flat : {true, false}) {
      const auto [phi, y] = problem(80, 12, 3);
      const Weights prior(flat ? WeightPrior::flat(3) : WeightPrior::isotropic(3, 1.5),
                          known ? NoisePrior::known(0.4) : NoisePrior::unknown());
      const LeaveOneOut loo = prior.condition(phi, y).leave_one_out(internal::row_blocks(phi), y);
      for (Index i = 0; i < 12; ++i) {
        Matrix rest(11, 3);
        Vector others(11);
        rest << phi.topRows(i), phi.bottomRows(11 - i);
        others << y.head(i), y.tail(11 - i);
        const Marginals m = prior.condition(rest, others).predict(phi.row(i), Of::y);
        EXPECT_NEAR(loo.mean[i], m.mean[0], 1e-11);
        EXPECT_NEAR(loo.variance[i], m.variance[0], 1e-11);
      }
    }
}

TEST(Weights, OnlineIsBatchAndOrderDoesNotMatter) {
  const auto [phi, y] = problem(90, 10000, 8, 0.5, 3.0);
  for (const bool flat : {true, false}) {
    const Weights prior(flat ? WeightPrior::flat(8) : WeightPrior::isotropic(8, 0.5), NoisePrior::unknown());
    const Weights batch = prior.condition(phi, y);
    Weights forwards = prior, backwards = prior;
    for (Index i = 0; i < 10000; ++i) {
      forwards = forwards.condition(phi.row(i), y.segment(i, 1));
      backwards = backwards.condition(phi.row(9999 - i), y.segment(9999 - i, 1));
    }
    for (const Weights& online : {forwards, backwards}) {
      EXPECT_TRUE(near(online.mean(), batch.mean(), 1e-10));
      EXPECT_TRUE(near(online.covariance(), batch.covariance(), 1e-10));
      EXPECT_NEAR(online.log_evidence(), batch.log_evidence(), 1e-10 * std::abs(batch.log_evidence()));
      EXPECT_NEAR(online.noise_variance(), batch.noise_variance(), 1e-10);
      EXPECT_EQ(online.how(), "rotations");
    }
  }
}

TEST(Weights, ContractsAsRowsArrive) {
  const auto [phi, y] = problem(100, 60, 3);
  Weights w(WeightPrior::isotropic(3, 1), NoisePrior::known(0.25));
  for (Index i = 0; i < 60; ++i) {
    const Weights next = w.condition(phi.row(i), y.segment(i, 1));
    EXPECT_LT(next.log_volume(), w.log_volume());
    w = next;
  }
}

TEST(Weights, ForgettingWeighsOldRowsLess) {
  const auto [phi, y] = problem(110, 50, 3);
  const double forget = 0.9;
  const Weights w = Weights(WeightPrior::flat(3)).condition(phi, y, {.forget = forget});
  Vector weights(50);
  for (Index i = 0; i < 50; ++i) weights[i] = std::pow(forget, double(49 - i) / 2);
  const Vector expected = test::qr_solved(weights.asDiagonal() * phi, weights.cwiseProduct(y));
  EXPECT_TRUE(near(w.mean(), expected, 1e-12));
  EXPECT_NEAR(w.rows(), (1 - std::pow(forget, 50)) / (1 - forget), 1e-10);
  EXPECT_NEAR(w.freedom(), w.rows() - 3, 1e-10);
  EXPECT_TRUE(std::isnan(w.log_evidence()));
}

TEST(Weights, BatchesOfAnySizeGiveTheSameBits) {
  const auto [phi, y] = problem(120, 80, 6);
  const Weights w = least_squares(phi, y);
  const Matrix rows = random_points(121, 200, 6);
  const Marginals all = w.predict(rows);
  for (const Index size : {1, 7, 64}) {
    for (Index i = 0; i < 200; i += size) {
      const Index q = std::min(size, 200 - i);
      const Marginals some = w.predict(rows.middleRows(i, q));
      EXPECT_TRUE(test::same_bits(some.mean, all.mean.segment(i, q)));
      EXPECT_TRUE(test::same_bits(some.variance, all.variance.segment(i, q)));
    }
  }
}

TEST(Weights, NormalEquationsAgreeWithReflections) {
  const auto [phi, y] = problem(130, 3000, 240);
  const Weights prior(WeightPrior::isotropic(240, 0.7), NoisePrior::known(0.3));
  using By = ConditionOptions::By;
  const Weights normal = prior.condition(phi, y),
                reflected = prior.condition(phi, y, {.by = By::reflections});
  EXPECT_TRUE(normal.how().starts_with("normal equations")) << normal.how();
  EXPECT_EQ(reflected.how(), "reflections");
  EXPECT_TRUE(near(normal.mean(), reflected.mean(), 1e-11));
  EXPECT_TRUE(near(normal.covariance(), reflected.covariance(), 1e-11));
  EXPECT_NEAR(normal.log_evidence(), reflected.log_evidence(), 1e-9);
}

// An offset makes the normal equations ill-conditioned: they are not taken by themselves.
TEST(Weights, NormalEquationsAreLeftWhereTheyLoseDigits) {
  const auto [phi, y] = problem(140, 1000, 240, 0.5, 1e6);
  const Weights w = Weights(WeightPrior::isotropic(240, 1), NoisePrior::known(0.3)).condition(phi, y);
  EXPECT_EQ(w.how(), "reflections");
}

/// The largest differences of everything that two posteriors say.
void expect_same(const Weights& a, const Weights& b, const Matrix& at, double tolerance) {
  EXPECT_TRUE(near(a.predict(at).mean, b.predict(at).mean, tolerance));
  EXPECT_TRUE(near(a.joint(at).covariance(), b.joint(at).covariance(), tolerance));
  EXPECT_NEAR(a.log_evidence(), b.log_evidence(), tolerance * std::abs(a.log_evidence()));
  EXPECT_NEAR(a.noise_variance(), b.noise_variance(), tolerance * a.noise_variance());
  EXPECT_EQ(a.freedom(), b.freedom());
}

void expect_same_left_out(const Weights& a, const Weights& b, const Matrix& phi, const Vector& y) {
  const LeaveOneOut one = a.leave_one_out(internal::row_blocks(phi), y),
                    two = b.leave_one_out(internal::row_blocks(phi), y);
  EXPECT_TRUE(near(one.mean, two.mean, 1e-9));
  EXPECT_TRUE(near(one.variance, two.variance, 1e-9));
}

// Weight space and function space are one posterior seen from two sides.
TEST(Weights, BothSidesAgree) {
  for (const double offset : {0.0, 1e6})
    for (const Index n : {4, 10, 25})
      for (const bool intercept : {false, true})
        for (const bool known : {true, false}) {
          auto [phi, y] = problem(145, n, 10, 0.5, offset);
          Vector variances = Vector::LinSpaced(10, 0.5, 2);
          if (intercept) phi.col(0).setOnes(), variances[0] = infinity;
          const Weights prior(WeightPrior::each(variances),
                              known ? NoisePrior::known(0.3) : NoisePrior::unknown());
          const Weights weights = prior.condition(phi, y, {.side = Side::weights}),
                        functions = prior.condition(phi, y, {.side = Side::functions});
          EXPECT_FALSE(weights.on_side_of_functions());
          EXPECT_TRUE(functions.on_side_of_functions());
          EXPECT_EQ(prior.condition(phi, y).on_side_of_functions(), n < 9) << "the cheaper one";
          Matrix at = random_points(146, 5, 10).array() + offset;
          if (intercept) at.col(0).setOnes();
          SCOPED_TRACE(testing::Message() << "offset " << offset << ", n " << n << ", intercept " << intercept
                                          << ", known " << known);
          expect_same(weights, functions, at, 1e-9);
          if (offset ==
              0) {  // at 1e6 a weight alone, or 1 - leverage, has fewer digits than its features allow
            expect_same_left_out(weights, functions, phi, y);
            EXPECT_TRUE(near(weights.mean(), functions.mean(), 1e-9));
            EXPECT_TRUE(near(weights.covariance(), functions.covariance(), 1e-9));
            EXPECT_NEAR(weights.log_volume(), functions.log_volume(), 1e-9);
          }
        }
}

TEST(Weights, BothSidesAgreeUnderAFullPrior) {
  const auto [phi, y] = problem(147, 6, 9);
  const Weights prior(WeightPrior::full(random_points(148, 9, 1), random_covariance(149, 9)),
                      NoisePrior::known(0.2));
  expect_same(prior.condition(phi, y, {.side = Side::weights}), prior.condition(phi, y),
              random_points(150, 4, 9), 1e-9);
}

/// Phi'(y - Phi w) = w / prior variances, to rounding, however different these are.
TEST(Weights, TheSideOfTheFunctionsEndsWhereTheSlopeIsNothing) {
  for (const Index n : {10, 25}) {
    const auto [phi, y] = problem(154, n, 10);
    Vector variances(10);
    for (Index j = 0; j < 10; ++j) variances[j] = std::pow(10.0, double(j) + 5);
    const Vector w = Weights(WeightPrior::each(variances), NoisePrior::known(1))
                         .condition(phi, y, {.side = Side::functions})
                         .mean();
    const Vector slope = phi.transpose() * (y - phi * w) - w.cwiseQuotient(variances);
    EXPECT_LT(slope.cwiseAbs().maxCoeff(), 1e-14 * phi.norm() * y.norm()) << n;
  }
}

TEST(Weights, TheSideOfTheFunctionsRefuses) {
  const auto [phi, y] = problem(151, 6, 9);
  EXPECT_NE(
      error_of([&] { (void)Weights(WeightPrior::flat(9)).condition(phi, y, {.side = Side::functions}); },
               Problem::usage)
          .find("9 weights without a prior"),
      std::string::npos);
  const Weights w = Weights(WeightPrior::isotropic(9, 1), NoisePrior::known(1)).condition(phi, y);
  error_of([&] { (void)w.condition(phi, y, {.side = Side::functions}); }, Problem::usage);
}

TEST(Weights, FurtherRowsAfterTheSideOfTheFunctions) {
  const auto [phi, y] = problem(152, 8, 9);
  const Weights prior(WeightPrior::isotropic(9, 1), NoisePrior::known(1));
  const Weights some = prior.condition(phi.topRows(5), y.head(5));
  EXPECT_TRUE(some.on_side_of_functions());
  const Weights all = some.condition(phi.bottomRows(3), y.tail(3));
  EXPECT_EQ(all.rows(), 8);
  expect_same(all, prior.condition(phi, y), random_points(153, 4, 9), 1e-11);
}

TEST(Weights, SamplesHaveTheDistribution) {
  const auto [phi, y] = problem(150, 15, 2);
  const Index draws = 40000;
  for (const int kind : {0, 1, 2, 3}) {
    const bool known = kind % 2 == 0;
    const Weights w =
        Weights(WeightPrior::isotropic(2, 1), known ? NoisePrior::known(0.3) : NoisePrior::gamma(3, 1))
            .condition(phi, y, {.side = kind < 2 ? Side::weights : Side::functions});
    const Matrix s = w.sample(draws, 1);
    const double widened = known ? 1 : w.freedom() / (w.freedom() - 2);  // a t has more variance than scale^2
    const Matrix centered = s.colwise() - w.mean();
    EXPECT_LT((s.rowwise().mean() - w.mean()).cwiseQuotient(w.sd()).norm(), 5 / std::sqrt(double(draws)));
    EXPECT_TRUE(near(centered * centered.transpose() / double(draws), widened * w.covariance(), 0.05));
    const Matrix lines = w.sample(phi.topRows(3), draws, 2, Of::y);
    const Vector variance =
        (lines.colwise() - at(w, phi.topRows(3)).mean).rowwise().squaredNorm() / double(draws);
    EXPECT_TRUE(near(variance, widened * at(w, phi.topRows(3), Of::y).variance, 0.05));
  }
}

// Student intervals hold what they say: 20 000 data sets of 8 rows, within three binomial deviations.
TEST(Weights, StudentIntervalsCover) {
  const Index sets = 20000, n = 8;
  const Vector truth = (Vector(2) << 1.0, -2.0).finished();
  const std::vector<double> percents{50, 90, 95, 99};
  Matrix inside = Matrix::Zero(4, 3);  // of f, of y, of a weight
  Random rng(7);
  for (Index s = 0; s < sets; ++s) {
    Matrix phi(n + 1, 2);
    phi << Vector::Ones(n + 1), rng.normal(n + 1, 1);
    const Vector f = phi * truth, y = f + 0.7 * rng.normal(n + 1, 1);
    const Weights w = least_squares(phi.topRows(n), y.head(n));
    const Marginals of_f = w.predict(phi.bottomRows(1)), of_y = w.predict(phi.bottomRows(1), Of::y);
    for (size_t k = 0; k < percents.size(); ++k) {
      const double q = internal::interval_quantile(percents[k], w.freedom());
      inside(Index(k), 0) += std::abs(f[n] - of_f.mean[0]) <= q * of_f.sd()[0];
      inside(Index(k), 1) += std::abs(y[n] - of_y.mean[0]) <= q * of_y.sd()[0];
      const Matrix weights = w.intervals(percents[k]);
      inside(Index(k), 2) += weights(1, 0) <= truth[1] && truth[1] <= weights(1, 1);
    }
  }
  for (size_t k = 0; k < percents.size(); ++k) {
    const double p = percents[k] / 100, deviation = std::sqrt(p * (1 - p) / double(sets));
    for (Index c = 0; c < 3; ++c)
      EXPECT_NEAR(inside(Index(k), c) / double(sets), p, 3 * deviation) << percents[k] << " % of " << c;
  }
}

// ----------------------------------------------------------------------------------------------- bad input

TEST(Weights, RankDeficientTakesTheSmallest) {
  auto [phi, y] = problem(160, 20, 4);
  phi.col(3) = phi.col(1);  // repeated
  const Weights w = least_squares(phi, y);
  EXPECT_EQ(w.rank(), 3);
  EXPECT_EQ(w.undetermined(), (std::vector<Index>{1, 3}));
  EXPECT_NEAR(w.mean()[1], w.mean()[3], 1e-12);
  EXPECT_EQ(w.freedom(), 17);
  const Matrix three = phi.leftCols(3);
  EXPECT_TRUE(near(phi * w.mean(), three * least_squares(three, y).mean(), 1e-11));
  EXPECT_TRUE(near(at(w, phi).variance, at(least_squares(three, y), three).variance, 1e-10));
  EXPECT_EQ(w.sd()[1], infinity);
  for (const Index j : {1, 3})
    EXPECT_EQ(at(w, Matrix::Identity(4, 4).row(j)).variance[0], infinity) << "alone it is not determined";
  EXPECT_LT(w.sd()[0], 1);
}

TEST(Weights, RankDeficientIsAnErrorIfAsked) {
  auto [phi, y] = problem(161, 20, 3);
  phi.col(2).setZero();
  EXPECT_NE(error_of([&] { (void)least_squares(phi, y, Undetermined::error); }, Problem::data)
                .find("1 of 3 weights are not determined"),
            std::string::npos);
}

TEST(Weights, FewerRowsThanColumns) {
  const auto [phi, y] = problem(162, 3, 5);
  const Weights w = least_squares(phi, y);
  EXPECT_EQ(w.rank(), 3);
  EXPECT_TRUE(near(phi * w.mean(), y, 1e-11));
  EXPECT_TRUE(near(w.mean(), phi.transpose() * inverse_of(phi * phi.transpose()) * y, 1e-11))
      << "the smallest";
  EXPECT_EQ(w.freedom(), 0);
  EXPECT_TRUE(std::isnan(w.noise_variance()));
  EXPECT_NE(error_of([&] { (void)w.sample(1, 1); }, Problem::data).find("not determined"), std::string::npos);
}

TEST(Weights, PriorThatIsNotPositiveDefinite) {
  Matrix s = Matrix::Identity(2, 2);
  s(0, 1) = s(1, 0) = 2;
  EXPECT_NE(error_of([&] { (void)WeightPrior::full(Vector::Zero(2), s); }, Problem::numerical).find("-1"),
            std::string::npos);
  s(0, 1) = s(1, 0) = 1;
  EXPECT_NE(error_of([&] { (void)WeightPrior::full(Vector::Zero(2), s); }, Problem::numerical)
                .find("smallest eigenvalue"),
            std::string::npos);
  EXPECT_NE(error_of([&] { (void)WeightPrior::isotropic(2, -1); }, Problem::usage).find("weight 1"),
            std::string::npos);
}

TEST(Weights, BadArguments) {
  const auto [phi, y] = problem(163, 10, 3);
  const Weights prior(WeightPrior::flat(3));
  error_of([&] { (void)prior.condition(phi.leftCols(2), y); }, Problem::usage);
  error_of([&] { (void)prior.condition(phi, y.head(9)); }, Problem::usage);
  error_of([&] { (void)prior.condition(phi, y, {.forget = 0}); }, Problem::usage);
  error_of([&] { (void)prior.condition(phi, y).predict(phi.leftCols(2)); }, Problem::usage);
  error_of([] { (void)NoisePrior::known(0); }, Problem::usage);
  error_of([] { (void)NoisePrior::gamma(1, -1); }, Problem::usage);
  Matrix bad = phi;
  bad(4, 1) = std::nan("");
  EXPECT_NE(error_of([&] { (void)prior.condition(bad, y); }, Problem::data).find("row 5"), std::string::npos);
}

}  // namespace
}  // namespace covary::linear_test
