// Covariances from past readings: against the textbook where nothing is missing, and what gaps, few times and
// shrinkage do to them.
#include "covary/place/history.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "covary/kernels/stationary.h"
#include "support.h"

namespace covary::test::place_history_test {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// Places on a line whose field is smooth.
Matrix true_covariance(Index n) {
  const Matrix x = Vector::LinSpaced(n, 0, 3);
  return covariance(se(1.0), x, Vector::Constant(n, 0.05));
}

/// T rows of N(3, c).
Matrix simulated(const Matrix& c, Index times, std::uint64_t seed) {
  Random rng(seed);
  const Matrix l = c.llt().matrixL();
  return (rng.normal(times, c.rows()) * l.transpose()).array() + 3;
}

Matrix textbook(const Matrix& r) {
  const Matrix d = r.rowwise() - r.colwise().mean();
  return d.transpose() * d / double(r.rows() - 1);
}

double smallest_eigenvalue(const Matrix& s) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(s).eigenvalues()[0];
}

TEST(PlaceHistory, WithoutGapsItIsTheTextbooksWithDivisorTimesLessOne) {
  const Matrix r = simulated(true_covariance(7), 40, 1);
  const HistoryCovariance h = from_history(r, {.shrinkage = 0});
  EXPECT_TRUE(near(h.mean, r.colwise().mean().transpose(), 1e-14));
  EXPECT_TRUE(near(h.covariance, textbook(r), 1e-13));
  EXPECT_EQ(h.times, 40);
  EXPECT_FALSE(h.singular);
  EXPECT_TRUE(h.notes.empty());
}

TEST(PlaceHistory, ACovarianceWithGapsIsThatOfTheTimesTwoPlacesShare) {
  Matrix r = simulated(true_covariance(5), 60, 2);
  for (Index t = 0; t < 20; ++t) r(t, 1) = missing;
  for (Index t = 50; t < 60; ++t) r(t, 3) = missing;
  const HistoryCovariance h = internal::sample_covariance(r);
  EXPECT_NEAR(h.covariance(1, 3), textbook(r.middleRows(20, 30))(1, 3), 1e-12);
  EXPECT_NEAR(h.covariance(0, 2), textbook(r)(0, 2), 1e-12);
  EXPECT_NEAR(h.mean[1], r.col(1).tail(40).mean(), 1e-13);
  EXPECT_TRUE(mentions(h.notes, "30 of 300 readings are missing"));
}

TEST(PlaceHistory, PlacesAreKeptThatShareTwoTimesWithAllOthers) {
  Matrix r = simulated(true_covariance(5), 8, 3);
  EXPECT_EQ(internal::places_with_history(r), (std::vector<Index>{0, 1, 2, 3, 4}));
  r.col(2).tail(7).setConstant(missing);  // one reading
  r.col(1).head(4).setConstant(missing);  // 1 and 3 never at the same time
  r.col(3).tail(4).setConstant(missing);
  EXPECT_EQ(internal::places_with_history(r), (std::vector<Index>{0, 1, 4}));
  r.setConstant(missing);
  EXPECT_TRUE(internal::places_with_history(r).empty());
}

TEST(PlaceHistory, GapsThatDoNotFitTogetherAreMadePositiveSemiDefiniteAndSaid) {
  Matrix r = Matrix::Constant(12, 3, missing);  // a and b agree, b and c agree, a and c are opposite
  for (Index t = 0; t < 4; ++t) r(t, 0) = r(t, 1) = double(t % 4);
  for (Index t = 4; t < 8; ++t) r(t, 1) = r(t, 2) = double(t % 4);
  for (Index t = 8; t < 12; ++t) r(t, 0) = double(t % 4), r(t, 2) = 3 - double(t % 4);
  const HistoryCovariance h = internal::sample_covariance(r);
  EXPECT_GE(smallest_eigenvalue(h.covariance), -1e-12 * h.covariance.norm());
  EXPECT_TRUE(h.singular);
  EXPECT_TRUE(mentions(h.notes, "negative eigenvalues were set to 0"));
  EXPECT_NE(error_of([&] { from_history(r, {.shrinkage = 0}); }, Problem::data).find("gaps"),
            std::string::npos);
}

