// Placement against its definition: every set of small problems, by determinants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "covary/kernels/stationary.h"
#include "place/placement_support.h"

namespace covary::every_criterion_test {
namespace {

using namespace covary::test;

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string out = info.param;
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

class EveryCriterion : public testing::TestWithParam<std::string> {
 protected:
  const CriterionEntry& entry() const { return criterion_called(GetParam()); }
  bool exactly() const { return GetParam() == "entropy"; }
};
class EveryScoredCriterion : public EveryCriterion {};
INSTANTIATE_TEST_SUITE_P(Place, EveryScoredCriterion, testing::ValuesIn(names_of(false)), test_name);
INSTANTIATE_TEST_SUITE_P(Place, EveryCriterion, testing::ValuesIn(all_names()), test_name);

TEST_P(EveryScoredCriterion, GreedyIsGreedyByDefinition) {
  Random random(1);
  for (int repeat = 0; repeat < 200; ++repeat) {
    RandomPlacement p = random_placement(6 + random.integer(25), random);
    const Index n = p.problem.size();
    if (random.uniform() < 0.4) p.problem.existing = random.subset(n, 1 + random.integer(2));
    const Worth worth(p.problem, p.k, GetParam());
    const Placed placed = place(p.problem, entry(), 4);
    std::vector<Index> set;
    for (const Pick& pick : placed.picks) {
      double best = -std::numeric_limits<double>::infinity();
      const double before = set.empty() ? 0 : worth(set);
      for (Index y = 0; y < n; ++y) {
        std::vector<Index> more = set;
        more.push_back(y);
        if (is_allowed(p.problem, more)) best = std::max(best, worth(more) - before);
      }
      set.push_back(pick.place);
      EXPECT_NEAR(pick.gain, worth(set) - before, 1e-10) << "repeat " << repeat;
      EXPECT_NEAR(pick.gain, best, 1e-10) << "repeat " << repeat;
      EXPECT_NEAR(pick.value, worth(set), 1e-10);
    }
  }
}

TEST_P(EveryScoredCriterion, BoundsHoldAndTheBestIsFound) {
  Random random(2);
  int near = 0, all = 0;
  for (int repeat = 0; repeat < 100; ++repeat) {
    RandomPlacement p = random_placement(7 + random.integer(5), random);
    const Index n = p.problem.size(), k = 1 + random.integer(n - 3);  // far beyond where information falls
    if (random.uniform() < 0.4) p.problem.existing = random.subset(n, 1 + random.integer(2));
    const Worth worth(p.problem, p.k, GetParam());
    const Placed greedy = place(p.problem, entry(), k);
    for (size_t j = 0; j < greedy.picks.size(); ++j) {
      const Best truth = best_of_all(p.problem, Index(j) + 1, worth, exactly());
      const Pick& pick = greedy.picks[j];
      EXPECT_GE(pick.bound, truth.value - 1e-9) << "repeat " << repeat << " sensor " << j;
      ++all;
      near += pick.value - pick.least >= (1 - 1 / std::numbers::e) * (truth.value - pick.least) - 1e-12;
    }
    const Best truth = best_of_all(p.problem, k, worth, exactly());
    const Placed proven = internal::best(p.problem, entry(), k);
    EXPECT_TRUE(proven.optimal);
    EXPECT_NEAR(proven.picks.back().value, truth.value, 1e-9) << "repeat " << repeat << " k " << k;
    EXPECT_NEAR(proven.picks.back().share(), 1, 1e-9);
    const Placed swapped = internal::refined(p.problem, entry(), greedy);
    EXPECT_GE(swapped.picks.back().value, greedy.picks.back().value - 1e-12);
    EXPECT_LE(swapped.picks.back().value, truth.value + 1e-9);
  }
  if (GetParam() == "max-variance") return;  // far from submodular: no such promise
  EXPECT_EQ(near, all);
}

// The bound of a search that was ended early holds although the best set was not found yet.
TEST_P(EveryScoredCriterion, TheBoundOfAnUnfinishedSearchHolds) {
  Random random(21);
  int short_of_it = 0;
  for (int repeat = 0; repeat < 80; ++repeat) {
    const RandomPlacement p = random_placement(9 + random.integer(3), random);
    const Worth worth(p.problem, p.k, GetParam());
    const Best truth = best_of_all(p.problem, 4, worth, exactly());
    PlaceOptions o;
    o.max_nodes = 1 + random.integer(6);
    const Placed some = internal::best(p.problem, entry(), 4, o);
    const double value = some.picks.back().value;
    EXPECT_GE(some.picks.back().bound, truth.value - 1e-9) << "repeat " << repeat;
    EXPECT_TRUE(!some.optimal || value > truth.value - 1e-9) << "repeat " << repeat;
    short_of_it += !some.optimal && value < truth.value - 1e-6;
  }
  if (GetParam() == "entropy") return;  // there swaps find the best of all 80
  EXPECT_GT(short_of_it, 0);            // else the bound could not be too low
}

TEST_P(EveryScoredCriterion, GivenTargets) {
  Random random(4);
  for (int repeat = 0; repeat < 40; ++repeat) {
    RandomPlacement p = random_placement(11, random);
    p.problem.targets = random.subset(11, 4), p.problem.forbidden = p.problem.targets;
    if (repeat % 2)
      for (Index i = 0; i < 11 && p.problem.existing.empty(); ++i)
        if (is_allowed(p.problem, {i})) p.problem.existing = {i};
    const Worth worth(p.problem, p.k, GetParam());
    const Placed greedy = place(p.problem, entry(), 3), proven = internal::best(p.problem, entry(), 3);
    const Best truth = best_of_all(p.problem, 3, worth, exactly());
    for (size_t j = 0; j < greedy.picks.size(); ++j) {
      std::vector<Index> set = greedy.places();
      set.resize(j + 1);
      EXPECT_NEAR(greedy.picks[j].value, worth(set), 1e-9);
      EXPECT_GE(greedy.picks[j].bound, best_of_all(p.problem, Index(j) + 1, worth, exactly()).value - 1e-9);
    }
    EXPECT_NEAR(proven.picks.back().value, truth.value, 1e-9);
  }
}

TEST_P(EveryScoredCriterion, AnAverageOverFieldsIsTheAverage) {
  Random random(5);
  for (int repeat = 0; repeat < 20; ++repeat) {
    RandomPlacement a = random_placement(9, random);
    const RandomPlacement b = random_placement(9, random);
    const Worth first(a.problem, a.k, GetParam()), second(a.problem, b.k, GetParam());
    PlacementProblem both = a.problem;
    both.fields.push_back(field_of(b.k));
    const Placed greedy = place(both, entry(), 3), proven = internal::best(both, entry(), 3);
    EXPECT_NEAR(greedy.picks.back().value, (first(greedy.places()) + second(greedy.places())) / 2, 1e-10);
    double truth = -std::numeric_limits<double>::infinity();
    for_sets(both, 3, [&](const std::vector<Index>& set) {
      if (!exactly() || set.size() == 3) truth = std::max(truth, (first(set) + second(set)) / 2);
    });
    EXPECT_NEAR(proven.picks.back().value, truth, 1e-9);
    EXPECT_GE(greedy.picks.back().bound, truth - 1e-9);
  }
}

TEST_P(EveryScoredCriterion, RobustSetsLoseAnyOneSensor) {
  Random random(6);
  int better = 0;
  for (int repeat = 0; repeat < 30; ++repeat) {
    const RandomPlacement p = random_placement(10, random);
    const Worth worth(p.problem, p.k, GetParam());
    const auto after_loss = [&](const std::vector<Index>& set) {
      double worst = std::numeric_limits<double>::infinity();
      for (size_t i = 0; i < set.size(); ++i) {
        std::vector<Index> rest = set;
        rest.erase(rest.begin() + Index(i));
        worst = std::min(worst, worth(rest));
      }
      return worst;
    };
    const Placed set = internal::robust(p.problem, entry(), 4), plain = place(p.problem, entry(), 4);
    if (std::ssize(plain.picks) < 4) continue;
    EXPECT_NEAR(set.picks.back().value, after_loss(set.places()), 1e-9);
    EXPECT_GE(set.picks.back().value, after_loss(plain.places()) - 1e-9);
    better += set.picks.back().value > after_loss(plain.places()) + 1e-9;
    double truth = -std::numeric_limits<double>::infinity();
    for_sets(p.problem, 4, [&](const std::vector<Index>& all) {
      if (all.size() == 4) truth = std::max(truth, after_loss(all));
    });
    EXPECT_GE(set.picks.back().bound, truth - 1e-9);
  }
  EXPECT_GE(better, 3);
}

TEST_P(EveryCriterion, OrderOfPlacesAndThreadsDoNotMatter) {
  Random random(7);
  const RandomPlacement p = random_placement(300, random);
  PlaceOptions one{.threads = 1}, four{.threads = 4};
  const Placed a = place(p.problem, entry(), 8, one), b = place(p.problem, entry(), 8, four);
  EXPECT_EQ(a.places(), b.places());
  for (size_t i = 0; i < a.picks.size(); ++i) {
    // LAPACK's threads round differently; nothing of ours does.
    if (GetParam() == "mutual-information") {
      EXPECT_NEAR(a.picks[i].gain, b.picks[i].gain, 1e-11);
    } else {
      EXPECT_EQ(a.picks[i].gain, b.picks[i].gain);
    }
  }
  if (GetParam() == "random") return;
  std::vector<Index> order = random.subset(300, 300);
  std::reverse(order.begin(), order.end());
  RandomPlacement q = p;
  q.problem.fields = {field_of(Matrix(p.k(order, order)))};
  if (p.problem.noise.size() > 1) q.problem.noise = p.problem.noise(order);
  const Placed c = place(q.problem, entry(), 8);
  ASSERT_EQ(a.picks.size(), c.picks.size());
  for (size_t i = 0; i < a.picks.size(); ++i) {
    EXPECT_EQ(order[size_t(c.picks[i].place)], a.picks[i].place);
    EXPECT_NEAR(c.picks[i].gain, a.picks[i].gain, 1e-9);
  }
}

TEST_P(EveryCriterion, ScoresASetAsIfItWereItsOwn) {
  Random random(8);
  const RandomPlacement p = random_placement(30, random);
  const Placed own = place(p.problem, entry(), 5);
  const Placed again = internal::assessed(p.problem, entry(), own.places());
  ASSERT_EQ(own.picks.size(), again.picks.size());
  for (size_t i = 0; i < own.picks.size(); ++i) {
    EXPECT_EQ(own.picks[i].gain, again.picks[i].gain);
    EXPECT_EQ(own.picks[i].mean_sd, again.picks[i].mean_sd);
    EXPECT_EQ(own.picks[i].share(), again.picks[i].share());
  }
}

TEST_P(EveryCriterion, LeavesWhatConditioningLeaves) {
  Random random(9);
  const RandomPlacement p = random_placement(20, random);
  const Placed set = place(p.problem, entry(), 4);
  const std::vector<Index> a = set.places();
  std::vector<Index> rest;
  for (Index i = 0; i < 20; ++i)
    if (std::find(a.begin(), a.end(), i) == a.end()) rest.push_back(i);
  Matrix readings = p.k(a, a);
  for (Index i = 0; i < readings.rows(); ++i) readings(i, i) += p.problem.noise_at(a[size_t(i)]);
  const Vector left = (p.k - p.k(Eigen::all, a) * inverse_of(readings) * p.k(a, Eigen::all)).diagonal()(rest);
  EXPECT_NEAR(set.picks.back().mean_sd, left.cwiseSqrt().mean(), 1e-10);
  EXPECT_NEAR(set.picks.back().largest_sd, std::sqrt(left.maxCoeff()), 1e-10);
}

TEST_P(EveryScoredCriterion, UnitsDoNotMatter) {
  Random random(16);
  for (int repeat = 0; repeat < 10; ++repeat) {
    const RandomPlacement p = random_placement(25, random);
    const Placed plain = place(p.problem, entry(), 5), proven = internal::best(p.problem, entry(), 3);
    for (const double unit : {1e-7, 1e6}) {
      PlacementProblem scaled = p.problem;
      scaled.fields = {field_of(Matrix(unit * unit * p.k))}, scaled.noise *= unit * unit;
      const Placed same = place(scaled, entry(), 5);
      EXPECT_EQ(same.places(), plain.places()) << "unit " << unit;
      EXPECT_EQ(internal::best(scaled, entry(), 3).places(), proven.places()) << "unit " << unit;
      for (size_t i = 0; i < same.picks.size(); ++i)
        EXPECT_NEAR(same.picks[i].share(), plain.picks[i].share(), 1e-6) << "unit " << unit;
    }
  }
}

TEST_P(EveryCriterion, APlaceThatNeverVariesIsLeftAlone) {
  Random random(17);
  RandomPlacement p = random_placement(12, random);
  p.k.row(4).setZero(), p.k.col(4).setZero();
  p.problem.fields = {field_of(p.k)};
  const Placed set = place(p.problem, entry(), 5);
  EXPECT_EQ(set.picks.size(), 5u);
  if (entry().baseline) return;
  for (const Index i : set.places()) EXPECT_NE(i, 4);
  for (const Pick& pick : set.picks) EXPECT_TRUE(std::isfinite(pick.gain) && std::isfinite(pick.mean_sd));
}

}  // namespace
}  // namespace covary::every_criterion_test
