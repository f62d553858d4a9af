// uncertainty: where the model knows least.
#include <fmt/format.h>

#include <cmath>

#include "select/shared.h"

namespace covary::select {
namespace {

/// For a row of m x c decision values: the best class's lead over the second best, |f| for two classes.
double lead(const Eigen::Ref<const Eigen::RowVectorXd>& values) {
  if (values.size() == 1) return std::abs(values[0]);
  double first = -std::numeric_limits<double>::infinity(), second = first;
  for (const double v : values) {
    if (v > first)
      second = first, first = v;
    else
      second = std::max(second, v);
  }
  return first - second;
}

}  // namespace

Vector uncertainty(const Sight& sight) {
  Vector out = sight.belief.variance();
  if (!sight.classifies()) return out;
  const Matrix decision = sight.belief.mean();
  const double several = sight.kinds > 2 ? 2 : 1;  // a lead is the difference of two
  for_runs(out.size(), sight.belief.threads(), [&](Range r) {
    for (Index i = r.first; i < r.end(); ++i) {
      const double variance = several * std::max(out[i], 1e-14 * sight.pool().diagonal[i]);
      out[i] = 0.5 * std::erfc(lead(decision.row(i)) / std::sqrt(2 * variance));
    }
  });
  return out;
}

std::string uncertainty_words(const Sight& sight, const Vector& uncertainty, Index candidate) {
  if (sight.classifies())
    return fmt::format("the second-best class is right with probability {:.2g}", uncertainty[candidate]);
  return fmt::format("sd of f is {:.3g}, {:.2g} times the median", std::sqrt(uncertainty[candidate]),
                     std::sqrt(times_median(uncertainty, candidate)));
}

}  // namespace covary::select

namespace covary::strategy {
namespace {

struct Uncertainty {
  Vector latest = {};
  Vector scores(const Sight& sight) { return latest = select::uncertainty(sight); }
  std::string reason(const Sight& sight, Index i) const {
    return select::uncertainty_words(sight, latest, i);
  }
};

}  // namespace

StrategyEntry uncertainty() {
  StrategyEntry e{"uncertainty",
                  "var f(x); for classes Phi(-lead/sd)",
                  "where the model is least sure; bends the sample, so mix in random picks",
                  {},
                  [](const Arguments&) { return Strategy(Uncertainty{}); }};
  e.pending = StrategyEntry::Pending::seen_in_regression;
  return e;
}

}  // namespace covary::strategy
