// parameter-information: what a label tells of the hyper-parameters [krause2007].
#include <fmt/format.h>

#include "select/scores/mixture_scores.h"
#include "select/shared.h"

namespace covary::strategy {
using namespace internal;
namespace {

struct ParameterInformation {
  select::ParameterMixture mixture;
  Vector latest = {};

  Vector scores(const StrategyInput& sight) {
    mixture.follow(sight.belief);
    return latest = select::parameter_information(mixture, sight.belief);
  }
  std::string reason(const StrategyInput&, Index i) const {
    return fmt::format("tells {:.3g} of {:.3g} nats about the hyper-parameters", latest[i],
                       mixture.entropy());
  }
};

}  // namespace

StrategyEntry parameter_information() {
  return select::over_parameters(
      {"parameter-information",
       "H[sum_s w_s N_s] - sum_s w_s H[N_s]",
       "mutual information of a label and the hyper-parameters: explores them",
       {"draws", "spread"},
       [](const Arguments& a) {
         return Strategy(ParameterInformation{
             {select::draws_of(a), select::spread_of(a), select::ParameterMixture::Drawn::anew}});
       }});
}

}  // namespace covary::strategy
