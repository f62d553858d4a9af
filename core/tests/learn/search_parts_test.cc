// Which points a search goes on from: other periods, the peaks of a sweep, the best of each sort.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "covary/kernels/expression.h"
#include "covary/learn/fit.h"
#include "learn/choose.h"
#include "support.h"

namespace covary::test::search_parts_test {
namespace {

/// The parameters of a kernel on 40 rows of so many columns.
Search search_of(const std::string& expression, Index columns) {
  Random rng(3);
  const Matrix x = Matrix::NullaryExpr(40, columns, [&] { return rng.uniform(); });
  const Vector y = Vector::NullaryExpr(40, [&] { return rng.normal(); });
  const Kernel<Row> kernel = parse<Row>(expression).amplified().sized(x);
  internal::Search s;
  s.rows = 40;
  s.parameters = internal::search_parameters(kernel.parameters(), kernel.theta(), kernel.start(x, 1),
                                             internal::input_scales(x, y, kernel.parameters()), columns,
                                             Noise::learn(), 1, {});
  return s;
}

Vector first_start(const internal::Search& s) { return internal::known_starts(s.parameters, {})[0].theta; }

/// The names of those in units of the input.
std::set<std::string> of_the_input(const internal::Search& s) {
  std::set<std::string> names;
  for (size_t i = 0; i < s.parameters.size(); ++i)
    if (in_input_units(s, i)) names.insert(full_name(s.parameters[i].parameter, {}));
  return names;
}

TEST(SearchParts, TheLengthscaleOfAPeriodicKernelIsNotInUnitsOfTheInput) {
  EXPECT_EQ(of_the_input(search_of("se() + periodic() * matern32()", 1)),
            (std::set<std::string>{"1.lengthscale", "2.2.lengthscale"}));
  EXPECT_EQ(of_the_input(search_of("periodic() + se()", 2)),
            (std::set<std::string>{"2.lengthscale.1", "2.lengthscale.2"}));
}

TEST(SearchParts, SeasonsAreLookedForWithShortAndLongLengthscales) {
  const internal::Search s = search_of("se() + periodic() * se()", 1);
  const auto grids = period_grids(s, {"", first_start(s)});
  ASSERT_EQ(grids.size(), 5U) << "one at the start, four of short and long";
  std::set<std::pair<bool, bool>> seen;
  const auto is_long = [&](const Vector& t, size_t i) { return t[Index(i)] > s.parameters[i].reference; };
  for (size_t g = 1; g < grids.size(); ++g) {
    const Vector& t = grids[g][0][0].theta;
    seen.insert({is_long(t, 1), is_long(t, 5)});
  }
  EXPECT_EQ(seen.size(), 4U);
  EXPECT_TRUE(period_grids(search_of("se()", 1), {"", Vector::Zero(3)}).empty());
}

/// Of exp(-2 sin^2(pi r / p) / l^2) the curvature at r = 0 is 4 pi^2 / (l p)^2.
TEST(SearchParts, APeriodMovesWithWhatShortDistancesLookLike) {
  const internal::Search s =
      search_of("se() + periodic() * se()", 1);  // variance, l, variance, l, period, l, noise
  const Basin best = at_start({"here", first_start(s)});
  const std::vector<Sweep> sweeps = moved_periods(s, best);
  ASSERT_EQ(sweeps.size(), 10U);
  int alone = 0, in_proportion = 0, fading = 0, lasting = 0;
  for (const Sweep& sweep : sweeps) {
    if (sweep.size() < 10) continue;
    for (size_t k = 1; k < sweep.size(); ++k) EXPECT_GE(sweep[k].theta[4], sweep[k - 1].theta[4]);
    const Vector by = sweep[sweep.size() / 2].theta - best.theta;
    ASSERT_NE(by[4], 0);
    EXPECT_EQ(by[0], 0);
    EXPECT_EQ(by[1], 0) << "of another summand";
    EXPECT_EQ(by[6], 0);
    alone += by[3] == 0, in_proportion += std::abs(by[3] + by[4]) < 1e-12;
    fading += std::abs(by[5] - by[4]) < 1e-12, lasting += std::abs(by[5] - std::log(2.0)) < 1e-12;
  }
  EXPECT_EQ(alone, 2);
  EXPECT_EQ(in_proportion, 4);
  EXPECT_EQ(fading, 1);
  EXPECT_EQ(lasting, 1);
}

TEST(SearchParts, APeriodMovesToItsMultiplesExactly) {
  const internal::Search s = search_of("periodic()", 1);  // variance, lengthscale, period, noise
  const Basin best = at_start({"here", first_start(s)});
  std::set<double> factors;
  for (const Sweep& sweep : moved_periods(s, best))
    if (sweep.size() < 10)
      for (const internal::Start& start : sweep)
        factors.insert(std::round(1e9 * std::exp(start.theta[2] - best.theta[2])) / 1e9);
  EXPECT_EQ(factors, (std::set<double>{0.333333333, 0.5, 2, 3}));
}

TEST(SearchParts, SortsAreWhichSummandIsTheSlowest) {
  const internal::Search s = search_of("se() + periodic() * se()", 1);
  Vector t = first_start(s);
  t[1] = 1, t[3] = 9, t[5] = 2;
  const Index second = slowest_summand(s, t);
  t[1] = 3;
  EXPECT_NE(slowest_summand(s, t), second);
  const internal::Search one = search_of("se()", 3);
  EXPECT_EQ(slowest_summand(one, Vector::LinSpaced(5, 0, 1)),
            slowest_summand(one, Vector::LinSpaced(5, 1, 0)));
}

Basin with_value(const Vector& theta, double objective) {
  Basin b = at_start({"", theta});
  b.objective = objective;
  return b;
}

TEST(SearchParts, TheBestOfEachSortGoOnUnlessTheyAreNear) {
  const internal::Search s = search_of("se() + periodic() * se()", 1);
  Vector slow = first_start(s);
  slow[1] = s.parameters[1].high, slow[5] = s.parameters[5].low;
  Vector fast = slow, far = slow, beside = slow;
  std::swap(fast[1], fast[5]);
  far[0] += 0.3 * (s.parameters[0].high - s.parameters[0].low);
  beside[0] += 0.1 * (s.parameters[0].high - s.parameters[0].low);
  const std::vector<Basin> found{with_value(slow, 9), with_value(beside, 8), with_value(far, 7),
                                 with_value(fast, 1)};
  const auto values = [&](int count) {
    std::vector<double> out;
    for (const Basin& b : best_of_each(s, found, count)) out.push_back(b.objective);
    return out;
  };
  EXPECT_EQ(values(1), (std::vector<double>{9, 1}));
  EXPECT_EQ(values(2), (std::vector<double>{9, 7, 1}));
  EXPECT_TRUE(values(0).empty());
}

TEST(SearchParts, PeaksOfASweepAreInsideAndAtItsEnds) {
  internal::Search s = search_of("se()", 1);
  s.objective = [](const std::vector<Index>&) -> Objectives {
    return objectives([](const Vector& t) { return Evaluation{t[0], {}, 0}; });
  };
  for (internal::SearchParameter& p : s.parameters) p.prior_sd = 0;
  const auto sweep = [](std::initializer_list<double> values) {
    Sweep out;
    for (const double v : values) out.push_back({"", Vector::Unit(3, 0) * v});
    return out;
  };
  const FitOptions options;
  Watch watch(options);
  std::vector<double> found;
  for (const Screened& p : peaks({s, options, watch}, all_rows(s), {sweep({5, 1, 3, 2, 2, 4}), sweep({7})}))
    found.push_back(p.value);
  EXPECT_EQ(found, (std::vector<double>{7, 5, 4, 3}));
}

}  // namespace
}  // namespace covary::test::search_parts_test
