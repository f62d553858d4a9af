// expected-improvement: by how much a candidate is better than the best so far, on average.
#include <fmt/format.h>

#include "select/scores/improvement.h"

namespace covary::strategy {
namespace {

struct ExpectedImprovement {
  select::Outlook now = {};

  Vector scores(const StrategyInput& sight) {
    now = select::outlook(sight);
    Vector out(now.mean.size());
    for (Index i = 0; i < out.size(); ++i)
      out[i] = select::expected_improvement(now.mean[i] - now.best, now.sd[i]).value;
    return out;
  }
  std::string reason(const StrategyInput&, Index i) const {
    const double gain = now.mean[i] - now.best;
    return fmt::format("better than {:.4g} by {:.2g} on average, with probability {:.2g}",
                       now.sign * now.best, select::expected_improvement(gain, now.sd[i]).value,
                       select::probability_of_improvement(gain, now.sd[i]).value);
  }
};

}  // namespace

StrategyEntry expected_improvement() {
  StrategyEntry e{"expected-improvement",
                  "E max(f(x) - best, 0) = sd (phi(u) + u Phi(u)), u = (mean - best)/sd",
                  "the usual choice: how much better than the best mean so far, on average",
                  {},
                  [](const Arguments&) { return Strategy(ExpectedImprovement{}); }};
  e.question = Question::best;
  e.task = StrategyEntry::For::regression;
  e.pending = StrategyEntry::Pending::unseen;
  e.reference = "jones1998";
  return e;
}

}  // namespace covary::strategy
