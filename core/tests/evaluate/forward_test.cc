// Rolling-origin forecasts: what is known when, and how far ahead.
#include "covary/evaluate/forward.h"

#include <gtest/gtest.h>

#include <cmath>

#include "covary/base/error.h"
#include "covary/evaluate/cross_validation.h"
#include "covary/kernels/expression.h"

namespace covary::test::forward_test {
namespace {

/// y = sin t + noise at n times, in an order of chance; each time `repeats` times.
FittedModel series(Index n, Index repeats = 1, const Noise& noise = Noise::of(0.01)) {
  Random rng(4);
  const Index rows = n * repeats;
  Matrix x(rows, 1);
  Vector y(rows);
  for (Index i = 0; i < rows; ++i) {
    x(i, 0) = double((i * 7919) % rows / repeats) * 0.3;  // 7919 is prime
    y[i] = std::sin(x(i, 0)) + 0.1 * rng.normal();
  }
  Request request;
  request.kernel = "fixed(se(lengthscale=1))", request.noise = "0.01", request.starts = 1;
  const Process<Row> process =
      Process<Row>(parse<Row>(request.kernel), parse_mean("zero", {"t"}), noise).condition(x, y);
  return internal::fitted_model({process, {}, 1}, x, y, {"t"}, "y", request);
}

std::string refused(const FittedModel& m, const ForwardOptions& o, Problem problem) {
  try {
    (void)roll_forward(m, o);
  } catch (const Error& e) {
    EXPECT_EQ(e.problem(), problem) << e.what();
    return e.what();
  }
  return "accepted";
}

TEST(Forward, EachRowAfterTheFirstShareOnce) {
  const FittedModel m = series(40);
  const Forecasts f = roll_forward(m, {.origins = 5});
  EXPECT_EQ(f.horizon, 4);
  ASSERT_EQ(f.row.size(), 20U);
  EXPECT_EQ(f.last.size(), 5);
  for (size_t i = 0; i < f.row.size(); ++i) {
    const double t = m->x(f.row[i], 0), origin = f.last[f.origin[i]];
    EXPECT_NEAR(t - origin, 0.3 * double(f.step[i]), 1e-9);
    EXPECT_NEAR(origin, 0.3 * double(19 + 4 * f.origin[i]), 1e-9);
    EXPECT_EQ(f.observed[Index(i)], m->y[f.row[i]]);
  }
}

/// What an origin says is what a process says that knows the rows before it and no other.
TEST(Forward, KnowsThePastAlone) {
  for (const bool refit : {false, true}) {
    const FittedModel m = series(30);
    const Forecasts f = roll_forward(m, {.horizon = 3, .origins = 4, .refit = refit});
    const Process<Row> prior(parse<Row>(m->request.kernel), parse_mean("zero", {"t"}), Noise::of(0.01));
    for (size_t i = 0; i < f.row.size(); ++i) {
      std::vector<Index> past;
      for (Index r = 0; r < 30; ++r)
        if (m->x(r, 0) <= f.last[f.origin[i]]) past.push_back(r);
      const Marginals p = prior.condition(pick(m->x, past), m->y(past))
                              .predict(pick(m->x, std::vector<Index>{f.row[i]}), Of::y);
      EXPECT_NEAR(f.prediction.mean[Index(i)], p.mean[0], 1e-9);
      EXPECT_NEAR(f.prediction.sd[Index(i)], p.sd()[0], 1e-9);
    }
  }
}

TEST(Forward, RowsOfOneTimeStayTogether) {
  const FittedModel m = series(12, 3);
  const Forecasts f = roll_forward(m, {.horizon = 2, .origins = 3});
  EXPECT_EQ(f.row.size(), 3U * 2 * 3);
  for (size_t i = 0; i < f.row.size(); ++i) {
    EXPECT_GT(m->x(f.row[i], 0), f.last[f.origin[i]]);
    double sum = 0;
    for (Index r = 0; r < m->y.size(); ++r) sum += m->x(r, 0) == f.last[f.origin[i]] ? m->y[r] : 0;
    EXPECT_NEAR(f.naive[Index(i)], sum / 3, 1e-12) << "the mean of the last time";
  }
}

/// However small or large the first share: one time is known, and one is left to forecast.
TEST(Forward, TheFirstShareLeavesSomethingOnBothSides) {
  const FittedModel m = series(4);
  EXPECT_EQ(roll_forward(m, {.initial = 0.01}).row.size(), 3U);
  EXPECT_EQ(roll_forward(m, {.initial = 0.99}).row.size(), 1U);
}

TEST(Forward, ScoresByHorizonAreOfItsForecasts) {
  const FittedModel m = series(60);
  const Forecasts f = roll_forward(m, {.horizon = 11, .origins = 6});
  const std::vector<HorizonScores> all = internal::by_horizon(f);
  ASSERT_EQ(all.size(), 5U);  // 1, 2, 3-4, 5-8, 9-11
  EXPECT_EQ(all[3].from, 5);
  EXPECT_EQ(all[3].to, 8);
  EXPECT_EQ(all[4].to, 11);
  Index n = 0;
  double squares = 0;
  for (const HorizonScores& h : all)
    n += h.model.n, squares += double(h.model.n) * h.model.rmse * h.model.rmse;
  EXPECT_EQ(n, internal::overall(f).model.n);
  EXPECT_NEAR(std::sqrt(squares / double(n)), internal::overall(f).model.rmse, 1e-12);
  EXPECT_LT(all.front().model.rmse, all.back().model.rmse) << "further ahead is harder";
  EXPECT_GT(internal::overall(f).model.rmse, 2 * score(left_out(m), m->y).rmse) << "leave-one-out flatters";
}

TEST(Forward, NoiseOfEachRow) {
  const FittedModel m = series(20, 1, Noise::rows(Vector::LinSpaced(20, 0.05, 0.8)));
  const Forecasts f = roll_forward(m, {.horizon = 2, .origins = 2});
  ModelRecord quiet = m.record();
  quiet.noise = Noise::rows(Vector::LinSpaced(20, 0.05, 0.8));
  for (const Index r : f.row) quiet.noise.sd[r] = 2;  // known rows keep theirs only at the first origin
  const Forecasts g = roll_forward(FittedModel(quiet), {.horizon = 2, .origins = 2});
  const double own = m->noise.sd[f.row[0]];
  EXPECT_NEAR(std::pow(g.prediction.sd[0], 2) - 4, std::pow(f.prediction.sd[0], 2) - own * own, 1e-9);
}

TEST(Forward, Refusals) {
  const FittedModel m = series(20);
  EXPECT_NE(refused(m, {.column = 1}, Problem::usage).find("column: expected 0 to 0"), std::string::npos);
  EXPECT_NE(refused(m, {.initial = 0}, Problem::usage).find("initial"), std::string::npos);
  EXPECT_NE(refused(m, {.initial = std::nan("")}, Problem::usage).find("initial"), std::string::npos);
  EXPECT_NE(refused(m, {.horizon = 11}, Problem::usage).find("at most 10 steps"), std::string::npos);
  EXPECT_NE(refused(m, {.origins = 0}, Problem::usage).find("origins"), std::string::npos);
  EXPECT_NE(refused(series(2), {}, Problem::data).find("at least 3 different times"), std::string::npos);
  EXPECT_EQ(roll_forward(m, {.horizon = 10, .origins = 5}).last.size(), 1) << "one origin is all there is";
  EXPECT_EQ(roll_forward(series(3), {}).row.size(), 1U);
}

TEST(HeldOut, IsAPredictionOfNewObservations) {
  const FittedModel m = series(20);
  const Matrix at = Vector::LinSpaced(4, 0.1, 5);
  EXPECT_EQ(held_out(m, at).sd, m.predict(at, Of::y).sd);
  const FittedModel per_row = series(20, 1, Noise::rows(Vector::Constant(20, 0.1)));
  EXPECT_THROW((void)held_out(per_row, at), Error);
  const Prediction y = held_out(per_row, at, Vector::Constant(4, 0.1));
  EXPECT_LT((y.sd - m.predict(at, Of::y).sd).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_EQ(internal::rows_in_common(m, m->x.topRows(5), m->y.head(5)), 5);
  EXPECT_EQ(internal::rows_in_common(m, m->x.topRows(5), Vector(m->y.head(5).array() + 1e-9)), 0);
}

}  // namespace
}  // namespace covary::test::forward_test
