// exponentiated-variance: the variance of the density exp(f), for a log density f.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "select/shared.h"

namespace covary::strategy {
namespace {

constexpr double largest_exponent = 700;  // exp of it is a finite number, and exp of minus it is not 0

/// log var exp(f), f ~ N(m, v): 2 m + v + log(exp(v) - 1), without overflow; -infinity where v = 0.
double log_variance_of_exp(double m, double v) {
  if (!(v > 0)) return -std::numeric_limits<double>::infinity();
  return 2 * m + v + (v > 1 ? v + std::log1p(-std::exp(-v)) : std::log(std::expm1(v)));
}

/// The largest of the values at these places, or of all where none of them is finite.
double largest_open(const Vector& values, const std::vector<Index>& places) {
  const double open = values(places).maxCoeff();
  return std::isfinite(open) ? open : values.maxCoeff();
}

struct ExponentiatedVariance {
  Vector logs = {}, mean = {}, sd = {};

  /// exp(l - max l), l = log var exp(f), the maximum over candidates without a label. O(m) beside the belief.
  Vector scores(const StrategyInput& sight) {
    const PoolPosterior& belief = sight.belief;
    const Vector variance = belief.variance().cwiseMax(0);
    mean = belief.mean().col(0), sd = variance.cwiseSqrt();
    logs.resize(mean.size());
    for (Index i = 0; i < logs.size(); ++i) logs[i] = log_variance_of_exp(mean[i], variance[i]);
    const double top = largest_open(logs, select::unlabelled(belief, logs.size()));
    Vector out = Vector::Zero(logs.size());
    for (Index i = 0; i < logs.size(); ++i)
      if (std::isfinite(logs[i]))
        out[i] = std::exp(std::clamp(logs[i] - top, -largest_exponent, largest_exponent));
    return out;
  }
  std::string reason(const StrategyInput&, Index i) const {
    return fmt::format("f is {:.4g} with sd {:.3g}: log variance of exp(f) {:.4g}", mean[i], sd[i], logs[i]);
  }
};

}  // namespace

StrategyEntry exponentiated_variance() {
  StrategyEntry e{"exponentiated-variance",
                  "exp(2 E f(x) + v) (exp(v) - 1), v = var f(x); over the largest of it",
                  "for a log likelihood f: where the posterior density exp(f) is uncertain",
                  {},
                  [](const Arguments&) { return Strategy(ExponentiatedVariance{}); }};
  e.task = StrategyEntry::For::regression;
  e.question = Question::posterior;
  e.reference = "kandasamy2015";
  e.pending = StrategyEntry::Pending::unseen;
  return e;
}

}  // namespace covary::strategy
