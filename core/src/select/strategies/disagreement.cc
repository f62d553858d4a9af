// disagreement: only where two separators that agree with all labels so far disagree [cohn1994].
#include <fmt/format.h>

#include <cmath>

#include "covary/select/region.h"
#include "covary/select/strategy.h"

namespace covary::strategy {
using namespace internal;
namespace {

/// Keeps the region from call to call: it only shrinks.
struct Disagreement {
  RegionOptions options;
  std::optional<DisagreementRegion> region = {};
  Index generation = -1;

  Vector scores(const StrategyInput& sight) {
    const PoolPosterior& belief = sight.belief;
    if (!region || generation != belief.generation())
      region.emplace(sight.pool(), options, belief.threads()), generation = belief.generation();
    region->tell({belief.order().begin(), belief.order().begin() + belief.labels()}, sight.classes,
                 sight.kinds);
    return region->scores();
  }
  std::string reason(const StrategyInput&, Index i) const { return region->reason(i); }
};

}  // namespace

StrategyEntry disagreement() {
  StrategyEntry e{
      "disagreement",
      "1 / (1 + |f(x)|) if separators of all labels disagree on x, otherwise 0",
      "labels only where separators without errors disagree; a stream asks or infers; no wrong labels",
      {"margin", "offset"},
      [](const Arguments& a) { return Strategy(Disagreement{region_options(a)}); }};
  e.question = Question::classes;
  e.reference = "cohn1994";
  e.task = StrategyEntry::For::classification;
  e.stream = StrategyEntry::For::classification;
  e.pending = StrategyEntry::Pending::unseen;
  e.settles = true;
  return e;
}

}  // namespace covary::strategy
