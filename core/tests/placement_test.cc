// Placement against its definition: every set of small problems, by determinants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement_support.h"

namespace covary {
namespace {

using namespace covary::test;

std::vector<std::string> names_of(bool baselines) {
  std::vector<std::string> out;
  for (const CriterionEntry& e : criteria())
    if (e.baseline == baselines) out.push_back(e.name);
  return out;
}
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
std::vector<std::string> all_names() {
  std::vector<std::string> out;
  for (const CriterionEntry& e : criteria()) out.push_back(e.name);
  return out;
}
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
  for (int repeat = 0; repeat < 60; ++repeat) {
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
    const Placed proven = best(p.problem, entry(), k);
    EXPECT_TRUE(proven.optimal);
    EXPECT_NEAR(proven.picks.back().value, truth.value, 1e-9) << "repeat " << repeat << " k " << k;
    EXPECT_NEAR(proven.picks.back().share(), 1, 1e-9);
    const Placed swapped = refined(p.problem, entry(), greedy);
    EXPECT_GE(swapped.picks.back().value, greedy.picks.back().value - 1e-12);
    EXPECT_LE(swapped.picks.back().value, truth.value + 1e-9);
  }
  if (GetParam() == "max-variance") return;  // far from submodular: no such promise
  EXPECT_EQ(near, all);
}

}  // namespace
}  // namespace covary
