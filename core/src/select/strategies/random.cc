// random: the uniform baseline.
#include "covary/select/strategy.h"

namespace covary::strategy {
namespace {

struct Chance {
  Vector scores(const StrategyInput& sight) { return Vector::Ones(sight.pool().size); }
  std::string reason(const StrategyInput&, Index) const { return "by chance"; }
};

}  // namespace

StrategyEntry random() {
  StrategyEntry e{"random", "1", "the baseline: every candidate equally likely", {}, [](const Arguments&) {
                    return Strategy(Chance{});
                  }};
  e.pending = StrategyEntry::Pending::unseen;
  e.question = Question::baseline;
  e.chance = true;
  e.stream = StrategyEntry::For::both;
  return e;
}

}  // namespace covary::strategy
