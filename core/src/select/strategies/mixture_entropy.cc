// mixture-entropy: where a label is least foreseen, the hyper-parameters uncertain [krause2007].
#include <fmt/format.h>

#include <cmath>

#include "select/scores/mixture_scores.h"
#include "select/shared.h"

namespace covary::strategy {
using namespace internal;
namespace {

struct MixtureEntropy {
  select::ParameterMixture mixture;
  Vector latest = {};

  Vector scores(const StrategyInput& sight) {
    mixture.follow(sight.belief);
    return latest = select::entropy_power(mixture, sight.belief);
  }
  std::string reason(const StrategyInput&, Index i) const {
    return fmt::format(
        "entropy of a normal of sd {:.3g}, {:.2g} times the median; {:.2g} parameter vectors count",
        std::sqrt(latest[i]), std::sqrt(select::times_median(latest, i)), mixture.effective());
  }
};

}  // namespace

StrategyEntry mixture_entropy() {
  return select::over_parameters(
      {"mixture-entropy",
       "exp(2 H[sum_s w_s N_s]) / (2 pi e)",
       "entropy of a label under uncertain hyper-parameters: explores them implicitly",
       {"draws", "spread"},
       [](const Arguments& a) {
         return Strategy(MixtureEntropy{
             {select::draws_of(a), select::spread_of(a), select::ParameterMixture::Drawn::anew}});
       }});
}

}  // namespace covary::strategy
