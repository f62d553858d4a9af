// thompson: the best candidate of one draw from the posterior.
#include <fmt/format.h>

#include <cmath>

#include "covary/algebra/factor.h"
#include "covary/base/random.h"
#include "select/scores/improvement.h"
#include "select/shared.h"

namespace covary::strategy {
using namespace internal;
namespace {

/// One draw of sign f at r candidates without a label, jointly: 2 m r n + r^3/3 flops. Others score 0.
struct Thompson {
  int reference;
  select::Outlook now = {};
  Vector draw = {};  // m

  Vector scores(const StrategyInput& sight) {
    const PoolPosterior& belief = sight.belief;
    now = select::outlook(sight);
    Random rng(sight.seed);
    std::vector<Index> some = select::unlabelled(belief, belief.pool().size);
    if (std::ssize(some) > reference) {
      std::vector<Index> chosen = rng.subset(std::ssize(some), reference);
      for (Index& i : chosen) i = some[static_cast<size_t>(i)];
      some = std::move(chosen);
    }
    Matrix cov(std::ssize(some), std::ssize(some));
    for (Index i = 0; i < cov.rows(); ++i)
      cov.row(i) = belief.covariance({some[static_cast<size_t>(i)], 1}, some).row(0);
    const double rounding = 1e-12 * belief.pool().diagonal(some).maxCoeff();
    draw = now.mean;
    draw(some) += root(0.5 * (cov + cov.transpose()), rounding) * rng.normal(cov.rows(), 1);
    Vector out = Vector::Zero(draw.size());
    out(some) = select::above_least(draw(some));
    return out;
  }
  std::string reason(const StrategyInput&, Index i) const {
    return fmt::format("the {} of a draw from the posterior: {:.4g} there, mean {:.4g}",
                       now.sign > 0 ? "largest" : "smallest", now.sign * draw[i], now.sign * now.mean[i]);
  }
};

}  // namespace

StrategyEntry thompson() {
  StrategyEntry e{
      "thompson",
      "g(x), g a draw of f from the posterior, above its least over the candidates",
      "the maximum of a posterior draw: explores in batches; over at most 1000 candidates",
      {"reference"},
      [](const Arguments& a) { return Strategy(Thompson{a.integer("reference", 1000, 1, 20000)}); }};
  e.question = Question::best;
  e.task = StrategyEntry::For::regression;
  e.pending = StrategyEntry::Pending::unseen;
  e.bytes = [](const Arguments& a, Index m) {
    const double r = std::min<double>(a.integer("reference", 1000, 1, 20000), double(m));
    return 32 * r * r;
  };
  e.reference = "thompson1933";
  return e;
}

}  // namespace covary::strategy
