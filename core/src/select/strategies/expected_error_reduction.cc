// expected-error-reduction: the label after which the fewest errors are expected [roy2001]; of numbers the least mean squared
// error, which is what variance-reduction takes.
#include <fmt/format.h>

#include <cmath>

#include "select/scores/class_probabilities.h"
#include "select/shared.h"

namespace covary::strategy {
namespace {

/// For each class c that a candidate x may have, the process with that label: at a reference t
///
///   mean_c(t) = mean(t) + cov(t, x) (y_c - mean(x)) / (var f(x) + noise)
///   s^2(t)    = var f(t) + noise - cov(t, x)^2 / (var f(x) + noise)
///
/// and the error there is Phi(-lead/sd), for two classes the probability that the best is wrong. r references:
/// m kinds r evaluations of Phi and of kinds means, and 2 n m r flops for n labels.
struct ErrorReduction {
  Index most;
  Strategy of_numbers;
  double now = 0;
  Vector latest = {};

  Vector scores(const StrategyInput& sight) {
    if (!sight.classifies()) return of_numbers.scores(sight);
    const PoolPosterior& belief = sight.belief;
    const std::vector<Index> some = select::unlabelled(belief, most);
    const Matrix p = select::class_probabilities(sight), mean = belief.mean(),
                 own = mean(some, Eigen::all).transpose();  // c x r
    const Vector sd = select::label_sd(sight), variance = sd(some).array().square();
    const auto r = std::ssize(some);
    now = 0;
    for (Index t = 0; t < r; ++t) now += select::runner_up(own.col(t), std::sqrt(variance[t])) / double(r);
    latest.resize(sd.size());
    belief.runs("scores", [&](Range run) {
      const Matrix gain = belief.covariance(run, some).transpose();  // r x run
      Vector moved(own.rows()), step(own.rows());
      for (Index i = 0; i < run.count; ++i) {
        const Index x = run.first + i;
        const double label_variance = sd[x] * sd[x];
        const Vector left = (variance.array() - gain.col(i).array().square() / label_variance)
                                .max(1e-14 * variance.array())
                                .sqrt();
        double error = 0;
        for (Index c = 0; c < sight.kinds; ++c) {
          step = (select::coded_class(c, sight.kinds) - mean.row(x).transpose()) / label_variance;
          double sum = 0;
          for (Index t = 0; t < r; ++t) {
            moved = own.col(t) + gain(t, i) * step;
            sum += select::runner_up(moved, left[t]);
          }
          error += p(x, c) * sum / double(r);
        }
        latest[x] = error;
      }
    });
    return (now - latest.array()).max(0);
  }
  std::string reason(const StrategyInput& sight, Index i) const {
    if (!sight.classifies()) return of_numbers.reason(sight, i);
    return fmt::format("the expected share of errors falls from {:.3g} to {:.3g}", now, latest[i]);
  }
};

}  // namespace

StrategyEntry variance_reduction();

StrategyEntry expected_error_reduction() {
  StrategyEntry e{
      "expected-error-reduction",
      "mean_t error(t) - sum_c p(c) mean_t error(t | label c at x); for numbers that of variance-reduction",
      "the fewest errors expected over 200 candidates; 200 times the cost of entropy, times the classes; of "
      "numbers the least mean squared error: variance-reduction",
      {"reference"},
      [](const Arguments& a) {
        return Strategy(ErrorReduction{a.integer("reference", 200, 1, 100000), variance_reduction().make(a)});
      }};
  e.question = Question::classes;
  e.reference = "roy2001";
  e.pending = StrategyEntry::Pending::seen_in_regression;
  return e;
}

}  // namespace covary::strategy
