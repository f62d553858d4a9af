// explicit-exploration: the hyper-parameters first, until a sequential design has little left to gain over a fixed one;
// then the function [krause2007].
#include <fmt/format.h>

#include <cmath>

#include "covary/select/adaptivity_gap.h"
#include "select/scores/mixture_scores.h"

namespace covary::strategy {
using namespace internal;
namespace {

constexpr double least_information = 0.02;  // nats of the hyper-parameters: below it, exploring leads nowhere

/// Explores while the bound on the adaptivity gap of the next `horizon` labels is above `gap`, and some candidate tells of
/// the parameters. The parameter vectors of the bound are drawn once, so that their entropy can fall.
struct ExplicitExploration {
  Index horizon;
  double gap;
  select::ParameterMixture parameters;
  select::MixtureInformation information;
  AdaptivityGap now = {};
  double most = 0;  // nats that a candidate tells of the parameters
  Vector latest = {};

  bool above() const { return now.bound() > gap; }
  bool explores() const { return above() && most >= least_information; }
  Vector scores(const StrategyInput& sight) {
    const PoolPosterior& belief = sight.belief;
    parameters.follow(belief);
    latest = Vector::Zero(belief.pool().size);
    now = adaptivity_gap(parameters.members(), parameters.weights(), horizon);
    if (above()) {
      latest = select::parameter_information(parameters, belief);
      most = 0;
      std::vector<char> known(static_cast<size_t>(latest.size()), 0);
      for (const Index i : belief.order()) known[static_cast<size_t>(i)] = 1;
      for (Index i = 0; i < latest.size(); ++i)
        if (!known[static_cast<size_t>(i)]) most = std::max(most, latest[i]);
    }
    if (!explores()) latest = information.of(belief);
    return latest;
  }
  std::string reason(const StrategyInput&, Index i) const {
    const auto labels = std::ssize(now.design);
    if (explores())
      return fmt::format(
          "explores: tells {:.2g} of {:.2g} nats about the hyper-parameters; measuring the next {} in "
          "sequence may tell "
          "{:.3g} nats more than choosing them now, above gap={:g}",
          latest[i], now.parameters, labels, now.bound(), gap);
    if (above())
      return fmt::format(
          "exploits: tells {:.2g} nats about the other candidates; the bound of {:.3g} nats stays above "
          "gap={:g}, as no "
          "candidate tells more than {:.1g} nats about the hyper-parameters",
          latest[i], now.bound(), gap, most);
    return fmt::format(
        "exploits: tells {:.2g} nats about the other candidates; measuring the next {} in sequence tells at "
        "most {:.3g} "
        "nats more than choosing them now, gap={:g}",
        latest[i], labels, now.bound(), gap);
  }
};

double gap_of(const Arguments& a) {
  const double gap = a.number("gap");
  if (std::isnan(gap)) return 5;
  if (gap > 0) return gap;
  throw Error(
      Problem::usage,
      fmt::format("strategy explicit-exploration: gap, in nats, must be above 0, found {:g}: no labels make "
                  "uncertain parameters certain",
                  gap));
}

}  // namespace

StrategyEntry explicit_exploration() {
  StrategyEntry e = select::over_parameters(
      {"explicit-exploration",
       "parameter-information while H(theta) + D > gap, then mixture-information",
       "hyper-parameters first, until a sequential design gains at most `gap` nats over a fixed one",
       {"gap", "horizon", "draws", "spread"},
       [](const Arguments& a) {
         const int draws = select::draws_of(a);
         const double spread = select::spread_of(a);
         return Strategy(ExplicitExploration{a.integer("horizon", 10, 1, 1000),
                                             gap_of(a),
                                             {draws, spread, select::ParameterMixture::Drawn::once},
                                             select::MixtureInformation(draws, spread, 300)});
       }});
  e.bytes = [](const Arguments& a, Index m) {
    return 3 * select::bytes_of_mixture(a, m) + 16 * 300.0 * 300 * double(select::draws_of(a));
  };
  return e;
}

}  // namespace covary::strategy