TEST(PlaceHistory, ShrinkageKeepsVariancesAndScalesCovariances) {
  const Matrix r = simulated(true_covariance(6), 30, 3), s = textbook(r);
  const Matrix c = from_history(r, {.shrinkage = 0.3}).covariance;
  EXPECT_TRUE(near(c.diagonal(), s.diagonal(), 1e-13));
  EXPECT_NEAR(c(1, 4), 0.7 * s(1, 4), 1e-13);
}

TEST(PlaceHistory, ShrinkageGoesToTheTargetThatIsGiven) {
  const Matrix target = true_covariance(6), r = simulated(target, 30, 3);
  EXPECT_TRUE(near(from_history(r, {.shrinkage = 1, .target = target}).covariance, target, 1e-15));
  const Matrix half = from_history(r, {.shrinkage = 0.5, .target = target}).covariance;
  EXPECT_TRUE(near(half, 0.5 * (textbook(r) + target), 1e-13));
}

/// KL(N(0, truth) || N(0, c)), in nats.
double loss(const Matrix& truth, const Matrix& c) {
  const Eigen::LLT<Matrix> l(c);
  const double logs = 2 * l.matrixLLT().diagonal().array().log().sum() -
                      2 * truth.llt().matrixLLT().diagonal().array().log().sum();
  return 0.5 * (l.solve(truth).trace() - double(c.rows()) + logs);
}

TEST(PlaceHistory, TheChosenShrinkageIsNearerToTheTruthThanNoneOrAll) {
  const Matrix truth = true_covariance(15);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Matrix r = simulated(truth, 25, 100 + seed);
    const HistoryCovariance h = from_history(r);
    EXPECT_GT(h.shrinkage, 0);
    EXPECT_LT(h.shrinkage, 1);
    EXPECT_LT(loss(truth, h.covariance), loss(truth, textbook(r)));
    EXPECT_LT(loss(truth, h.covariance), loss(truth, from_history(r, {.shrinkage = 1}).covariance));
  }
}

TEST(PlaceHistory, ManyTimesNeedLittleShrinkageAndFewMore) {
  const Matrix truth = true_covariance(8);
  const double few = from_history(simulated(truth, 20, 5)).shrinkage;
  const double many = from_history(simulated(truth, 3000, 5)).shrinkage;
  EXPECT_LT(many, few);
  EXPECT_LE(many, 0.0025);
}

TEST(PlaceHistory, TheScoreIsTheLogDensityOfTimesLeftOutInRuns) {
  const Matrix r = simulated(true_covariance(4), 23, 6);
  const internal::ChosenShrinkage c = internal::choose_shrinkage(r, {.nugget = 0.02});
  double sum = 0;
  for (Index f = 0; f < 5; ++f) {
    const Index first = f * 23 / 5, count = (f + 1) * 23 / 5 - first;
    Matrix rest(23 - count, 4);
    rest << r.topRows(first), r.bottomRows(23 - first - count);
    Matrix s = textbook(rest);
    const double w = c.tried[7];
    const Matrix diagonal = s.diagonal().asDiagonal();
    s = (1 - w) * s + w * diagonal + 0.02 * Matrix::Identity(4, 4);
    for (Index t = first; t < first + count; ++t)
      sum += log_density(r.row(t).transpose() - rest.colwise().mean().transpose(), s);
  }
  EXPECT_NEAR(c.scores[7], sum / (23 * 4), 1e-12);
  Index best = 0;
  c.scores.maxCoeff(&best);
  EXPECT_EQ(c.tried[best], c.shrinkage);
}

