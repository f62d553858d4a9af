// entropy: the candidate whose class is most uncertain, all classes counted.
#include <fmt/format.h>

#include <cmath>

#include "select/scores/class_probabilities.h"

namespace covary::strategy {
namespace {

struct ClassEntropy {
  Vector latest = {};
  Vector scores(const StrategyInput& sight) {
    const Matrix p = select::class_probabilities(sight);
    latest = Vector::Zero(p.rows());
    for (Index i = 0; i < p.rows(); ++i)
      for (const double q : p.row(i))
        if (q > 0) latest[i] -= q * std::log(q);
    return latest = latest.cwiseMax(0);
  }
  std::string reason(const StrategyInput& sight, Index i) const {
    return fmt::format("its class has an entropy of {:.3g} nats, of {:.3g} at most", latest[i],
                       std::log(double(sight.kinds)));
  }
};

}  // namespace

StrategyEntry entropy() {
  StrategyEntry e{"entropy",
                  "-sum_c p(c) log p(c)",
                  "the class is most uncertain, all classes counted; for numbers this is uncertainty",
                  {},
                  [](const Arguments&) { return Strategy(ClassEntropy{}); }};
  e.question = Question::classes;
  e.reference = "settles2012";
  e.task = StrategyEntry::For::classification;
  e.pending = StrategyEntry::Pending::unseen;
  return e;
}

}  // namespace covary::strategy
