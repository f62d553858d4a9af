// svm-margin: the candidate closest to the separator of all labels so far [tong2001].
#include <fmt/format.h>

#include <cmath>

#include "covary/select/machines.h"
#include "select/shared.h"

namespace covary::strategy {
namespace {

struct Margin {
  Machines machines;
  Index generation = -1;
  select::Distances distances = {};
  Vector latest = {};
  bool separated = false;

  /// m: |f|, in margins, of the separator that is nearest; without one (a single class so far), how far each
  /// is from the labels.
  Vector scores(const Sight& sight) {
    const Belief& belief = sight.belief;
    const std::vector<Index> labelled(belief.order().begin(), belief.order().begin() + belief.labels());
    machines.train(sight.pool(), labelled, sight.classes, sight.kinds, generation != belief.generation());
    generation = belief.generation();
    separated = machines.any();
    if (!separated) return latest = distances.to_nearest(belief);
    latest = Vector(sight.pool().size);
    for_runs(latest.size(), belief.threads(), [&](Range r) {
      const Matrix f = machines.decision(
          r.count, [&](const std::vector<Index>& support) { return sight.pool().block(r, support); });
      for (Index i = 0; i < r.count; ++i) latest[r.first + i] = nearest(f.row(i));
    });
    return (1 + latest.array()).inverse();
  }
  std::string reason(const Sight&, Index i) const {
    if (!separated) return "all labels are of one class: the farthest from them may be of another";
    return fmt::format("{:.2g} margins from the separator of the labels so far", latest[i]);
  }

 private:
  double nearest(const Eigen::Ref<const Eigen::RowVectorXd>& f) const {
    double least = std::numeric_limits<double>::infinity();
    for (Index c = 0; c < machines.count(); ++c)
      if (machines.machine(c)) least = std::min(least, std::abs(f[machines.count() == 1 ? 1 : c]));
    return least;
  }
};

}  // namespace

StrategyEntry svm_margin() {
  StrategyEntry e{"svm-margin",
                  "1 / (1 + |f(x)|), f the widest-margin separator of the labels",
                  "the candidate nearest to the separator; bends the sample, so mix in random picks",
                  {"penalty"},
                  [](const Arguments& a) {
                    SvmOptions options;
                    options.penalty = std::isnan(a.number("penalty")) ? 10 : a.number("penalty");
                    options.threads = 1;
                    check(options);
                    return Strategy(Margin{Machines(options)});
                  }};
  e.task = StrategyEntry::For::classification;
  e.pending = StrategyEntry::Pending::unseen;
  return e;
}

}  // namespace covary::strategy
