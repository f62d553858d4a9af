// The parts of the search for hyper-parameters, on objectives whose optimum is known.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>

#include "covary/kernels/expression.h"
#include "covary/learn/cost_estimate.h"
#include "learn/descend.h"
#include "learn/search_summary.h"
#include "support.h"

namespace covary::test::search_test {
namespace {

/// A parameter drawn from -1 to 1 in log space, of the input `column`, or of none: -1.
SearchParameter drawn_from_minus_one_to_one(const std::string& path, Index column) {
  internal::SearchParameter s;
  s.parameter.path = path, s.parameter.column = column;
  s.lower = -10, s.upper = 10, s.low = -1, s.high = 1;
  return s;
}

TEST(Starts, OnlyTheLengthscalesOfOneKernelAreScattered) {
  const std::vector<internal::SearchParameter> all{
      drawn_from_minus_one_to_one("1.variance", -1), drawn_from_minus_one_to_one("1.lengthscale", 0),
      drawn_from_minus_one_to_one("1.lengthscale", 1), drawn_from_minus_one_to_one("2.lengthscale", 0)};
  const Index count = 8;
  const std::vector<internal::Start> a = internal::drawn_starts(all, count, 1),
                                     b = internal::drawn_starts(all, count, 2);
  Matrix one(count, 4), other(count, 4);
  for (Index k = 0; k < count; ++k) {
    one.row(k) = a[static_cast<size_t>(k)].theta.transpose();
    other.row(k) = b[static_cast<size_t>(k)].theta.transpose();
  }
  for (const Index i : {0, 3}) {  // by the sequence alone, without chance
    EXPECT_EQ(one.col(i), other.col(i));
    EXPECT_LT(one.col(i).cwiseAbs().maxCoeff(), 1);
  }
  for (const Index i : {1, 2}) EXPECT_NE(one.col(i), other.col(i));
  EXPECT_NE(one.col(1), one.col(2));
}

/// Of a log-normal density exp(mean - sd^2).
TEST(WeakPriors, ShapesAndVariancesAreLikeliestAsTheDataSuggest) {
  const Vector reference = Eigen::Vector2d(0.7, -1.2);
  const std::vector<internal::SearchParameter> all =
      internal::search_parameters({{"shape", Role::shape}, {"variance", Role::variance}}, reference,
                                  reference, {}, 1, Noise::of(0.1), 1, {});
  for (Index i = 0; i < 2; ++i) {
    const internal::SearchParameter& s = all[static_cast<size_t>(i)];
    EXPECT_GT(s.prior_sd, 0);
    EXPECT_NEAR(s.prior_mean - s.prior_sd * s.prior_sd, reference[i], 1e-15);
  }
}

/// n rows of the mean square 1 under N(0, (e^t0 + e^t1) I), t1 the learned noise.
Search white(Index n) {
  internal::Search s;
  s.rows = n;
  for (const char* path : {"variance", "noise"}) {
    s.parameters.push_back(drawn_from_minus_one_to_one(path, -1));
    s.parameters.back().parameter.role = Role::variance;
  }
  s.parameters.back().parameter.role = Role::noise;
  s.objective = [n](const std::vector<Index>&) -> Objectives {
    return objectives([n](const Vector& t) {
      const double variance = t.array().exp().sum(), misfit = double(n) / variance;
      return Evaluation{-0.5 * (misfit + double(n) * std::log(variance)), {}, misfit};
    });
  };
  return s;
}

TEST(Screening, FindsTheCommonFactorOfAllVariances) {
  const internal::Search s = white(50);
  const FitOptions options;
  Watch watch(options);
  for (const double factor : {1e-3, 0.5, 2.0, 1e3}) {
    const Vector t = Vector::Constant(2, std::log(factor / 2)) + Eigen::Vector2d(0.1, -0.1);
    const Screened found = screen({s, options, watch}, all_rows(s), {{"", t}})[0];
    EXPECT_NEAR(found.start.theta.array().exp().sum(), 1, 1e-12) << factor;
    EXPECT_NEAR(found.start.theta[0] - found.start.theta[1], 0.2, 1e-12);
    EXPECT_NEAR(found.value, -25, 1e-12);
  }
  const Vector near_enough = Vector::Constant(2, std::log(1.2 / 2));
  EXPECT_EQ(screen({s, options, watch}, all_rows(s), {{"", near_enough}})[0].start.theta, near_enough);
}

/// Along every length-scale two peaks: three nats higher is that at 0.1 for even ones, that at 2 for odd
/// ones.
Evaluation peaks(const Vector& t) {
  Evaluation e{0, Vector(t.size()), 0};
  for (Index i = 0; i < t.size(); ++i) {
    const double low = t[i] - std::log(0.1), high = t[i] - std::log(2.0);
    const double a = std::exp((i % 2 ? -3 : 0) - 4 * low * low),
                 b = std::exp((i % 2 ? 0 : -3) - 4 * high * high);
    e.value += std::log(a + b);
    e.gradient[i] = -8 * (low * a + high * b) / (a + b);
  }
  return e;
}

/// Optima differ in many length-scales at once: no descent goes from one to another, no start is right in
/// all.
TEST(Search, SwitchesLengthscalesOneByOne) {
  internal::Search s;
  s.rows = 100;
  for (Index k = 0; k < 10; ++k) {
    s.parameters.push_back(drawn_from_minus_one_to_one("lengthscale", k));
    s.parameters.back().parameter.role = Role::lengthscale;
    s.parameters.back().low = std::log(0.1), s.parameters.back().high = std::log(2.0);
  }
  s.objective = [](const std::vector<Index>&) -> Objectives {
    return objectives([](const Vector& t) { return peaks(t); });
  };
  Summary summary;
  const Vector found = internal::learn(s, {}, summary);
  for (Index k = 0; k < 10; ++k) EXPECT_NEAR(found[k], std::log(k % 2 ? 2 : 0.1), 0.05) << k;
}

/// height - steepness (t - at)^2.
struct Peak {
  double height, steepness, at;
};

/// `count` parameters: log(e^a + e^b) of two peaks along the first, -t^2 along the others. What 1000 rows say
/// and what a sample of them says differ.
Search two_peaks(Index count, std::array<Peak, 2> all, std::array<Peak, 2> sample) {
  internal::Search s;
  s.rows = 1000;
  for (Index k = 0; k < count; ++k)
    s.parameters.push_back(drawn_from_minus_one_to_one("shape" + std::to_string(k), -1));
  s.objective = [=](const std::vector<Index>& some) -> Objectives {
    return objectives([peaks = some.empty() ? all : sample](const Vector& t) {
      Evaluation e{0, -2 * t, 0};
      double sum = 0, slope = 0;
      for (const Peak& p : peaks) {
        const double off = t[0] - p.at, share = std::exp(p.height - p.steepness * off * off);
        sum += share, slope -= 2 * p.steepness * off * share;
      }
      e.value = std::log(sum) - t.tail(t.size() - 1).squaredNorm();
      e.gradient[0] = slope / sum;
      return e;
    });
  };
  return s;
}

/// The second optimum of the sample, at 0.8, is worth little on all rows, and a quarter of the way to the
/// first one there is more to be had: still it leads to the best.
TEST(Search, AnOptimumOfTheSampleThatIsApartIsRefinedOnAllRows) {
  internal::Search s =
      two_peaks(6, {Peak{5, 2, -0.8}, Peak{50, 306, 1.2}}, {Peak{5, 8, -0.8}, Peak{4.5, 8, 0.8}});
  s.parameters[0].start = 0.7;
  Summary summary;
  EXPECT_NEAR(internal::learn(s, {}, summary)[0], 1.2, 0.01);
}

TEST(Search, FewParametersAreScreenedOnAllRowsToo) {
  const internal::Search s =
      two_peaks(2, {Peak{5, 8, -0.8}, Peak{50, 60, 0.8}}, {Peak{5, 8, -0.8}, Peak{-900, 8, 0.8}});
  Summary summary;
  EXPECT_NEAR(internal::learn(s, {}, summary)[0], 0.8, 0.01);
}

/// 16000 rows: a sample prefers the peak at -0.8, an eighth of the rows that at 0.8, and all rows see it at 1.
TEST(Search, AnEighthOfVeryManyRowsDecidesWhichOptimumAndAllRowsWhereItIs) {
  internal::Search s;
  s.rows = 16000;
  for (Index k = 0; k < 5; ++k)
    s.parameters.push_back(drawn_from_minus_one_to_one("shape" + std::to_string(k), -1));
  std::atomic<int> on_an_eighth = 0, on_all = 0;
  s.objective = [&](const std::vector<Index>& some) -> Objectives {
    const bool eighth = std::ssize(some) == 2000;
    std::atomic<int>* const count = some.empty() ? &on_all : eighth ? &on_an_eighth : nullptr;
    const internal::Search as = some.empty() ? two_peaks(5, {Peak{5, 8, -0.8}, Peak{50, 8, 1}}, {})
                                : eighth     ? two_peaks(5, {Peak{5, 8, -0.8}, Peak{20, 8, 0.8}}, {})
                                             : two_peaks(5, {Peak{5, 8, -0.8}, Peak{4, 8, 0.8}}, {});
    return [made = as.objective({}), count] {
      return objectives([objective = std::shared_ptr<Objective>(made()), count](const Vector& t) {
        if (count) ++*count;
        return objective->at(t);
      })();
    };
  };
  Summary summary;
  EXPECT_NEAR(internal::learn(s, {}, summary)[0], 1, 1e-3);
  EXPECT_NEAR(summary.basins[0].objective, 50, 1e-3);
  EXPECT_TRUE(summary.basins[0].polished);
  for (size_t i = 1; i < summary.basins.size(); ++i) EXPECT_FALSE(summary.basins[i].polished);
  EXPECT_GT(on_all, 0);
  EXPECT_LT(on_all, on_an_eighth);
}

/// -(t - v)^2 - (v - 3)^2 with a variable v, which is 0 before it is moved.
class Moving final : public Objective {
 public:
  Evaluation at(const Vector& theta, bool, int) override {
    Evaluation e = joint(theta, Vector::Zero(1), true, 1);
    e.gradient.conservativeResize(1);
    return e;
  }
  internal::Variables variables(const Vector&, int) override {
    return {Vector::Zero(1), Vector::Constant(1, 0.5)};
  }
  Evaluation joint(const Vector& theta, const Vector& v, bool, int) override {
    const double off = theta[0] - v[0], far = v[0] - 3;
    return {-off * off - far * far, Eigen::Vector2d(-2 * off, 2 * off - 2 * far), 0};
  }
};

TEST(Search, VariablesOfTheObjectiveMoveWithThetaInTheEnd) {
  for (const Index rows : {100, 16000}) {
    internal::Search s;
    s.rows = rows;
    s.parameters = {drawn_from_minus_one_to_one("shape", -1)};
    s.objective = [](const std::vector<Index>&) -> Objectives {
      return [] { return std::make_unique<Moving>(); };
    };
    Summary summary;
    Vector variables;
    EXPECT_NEAR(internal::learn(s, {}, summary, &variables)[0], 3, 1e-2);
    ASSERT_EQ(variables.size(), 1);
    EXPECT_NEAR(variables[0], 3, 1e-2);
    EXPECT_NEAR(summary.basins[0].objective, 0, 1e-3);
    FitOptions stopping;
    stopping.progress = [](const Progress& p) { return p.best < -1; };  // more than theta alone can reach
    EXPECT_THROW(internal::learn(s, stopping, summary, &variables), Error);
  }
}

/// Of two parameters the objective sees the first, as much as there are rows.
TEST(SearchSummary, FlatIsWhatHardlyChangesTheObjectiveOfAllRows) {
  const double nat = 1 / (std::log(2.0) * std::log(2.0));  // from halving or doubling
  for (const Index rows : {100, 1000})
    for (const double change : {0.04, 0.06}) {
      internal::Search s;
      s.rows = rows;
      s.parameters = {drawn_from_minus_one_to_one("variance", -1), drawn_from_minus_one_to_one("shape", -1)};
      s.objective = [&](const std::vector<Index>& some) -> Objectives {
        const double share = some.empty() ? 1 : double(some.size()) / double(rows);
        return objectives([=](const Vector& t) {
          return Evaluation{-100 - share * change * nat * t[0] * t[0], {}, 0};
        });
      };
      Summary summary;
      describe(s, {}, Vector::Zero(2), summary);
      EXPECT_EQ(summary.parameters[0].flat, change < 0.05) << rows;
      EXPECT_TRUE(summary.parameters[1].flat) << rows;
    }
}

TEST(Effort, IsOfTheRowsAndOfWhatIsAskedFor) {
  const Matrix x = random_points(1, 60, 2);
  const Vector y = random_targets(2, x);
  const Model<Row> model{parse<Row>("se()"), constant_mean<Row>(), Noise::learn()};
  const internal::Effort all = internal::effort(model, x, y);
  EXPECT_EQ(all.explored_rows, 60);
  EXPECT_GT(all.exploring, 0);
  EXPECT_GT(all.seconds_each, 0);
  EXPECT_GE(all.seconds, all.exploring_seconds + all.refining * all.seconds_each);
  EXPECT_GT(all.bytes, 8 * 60 * 60);
  FitOptions few;
  few.subset = 30, few.max_seconds = 1e-9;
  EXPECT_EQ(internal::effort(model, x, y, few).explored_rows, 30);
  EXPECT_EQ(internal::effort(model, x, y, few).seconds, 1e-9);
  const Model<Row> seasonal{parse<Row>("se() + periodic()"), constant_mean<Row>(), Noise::learn()},
      kept{parse<Row>("se() + periodic(period=fixed(2))"), constant_mean<Row>(), Noise::learn()};
  EXPECT_GT(internal::effort(seasonal, x, y).exploring, 3 * all.exploring)
      << "a period is looked for on a grid";
  EXPECT_EQ(internal::effort(kept, x, y).exploring, all.exploring);
  FitOptions one;
  one.starts = 1;
  EXPECT_EQ(internal::effort(model, x, y, one).exploring, 0);
  EXPECT_EQ(error_of([&] { (void)internal::effort(model, x, y.head(59)); }, Problem::usage),
            error_of([&] { (void)fit(model, x, y.head(59)); }, Problem::usage));
}

}  // namespace
}  // namespace covary::test::search_test
