// knowledge-gradient: by how much a label raises the best posterior mean, on average.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "select/scores/improvement.h"
#include "select/shared.h"

namespace covary::strategy {
namespace {

/// A label at x moves the mean at t to mean(t) + b_t Z, b_t = cov(t, x)/sqrt(var(x) + noise), Z ~ N(0, 1). The
/// maximum is over r candidates t: the labelled and the others; 2 m r n flops and m r log r.
struct KnowledgeGradient {
  int reference;
  double now = 0, sign = 1;
  Vector latest = {};

  Vector scores(const StrategyInput& sight) {
    const PoolPosterior& belief = sight.belief;
    const select::Outlook o = select::outlook(sight);
    std::vector<Index> some = belief.order();
    std::sort(some.begin(), some.end());
    some.erase(std::unique(some.begin(), some.end()), some.end());
    const auto known = std::ssize(some);
    for (const Index i : select::unlabelled(belief, reference))
      if (!std::binary_search(some.begin(), some.begin() + known, i)) some.push_back(i);
    const Vector a = o.mean(some), variance = belief.variance() + belief.pool().noise;
    now = a.maxCoeff(), sign = o.sign;
    latest.resize(o.mean.size());
    belief.runs("scores", [&](Range r) {
      const Matrix cov = belief.covariance(r, some);
      for (Index i = 0; i < r.count; ++i) {
        const double own = variance[r.first + i];
        latest[r.first + i] =
            own > 0 ? select::knowledge_gain_value(a, cov.row(i).transpose() / std::sqrt(own)) : 0;
      }
    });
    return latest;
  }
  std::string reason(const StrategyInput&, Index i) const {
    return fmt::format("takes the best mean from {:.4g} to {:.4g} on average", sign * now,
                       sign * (now + latest[i]));
  }
};

}  // namespace

StrategyEntry knowledge_gradient() {
  StrategyEntry e{
      "knowledge-gradient",
      "E max_t mean(t | label at x) - max_t mean(t)",
      "the expected rise of the best mean by one label, given noise; over at most 1000 candidates",
      {"reference"},
      [](const Arguments& a) { return Strategy(KnowledgeGradient{a.integer("reference", 1000, 1, 20000)}); }};
  e.question = Question::best;
  e.task = StrategyEntry::For::regression;
  e.pending = StrategyEntry::Pending::unseen;
  e.reference = "frazier2009";
  return e;
}

}  // namespace covary::strategy
