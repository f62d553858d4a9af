// margin: the candidate whose two most probable classes are closest in probability [scheffer2001].
#include <fmt/format.h>

#include <algorithm>

#include "select/scores/class_probabilities.h"

namespace covary::strategy {
namespace {

/// The largest and the second largest.
std::pair<double, double> best_two(const Eigen::Ref<const Eigen::RowVectorXd>& p) {
  double first = 0, second = 0;
  for (const double v : p) {
    second = std::max(second, std::min(first, v));
    first = std::max(first, v);
  }
  return {first, second};
}

struct ProbabilityMargin {
  Matrix latest = {};
  Vector scores(const StrategyInput& sight) {
    latest = select::class_probabilities(sight);
    Vector out(latest.rows());
    for (Index i = 0; i < out.size(); ++i) {
      const auto [first, second] = best_two(latest.row(i));
      out[i] = std::max(0.0, 1 - (first - second));
    }
    return out;
  }
  std::string reason(const StrategyInput&, Index i) const {
    const auto [first, second] = best_two(latest.row(i));
    return fmt::format("its two most probable classes have probabilities {:.3g} and {:.3g}", first, second);
  }
};

}  // namespace

StrategyEntry margin() {
  StrategyEntry e{"margin",
                  "1 - (p(best class) - p(second))",
                  "the two most probable classes are closest; of a separator's margin: svm-margin",
                  {},
                  [](const Arguments&) { return Strategy(ProbabilityMargin{}); }};
  e.question = Question::classes;
  e.reference = "scheffer2001";
  e.task = StrategyEntry::For::classification;
  e.pending = StrategyEntry::Pending::unseen;
  return e;
}

}  // namespace covary::strategy
