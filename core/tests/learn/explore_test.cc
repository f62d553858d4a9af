// The search for hyper-parameters finds optima that a single descent misses, and says how sure it is.
#include <gtest/gtest.h>

#include <numbers>

#include "covary/kernels/expression.h"
#include "covary/learn/fit.h"
#include "learn/periods/periodogram.h"
#include "support.h"

namespace covary::test::explore_test {
namespace {

/// A slow rise with a yearly wave, as CO2 at Mauna Loa has.
struct Series {
  Matrix x;
  Vector y;
};
Series rising_wave(Index n, double gap) {
  Random rng(11);
  Series s{Matrix(n, 1), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    const double t = gap * double(i);
    s.x(i, 0) = t;
    s.y[i] = 0.1 * t + 0.01 * t * t + 3 * std::sin(2 * std::numbers::pi * t) + 0.2 * rng.normal();
  }
  return s;
}

double objective(const Summary& s) { return s.log_marginal_likelihood + s.log_prior; }

// The default reaches what the right start reaches, hundreds of nats above the nearest optimum.
TEST(Explore, FindsShortLengthscalesOfALongSeries) {
  for (const Index n : {240, 600}) {
    const Series s = rising_wave(n, 1.0 / 12);
    for (const char* kernel : {"se", "rational_quadratic"}) {
      const std::string name = kernel;
      FitOptions one;
      one.starts = 1;
      const double from_default = objective(fit<Row>({parse<Row>(name + "()")}, s.x, s.y).summary);
      const double from_right =
          objective(fit<Row>({parse<Row>(name + "(lengthscale=0.3)")}, s.x, s.y, one).summary);
      EXPECT_GT(from_default, from_right - 0.01) << name << ", " << n << " rows";
    }
  }
}

// A period far from the one that is suggested by the range.
TEST(Explore, FindsThePeriod) {
  const Series s = rising_wave(240, 1.0 / 12);
  const Summary u = fit<Row>({parse<Row>("se() + periodic() * se()")}, s.x, s.y).summary;
  for (const FittedParameter& p : u.parameters)
    if (p.name.ends_with("period")) {
      EXPECT_NEAR(p.value, 1, 0.02);
    }
}

// The second half of B1: one optimum is said to be the only one if starts that were apart came to it.
TEST(Explore, CountsTheStartsThatCameTogether) {
  const Series s = rising_wave(100, 0.05);
  EXPECT_GE(fit<Row>({parse<Row>("matern52()")}, s.x, s.y).summary.basins[0].starts, 2);
  FitOptions one;
  one.starts = 1;
  const Summary single = fit<Row>({parse<Row>("matern52()")}, s.x, s.y, one).summary;
  ASSERT_EQ(single.basins.size(), 1U);
  EXPECT_EQ(single.basins[0].starts, 1);
}

TEST(Explore, StartsAlsoFromWhatOthersFound) {
  const Series s = rising_wave(120, 1.0 / 12);
  FitOptions named;
  named.starts = 1;
  named.also_from = {{{"lengthscale", 0.3}, {"variance", 10}, {"noise", 0.05}}};
  FitOptions alone;
  alone.starts = 1;
  const Model<Row> model{parse<Row>("se(lengthscale=100)")};
  EXPECT_GT(objective(fit<Row>(model, s.x, s.y, named).summary),
            objective(fit<Row>(model, s.x, s.y, alone).summary) + 1);
}

// What cannot be done in the time is refused before it begins, with the figure.
TEST(Explore, ATimeThatCannotBeKeptIsRefused) {
  const Series s = rising_wave(1500, 0.01);
  FitOptions o;
  o.max_seconds = 1e-6;
  const std::string said = error_of([&] { fit<Row>({parse<Row>("se()")}, s.x, s.y, o); }, Problem::limit);
  EXPECT_NE(said.find("1500 rows"), std::string::npos) << said;
}

TEST(Periodogram, PeaksAtThePeriodOfUnevenTimes) {
  Random rng(3);
  Vector t(150), y(150);
  for (Index i = 0; i < 150; ++i) {
    t[i] = 40 * rng.uniform();
    y[i] = 0.2 * t[i] + std::sin(2 * std::numbers::pi * t[i] / 3.7) + 0.3 * rng.normal();
  }
  const Vector periods = peak_periods(t, y);
  ASSERT_GT(periods.size(), 0);
  EXPECT_NEAR(periods[0], 3.7, 0.1);
}

TEST(Periodogram, IsTheShareThatAWaveExplains) {
  const Vector t = Vector::LinSpaced(90, 0, 10);
  const Vector y = (2 * std::numbers::pi * 0.7 * t.array() + 0.4).sin();
  EXPECT_NEAR(periodogram(t, y, Vector::Constant(1, 0.7))[0], 1, 1e-12);
  EXPECT_EQ(periodogram(t, Vector::Zero(90), Vector::Constant(1, 0.7))[0], 0);
  EXPECT_EQ(peak_periods(Vector::Ones(20), Vector::Ones(20)).size(), 0);
  EXPECT_EQ(peak_periods(Vector(0), Vector(0)).size(), 0);
}

}  // namespace
}  // namespace covary::test::explore_test
