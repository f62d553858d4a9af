// Costs, distances, groups, forbidden places and standing sensors, against every set of small problems.
#include <gtest/gtest.h>

#include <tuple>

#include "place/placement_support.h"

namespace covary::placement_rules_test {
namespace {

using namespace covary::test;

/// A rule of the problem, made at random so that some sets break it.
struct Rule {
  std::string name;
  std::function<void(RandomPlacement&, Random&)> make;
};
std::vector<Rule> rules() {
  const auto costs = [](RandomPlacement& p, Random& r) {
    p.problem.cost = Vector::NullaryExpr(p.problem.size(), [&] { return 0.5 + 3 * r.uniform(); });
    p.problem.budget = 3 + 5 * r.uniform();
  };
  const auto apart = [](RandomPlacement& p, Random&) {
    const Matrix x = p.x;
    p.problem.distance = [x](Index i, Index j) { return (x.row(i) - x.row(j)).norm(); };
    p.problem.min_distance = 0.8;
  };
  const auto groups = [](RandomPlacement& p, Random& r) {
    for (Index i = 0; i < p.problem.size(); ++i) p.problem.group.push_back(10 * r.integer(3));
    p.problem.per_group = 2;
  };
  const auto forbidden = [](RandomPlacement& p, Random& r) {
    p.problem.forbidden = r.subset(p.problem.size(), 3);
  };
  const auto existing = [](RandomPlacement& p, Random& r) {
    p.problem.existing = r.subset(p.problem.size(), 2);
  };
  return {{"costs", costs},
          {"distances", apart},
          {"groups", groups},
          {"forbidden", forbidden},
          {"existing", existing},
          {"everything", [=](RandomPlacement& p, Random& r) {
             existing(p, r), forbidden(p, r), groups(p, r), apart(p, r), costs(p, r);
             p.problem.min_distance = 0.3;
           }}};
}

class EveryRule : public testing::TestWithParam<std::tuple<std::string, size_t>> {};
std::string rule_name(const testing::TestParamInfo<EveryRule::ParamType>& info) {
  std::string name = std::get<0>(info.param) + "_" + rules()[std::get<1>(info.param)].name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Place, EveryRule,
                         testing::Combine(testing::ValuesIn(names_of(false)),
                                          testing::Range<size_t>(0, rules().size())),
                         rule_name);

TEST_P(EveryRule, AgainstEverySet) {
  const auto& [criterion, which] = GetParam();
  const CriterionEntry& entry = criterion_called(criterion);
  Random random(3);
  int kept = 0;
  for (int repeat = 0; repeat < 25; ++repeat) {
    RandomPlacement p = random_placement(10, random);
    rules()[which].make(p, random);
    const Index k = std::isfinite(p.problem.budget) ? 10 : 3;
    const bool exactly = criterion == "entropy" && !std::isfinite(p.problem.budget);
    const Worth worth(p.problem, p.k, criterion);
    const Best truth = best_of_all(p.problem, k, worth, exactly);
    if (truth.set.empty()) continue;  // the distances leave no three
    Placed greedy;
    try {
      greedy = place(p.problem, entry, k);
    } catch (const Error& e) {
      EXPECT_EQ(e.problem(), Problem::usage) << e.what();
      continue;
    }
    ++kept;
    EXPECT_TRUE(is_allowed(p.problem, greedy.places())) << "repeat " << repeat;
    EXPECT_NEAR(greedy.picks.back().value, worth(greedy.places()), 1e-9);
    if (std::ssize(greedy.picks) == k || std::isfinite(p.problem.budget)) {
      EXPECT_GE(greedy.picks.back().bound, truth.value - 1e-9) << "repeat " << repeat;
    }
    const Placed proven = internal::best(p.problem, entry, k);
    EXPECT_TRUE(proven.optimal && is_allowed(p.problem, proven.places()));
    EXPECT_NEAR(proven.picks.back().value, truth.value, 1e-9) << "repeat " << repeat;
    EXPECT_TRUE(is_allowed(p.problem, internal::refined(p.problem, entry, greedy).places()));
    if (criterion == "mutual-information" && which == 0) {  // the better of two greedy sets, within a budget
      EXPECT_GE(greedy.picks.back().value, 0.5 * (1 - 1 / std::numbers::e) * truth.value);
    }
  }
  EXPECT_GE(kept, 15);
}

}  // namespace
}  // namespace covary::placement_rules_test
