// expected-model-change: the label that is expected to move the predictions most [settles2012].
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "select/scores/class_probabilities.h"
#include "select/shared.h"

namespace covary::strategy {
namespace {

/// A label y at x moves the mean at t by cov(t, x) (y - mean(x)) / (var f(x) + noise). r references t: 2 n r flops a
/// candidate for n labels, nothing is kept.
struct ModelChange {
  Index most;
  Vector latest = {};

  /// m: E|y - mean(x)| over the labels y that may come: for numbers sqrt(2 (var f + noise) / pi), for classes
  /// sum_c p_c(x) |y_c - mean(x)|, y_c the labels 1 and -1 of class c.
  static Vector surprise(const StrategyInput& sight) {
    if (!sight.classifies()) return std::sqrt(2 / std::numbers::pi) * select::label_sd(sight);
    const Matrix p = select::class_probabilities(sight), mean = sight.belief.mean();
    Vector out = Vector::Zero(p.rows());
    for (Index c = 0; c < sight.kinds; ++c) {
      const Vector label = select::coded_class(c, sight.kinds);
      out.array() += p.col(c).array() * (mean.rowwise() - label.transpose()).rowwise().norm().array();
    }
    return out;
  }
  Vector scores(const StrategyInput& sight) {
    const std::vector<Index> some = select::unlabelled(sight.belief, most);
    const Vector sd = select::label_sd(sight), surprised = surprise(sight);
    latest.resize(sd.size());
    sight.belief.runs("scores", [&](Range r) {
      latest.segment(r.first, r.count) =
          sight.belief.covariance(r, some).cwiseAbs().rowwise().mean().array() *
          surprised.segment(r.first, r.count).array() / sd.segment(r.first, r.count).array().square();
    });
    return latest;
  }
  std::string reason(const StrategyInput&, Index i) const {
    return fmt::format("is expected to move the predictions by {:.3g} on average, {:.2g} times the median",
                       latest[i], select::times_median(latest, i));
  }
};

}  // namespace

StrategyEntry expected_model_change() {
  StrategyEntry e{
      "expected-model-change",
      "E|y - mean(x)| mean_t |cov(t, x)| / (var f(x) + noise), for classes over p(c)",
      "the label that should move predictions most, over 200 candidates without one",
      {"reference"},
      [](const Arguments& a) { return Strategy(ModelChange{a.integer("reference", 200, 1, 100000)}); }};
  e.reference = "settles2012";
  e.pending = StrategyEntry::Pending::seen_in_regression;
  return e;
}

}  // namespace covary::strategy
