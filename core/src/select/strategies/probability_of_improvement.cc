// probability-of-improvement: how likely a candidate is better than the best so far, by a margin.
#include <fmt/format.h>

#include <cmath>

#include "select/scores/improvement.h"

namespace covary::strategy {
namespace {

struct ProbabilityOfImprovement {
  double margin;  // in standard deviations of the labels
  select::Outlook now = {};
  double wanted = 0;

  Vector scores(const StrategyInput& sight) {
    now = select::outlook(sight);
    wanted = now.best + margin * select::label_spread(sight);
    Vector out(now.mean.size());
    for (Index i = 0; i < out.size(); ++i)
      out[i] = select::probability_of_improvement(now.mean[i] - wanted, now.sd[i]).value;
    return out;
  }
  std::string reason(const StrategyInput&, Index i) const {
    return fmt::format("{} {:.4g} with probability {:.2g}", now.sign > 0 ? "above" : "below",
                       now.sign * wanted,
                       select::probability_of_improvement(now.mean[i] - wanted, now.sd[i]).value);
  }
};

}  // namespace

StrategyEntry probability_of_improvement() {
  StrategyEntry e{"probability-of-improvement",
                  "Phi((mean - best - margin)/sd), margin in sds of the labels (0.01)",
                  "the likeliest to exceed the best by any amount: greedy, unless the margin is large",
                  {"margin"},
                  [](const Arguments& a) {
                    return Strategy(ProbabilityOfImprovement{select::not_negative(a, "margin", 0.01)});
                  }};
  e.question = Question::best;
  e.task = StrategyEntry::For::regression;
  e.pending = StrategyEntry::Pending::unseen;
  e.reference = "kushner1964";
  return e;
}

}  // namespace covary::strategy
