// entropy: the most uncertain label: the class of the largest entropy, or the number of the largest variance, its
// noise included. The entropy of a normal label is 1/2 log(2 pi e (var f + noise)), which may be
// negative; its score is the variance.
#include <fmt/format.h>

#include <cmath>

#include "select/scores/class_probabilities.h"
#include "select/shared.h"

namespace covary::strategy {
namespace {

struct LabelEntropy {
  Vector latest = {};
  Vector scores(const StrategyInput& sight) {
    if (!sight.classifies()) return latest = (sight.belief.variance() + sight.pool().noise).cwiseMax(0);
    const Matrix p = select::class_probabilities(sight);
    latest = Vector::Zero(p.rows());
    for (Index i = 0; i < p.rows(); ++i)
      for (const double q : p.row(i))
        if (q > 0) latest[i] -= q * std::log(q);
    return latest = latest.cwiseMax(0);
  }
  std::string reason(const StrategyInput& sight, Index i) const {
    if (!sight.classifies())
      return fmt::format("a label has an sd of {:.3g}, {:.2g} times the median", std::sqrt(latest[i]),
                         std::sqrt(select::times_median(latest, i)));
    return fmt::format("its class has an entropy of {:.3g} nats, of {:.3g} at most", latest[i],
                       std::log(double(sight.kinds)));
  }
};

}  // namespace

StrategyEntry entropy() {
  StrategyEntry e{"entropy",
                  "-sum_c p(c) log p(c); for numbers var f(x) + noise",
                  "the class is most uncertain, all classes counted; the label, for numbers",
                  {},
                  [](const Arguments&) { return Strategy(LabelEntropy{}); }};
  e.question = Question::classes;
  e.reference = "settles2012";
  e.pending = StrategyEntry::Pending::seen_in_regression;
  return e;
}

}  // namespace covary::strategy