TEST(PlaceHistory, GapsAreSkippedWhenShrinkageIsChosen) {
  Matrix r = simulated(true_covariance(6), 60, 8);
  Random rng(9);
  for (int i = 0; i < 40; ++i) r(rng.integer(60), rng.integer(6)) = missing;
  const HistoryCovariance h = from_history(r);
  EXPECT_TRUE(h.scores.tail(15).allFinite());
  EXPECT_TRUE(mentions(h.notes, "shrinkage"));
}

TEST(PlaceHistory, FewerTimesThanPlacesAreRefusedUnlessSomethingMendsThem) {
  const Matrix r = simulated(true_covariance(12), 9, 10);
  const std::string e = error_of([&] { from_history(r, {.shrinkage = 0}); }, Problem::data);
  EXPECT_NE(e.find("9 times are too few for the covariances of 12 places"), std::string::npos) << e;
  EXPECT_NE(e.find("shrinkage above 0, a nugget"), std::string::npos) << e;
  EXPECT_NO_THROW(from_history(r, {.shrinkage = 0, .nugget = 0.1}));
  EXPECT_NO_THROW(from_history(r, {.shrinkage = 0.1}));
  EXPECT_NO_THROW(from_history(r, {.shrinkage = 0, .may_be_singular = true}));
}

TEST(PlaceHistory, FewerTimesThanPlacesGetAShrinkageAboveZero) {
  const HistoryCovariance h = from_history(simulated(true_covariance(30), 20, 11));
  EXPECT_GT(h.shrinkage, 0);
  EXPECT_GT(smallest_eigenvalue(h.covariance), 0);
  EXPECT_EQ(h.scores[0], -std::numeric_limits<double>::infinity());
}

TEST(PlaceHistory, APlaceWithoutReadingsIsNamed) {
  Matrix r = simulated(true_covariance(3), 12, 12);
  r.col(1).setConstant(missing);
  EXPECT_NE(error_of(
                [&] {
                  internal::sample_covariance(r, {"hall", "roof", "cellar"});
                },
                Problem::data)
                .find("'roof'"),
            std::string::npos);
  r(4, 1) = 2;
  EXPECT_NE(error_of([&] { internal::sample_covariance(r); }, Problem::data).find("place 2"),
            std::string::npos);
}

TEST(PlaceHistory, TwoPlacesThatWereNeverReadTogetherAreNamed) {
  Matrix r = simulated(true_covariance(3), 12, 13);
  for (Index t = 0; t < 12; ++t) r(t, t < 6 ? 0 : 2) = missing;
  const std::string e = error_of(
      [&] {
        internal::sample_covariance(r, {"hall", "roof", "cellar"});
      },
      Problem::data);
  EXPECT_NE(e.find("read together never"), std::string::npos) << e;
  EXPECT_NE(e.find("'hall'"), std::string::npos) << e;
  EXPECT_NE(e.find("'cellar'"), std::string::npos) << e;
}

TEST(PlaceHistory, OptionsOutOfRangeAreRefused) {
  const Matrix r = simulated(true_covariance(3), 12, 14);
  EXPECT_NE(error_of([&] { from_history(r, {.shrinkage = 1.5}); }, Problem::usage).find("0 to 1"),
            std::string::npos);
  EXPECT_NE(
      error_of([&] { from_history(r, {.target = Matrix::Identity(2, 2)}); }, Problem::usage).find("3 x 3"),
      std::string::npos);
  EXPECT_NE(error_of([&] { from_history(r, {.nugget = -1}); }, Problem::usage).find("nugget"),
            std::string::npos);
  EXPECT_NE(error_of([&] { from_history(r.topRows(1)); }, Problem::data).find("at least 2"),
            std::string::npos);
  EXPECT_NE(error_of([&] { from_history(r.topRows(8)); }, Problem::data).find("10 are needed"),
            std::string::npos);
}

TEST(PlaceHistory, ThreadsDoNotChangeWhatIsChosen) {
  const Matrix r = simulated(true_covariance(10), 40, 15);
  EXPECT_TRUE(same_bits(from_history(r, {.threads = 1}).scores, from_history(r, {.threads = 4}).scores));
}

}  // namespace
}  // namespace covary::test::place_history_test
