// least-confident: the candidate whose most probable class is least probable.
#include <fmt/format.h>

#include "select/scores/class_probabilities.h"

namespace covary::strategy {
namespace {

struct LeastConfident {
  Matrix latest = {};
  Vector scores(const StrategyInput& sight) {
    latest = select::class_probabilities(sight);
    return (1 - latest.rowwise().maxCoeff().array()).max(0);
  }
  std::string reason(const StrategyInput&, Index i) const {
    return fmt::format("its most probable class has probability {:.3g}", latest.row(i).maxCoeff());
  }
};

}  // namespace

StrategyEntry least_confident() {
  StrategyEntry e{"least-confident",
                  "1 - p(best class)",
                  "the most probable class is least probable; for numbers this is uncertainty",
                  {},
                  [](const Arguments&) { return Strategy(LeastConfident{}); }};
  e.question = Question::classes;
  e.reference = "settles2012";
  e.task = StrategyEntry::For::classification;
  e.pending = StrategyEntry::Pending::unseen;
  return e;
}

}  // namespace covary::strategy
