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

Vector uncertainty(const StrategyInput& sight, bool in_sds) {
  if (!sight.classifies()) return sight.belief.variance();
  const Matrix decision = sight.belief.mean();
  Vector out(decision.rows());
  for (Index i = 0; i < out.size(); ++i) out[i] = lead(decision.row(i));
  if (!in_sds) return (1 + out.array()).inverse();
  const double several = sight.kinds > 2 ? 2 : 1;  // a lead is the difference of two
  const Vector variance = several * sight.belief.variance().cwiseMax(1e-14 * sight.pool().diagonal);
  for (Index i = 0; i < out.size(); ++i) out[i] = 0.5 * std::erfc(out[i] / std::sqrt(2 * variance[i]));
  return out;
}

std::string uncertainty_words(const StrategyInput& sight, const Vector& uncertainty, Index candidate,
                              bool in_sds) {
  const double u = uncertainty[candidate];
  if (sight.classifies())
    return in_sds ? fmt::format("the second-best class is right with probability {:.2g}", u)
                  : fmt::format("the best class leads by {:.2g}", 1 / u - 1);
  return fmt::format("sd of f is {:.3g}, {:.2g} times the median", std::sqrt(u),
                     std::sqrt(times_median(uncertainty, candidate)));
}

}  // namespace covary::select

namespace covary::strategy {
namespace {

struct Uncertainty {
  bool in_sds;
  Vector latest = {};
  Vector scores(const StrategyInput& sight) { return latest = select::uncertainty(sight, in_sds); }
  std::string reason(const StrategyInput& sight, Index i) const {
    return select::uncertainty_words(sight, latest, i, in_sds);
  }
};

}  // namespace

StrategyEntry uncertainty() {
  StrategyEntry e{"uncertainty",
                  "var f(x); for classes 1 / (1 + lead of the best), with sd=1 Phi(-lead/sd)",
                  "where the model is least sure; with sd=1 also where it knows nothing of the classes",
                  {"sd"},
                  [](const Arguments& a) { return Strategy(Uncertainty{a.integer("sd", 0, 0, 1) == 1}); }};
  e.pending = StrategyEntry::Pending::seen_in_regression;
  e.reference = "lewis1994";
  e.stream = StrategyEntry::For::regression;
  return e;
}

}  // namespace covary::strategy
