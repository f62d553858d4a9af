#include "covary/select/risk.h"

#include <fmt/format.h>

#include "covary/base/parallel.h"
#include "covary/select/machines.h"
#include "covary/select/selector.h"
#include "support.h"

namespace covary::risk_test {
namespace {

TEST(Risk, EqualProbabilitiesGiveTheNaiveOne) {
  Random rng(1);
  std::vector<SampledLoss> labels, shares;
  for (Index i = 0; i < 40; ++i) {
    labels.push_back({std::pow(rng.normal(), 2), 1 / double(100 - i), 100 - i});
    shares.push_back({double(rng.uniform() < 0.3), 1 / double(100 - i), 100 - i});
  }
  for (const auto& some : {labels, shares}) {
    const Risk r = risk(some);
    EXPECT_DOUBLE_EQ(r.corrected, r.naive);
    EXPECT_DOUBLE_EQ(r.standard_error, r.naive_error);
    EXPECT_NEAR(r.lower, r.naive_lower, 1e-12);
    EXPECT_NEAR(r.upper, r.naive_upper, 1e-12);
    EXPECT_NEAR(r.effective, 40, 1e-9);
  }
}

TEST(Risk, TheErrorOfSquaresIsThatOfAVariance) {
  // Losses 0 and 4 by turns: mean 2, and at most effective - 1 = 9 degrees of freedom.
  std::vector<SampledLoss> labels;
  for (Index i = 0; i < 10; ++i) labels.push_back({i % 2 ? 4.0 : 0.0, 0.5, 2});
  const Risk r = risk(labels);
  EXPECT_NEAR(r.lower, 2 * 9 / 19.02276780, 1e-6);  // chi-square quantiles of 9
  EXPECT_NEAR(r.upper, 2 * 9 / 2.700389500, 1e-6);
}

TEST(Risk, RareErrorsAreCovered) {
  // 25 labels by chance, each wrong with a small probability: the levels hold without the dips of Wilson's.
  Random rng(3);
  for (const double share : {0.01, 0.02, 0.03, 0.05, 0.1, 0.9, 0.97}) {
    int held = 0;
    for (int s = 0; s < 1000; ++s) {
      std::vector<SampledLoss> labels(25);
      for (SampledLoss& f : labels) f = {double(rng.uniform() < share), 0.01, 100};
      const Risk r = risk(labels);
      held += r.lower <= share && share <= r.upper;
    }
    EXPECT_GE(held, 1000 * (0.95 - 3 * std::sqrt(0.95 * 0.05 / 1000))) << share;
  }
}

TEST(Risk, Text) {
  std::vector<SampledLoss> labels;
  for (Index i = 0; i < 10; ++i) labels.push_back({double(i == 0), 0.5, 2});
  EXPECT_TRUE(risk(labels, 80).text().starts_with("0.1 (80 %: ")) << risk(labels, 80).text();
  EXPECT_TRUE(risk(labels, 80).text().ends_with("; naive 0.1)")) << risk(labels, 80).text();
}

TEST(Risk, UnbiasedFromUnequalProbabilities) {
  constexpr Index pool = 50, labels = 400, simulations = 400;
  Random rng(2);
  Vector loss(pool), chance(pool);
  for (Index i = 0; i < pool; ++i) {  // large losses are looked for
    loss[i] = std::pow(rng.normal(), 2);
    chance[i] = 0.2 + loss[i];
  }
  chance /= chance.sum();
  const auto drawn = [&] {
    double u = rng.uniform();
    Index i = 0;
    while (i + 1 < pool && (u -= chance[i]) > 0) ++i;
    return i;
  };
  Vector corrected(simulations), naive(simulations);
  for (Index s = 0; s < simulations; ++s) {
    std::vector<SampledLoss> seen;
    for (Index t = 0; t < labels; ++t) {
      const Index i = drawn();
      seen.push_back({loss[i], chance[i], pool});
    }
    const Risk r = risk(seen);
    corrected[s] = r.corrected, naive[s] = r.naive;
  }
  const double sd = std::sqrt((corrected.array() - corrected.mean()).square().mean());
  EXPECT_NEAR(corrected.mean(), loss.mean(), 4 * sd / std::sqrt(double(simulations)));
  EXPECT_GT(naive.minCoeff(), 1.2 * loss.mean());
}

/// One run of a loop: what was foreseen, and the mean loss over the open candidates, averaged over the run.
struct Told {
  std::vector<SampledLoss> seen;
  double truth = 0;
};

Told told(Selector& s, const Vector& y, Index start, Index labels, const std::function<Vector()>& losses) {
  Told out;
  for (Index i = 0; i < start; ++i) s.tell(i, y[i]);
  for (Index t = 0; t < labels; ++t) {
    const Vector loss = losses();
    double sum = 0;
    for (Index i = 0; i < y.size(); ++i) sum += s.is_open(i) ? loss[i] : 0;
    out.truth += sum / double(s.open()) / double(labels);
    const Choice c = s.suggest()[0];
    out.seen.push_back({loss[c.candidate], c.probability, c.open});
    s.tell(c.candidate, y[c.candidate]);
  }
  return out;
}

/// A rough function of the plane, learned by a process; squared losses.
Told squares(std::uint64_t seed) {
  Random rng(seed);
  const Matrix x = rng.normal(300, 2);
  const Process<Row> p(parse<Row>("matern12(lengthscale=1)"), zero_mean<Row>(), Noise::of(0.01));
  const Vector y = p.sample(x, 1, rng.fork()).col(0) + 0.1 * rng.normal(300, 1).col(0);
  Selector s(parse_strategy("uncertainty"), pool_of<Row>(p, x),
             {.seed = rng.fork(), .random_share = 0.3, .threads = 1});
  return told(s, y, 20, 80, [&]() -> Vector { return (s.belief().mean().col(0) - y).array().square(); });
}

/// Two classes in the plane that overlap; losses of 0 and 1.
struct TwoClasses {
  Random rng;
  Matrix x = 4 * Matrix::NullaryExpr(200, 2, [this](Index, Index) { return rng.uniform(); });
  Vector y = Vector(200);
  Process<Row> p{parse<Row>("se(lengthscale=0.5)"), zero_mean<Row>(), Noise::of(0.1)};
  explicit TwoClasses(std::uint64_t seed) : rng(seed) {
    for (Index i = 0; i < 200; ++i)
      y[i] = std::sin(2 * x(i, 0)) + std::cos(1.5 * x(i, 1)) + 0.5 * rng.normal() > 0;
  }
  Selector selector(const std::string& strategy) {
    return {parse_strategy(strategy),
            pool_of<Row>(p, x),
            {.seed = rng.fork(), .random_share = 0.3, .kinds = 2, .threads = 1}};
  }
};

Told classes_by_process(std::uint64_t seed) {
  TwoClasses c(seed);
  Selector s = c.selector("uncertainty");
  return told(s, c.y, 6, 80, [&]() -> Vector {
    return ((s.belief().mean().col(0).array() > 0).cast<double>() - c.y.array()).abs();
  });
}

Told classes_by_machine(std::uint64_t seed) {
  TwoClasses c(seed);
  Selector s = c.selector("svm-margin");
  internal::Machines machines(SvmOptions{.penalty = 10, .threads = 1});
  return told(s, c.y, 6, 80, [&]() -> Vector {
    const PoolPosterior& b = s.belief();
    machines.train(b.pool(), {b.order().begin(), b.order().begin() + b.labels()}, s.classes(), 2);
    const std::vector<Index> best = internal::winners(machines.decision(200, [&](const auto& some) {
      return b.pool().block({0, 200}, some);
    }));
    Vector out(200);
    for (Index i = 0; i < 200; ++i) out[i] = double(best[static_cast<size_t>(i)]) != c.y[i];
    return out;
  });
}

using Simulation = std::function<Told(std::uint64_t)>;

/// The shares of runs in which an interval holds the truth, for levels of 80 % and 95 %, and the naive one of
/// 95 %.
Vector covered(const Simulation& simulate, Index simulations) {
  Matrix held(simulations, 3);
  internal::parallel_for(simulations, internal::threads_or_all(0), [&](Index i) {
    const Told t = simulate(1000 + std::uint64_t(i));
    const Risk few = risk(t.seen, 80), most = risk(t.seen, 95);
    held.row(i) << double(few.lower <= t.truth && t.truth <= few.upper),
        double(most.lower <= t.truth && t.truth <= most.upper),
        double(most.naive_lower <= t.truth && t.truth <= most.naive_upper);
  });
  return held.colwise().mean();
}

void expect_covered(const Simulation& simulate, Index simulations) {
  const Vector share = covered(simulate, simulations);
  const auto within = [&](double level) { return 3 * std::sqrt(level * (1 - level) / double(simulations)); };
  EXPECT_NEAR(share[0], 0.80, within(0.80));
  EXPECT_NEAR(share[1], 0.95, within(0.95));
  EXPECT_LT(share[2], 0.5);
}

TEST(Risk, CoversSquares) { expect_covered(squares, 200); }
TEST(Risk, CoversSquaresSlow) { expect_covered(squares, 1000); }
TEST(Risk, CoversClasses) { expect_covered(classes_by_process, 200); }
TEST(Risk, CoversClassesSlow) { expect_covered(classes_by_process, 1000); }
TEST(Risk, CoversClassesOfMachines) { expect_covered(classes_by_machine, 100); }
TEST(Risk, CoversClassesOfMachinesSlow) { expect_covered(classes_by_machine, 1000); }

TEST(Risk, OneLabel) {
  EXPECT_EQ(test::error_of(
                [] {
                  risk({{0.5, 0.1, 10}});
                },
                Problem::data),
            "the risk needs at least two labels with a loss");
}

TEST(Risk, AnIntervalOfAllOrNothing) {
  const std::vector<SampledLoss> labels(20, {1, 0.1, 10});
  for (const double percent : {0.0, 100.0, 101.0, -5.0, std::nan("")})
    EXPECT_EQ(test::error_of([&] { risk(labels, percent); }, Problem::usage),
              fmt::format("an interval must lie between 0 and 100 %, found {}", percent));
}

TEST(Risk, AllWeightOnOneLabel) {
  std::vector<SampledLoss> labels(20, {1, 0.9, 1000});
  labels.push_back({0, 1e-4, 1000});
  EXPECT_EQ(test::error_of([&] { risk(labels); }, Problem::data),
            "the labels estimate the risk only as well as 1 random labels, too few: ask for a larger share "
            "of random "
            "picks");
}

TEST(Risk, NoneByChance) {
  const std::vector<SampledLoss> labels(20, {1, 1, 1000});
  EXPECT_EQ(
      test::error_of([&] { risk(labels); }, Problem::data),
      "no label was chosen at random, so the risk on the other candidates cannot be estimated: ask for a "
      "share of random picks");
}

TEST(Risk, WhatMeansNothing) {
  const SampledLoss good{0.5, 0.1, 10};
  EXPECT_EQ(test::error_of(
                [&] {
                  risk({good, {-1, 0.1, 10}});
                },
                Problem::data),
            "label 2: a loss must not be negative, found -1");
  EXPECT_EQ(test::error_of(
                [&] {
                  risk({good, {1, 0, 10}});
                },
                Problem::data),
            "label 2: expected a probability from 0 to 1 among 1 candidate or more, found 0 among 10");
  EXPECT_EQ(test::error_of(
                [&] {
                  risk({good, {1, 0.5, 0}});
                },
                Problem::data),
            "label 2: expected a probability from 0 to 1 among 1 candidate or more, found 0.5 among 0");
}

}  // namespace
}  // namespace covary::risk_test
