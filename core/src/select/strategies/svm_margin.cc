// svm-margin: the candidate closest to the separator of all labels so far [tong2001].
#include <fmt/format.h>

#include <cmath>

#include "select/shared.h"

namespace covary::strategy {
using namespace internal;
namespace {

/// Looks at the Classifier of the labels: the one that users of the same kernel and penalty have.
struct Margin {
  PoolClassifier classifier = {};
  Index generation = -1;
  select::Distances distances = {};
  Vector latest = {};
  bool separated = false;

  /// m: |f|, in margins, of the separator that is nearest; without one (a single class so far), how far each
  /// is from the labels.
  Vector scores(const StrategyInput& sight) {
    const PoolPosterior& belief = sight.belief;
    train(sight);
    separated = std::count(classifier.machines.begin(), classifier.machines.end(), true) > 0;
    if (!separated) return latest = distances.to_nearest(belief);
    latest = Vector(sight.pool().size);
    for_runs(latest.size(), belief.threads(), [&](Range r) {
      const Matrix f = classifier.decision(r);
      for (Index i = 0; i < r.count; ++i) latest[r.first + i] = nearest(f.row(i));
    });
    return (1 + latest.array()).inverse();
  }
  std::string reason(const StrategyInput&, Index i) const {
    if (!separated) return "all labels are of one class: the farthest from them may be of another";
    return fmt::format("{:.2g} margins from the separator of the labels so far", latest[i]);
  }

 private:
  /// Begins with what it was at the last call, unless the labels or the kernel are no longer those.
  void train(const StrategyInput& sight) {
    const PoolPosterior& belief = sight.belief;
    if (generation != belief.generation()) classifier = {};
    generation = belief.generation();
    if (belief.labels() == 0) return;
    const std::vector<Index> labelled(belief.order().begin(), belief.order().begin() + belief.labels());
    classifier = sight.pool().classifier(labelled, sight.classes, sight.svm, classifier);
  }
  double nearest(const Eigen::Ref<const Eigen::RowVectorXd>& f) const {
    double least = std::numeric_limits<double>::infinity();
    for (Index c = 0; c < f.size(); ++c)
      if (classifier.machines[static_cast<size_t>(c)]) least = std::min(least, std::abs(f[c]));
    return least;
  }
};

}  // namespace

StrategyEntry svm_margin() {
  StrategyEntry e{
      "svm-margin",
      "1 / (1 + |f(x)|), f the classifier of the labels: 1 and -1 at the edges of its margin",
      "the candidate nearest to the classifier's separator; bends the sample, so mix in random picks",
      {"penalty"},
      [](const Arguments& a) {
        if (const double penalty = a.number("penalty"); !std::isnan(penalty))
          check(SvmOptions{.penalty = penalty});
        return Strategy(Margin{});
      }};
  e.question = Question::classes;
  e.reference = "tong2001";
  e.task = StrategyEntry::For::classification;
  e.stream = StrategyEntry::For::classification;
  e.pending = StrategyEntry::Pending::unseen;
  e.machine = true;
  return e;
}

}  // namespace covary::strategy
