// mixture-information: what a label tells of the rest of the pool, averaged over the hyper-parameters [krause2007].
#include <fmt/format.h>

#include "select/scores/mixture_scores.h"

namespace covary::strategy {
using namespace internal;
namespace {

struct MixtureInformation {
  select::MixtureInformation information;
  Vector latest = {};

  Vector scores(const StrategyInput& sight) { return latest = information.of(sight.belief); }
  std::string reason(const StrategyInput&, Index i) const {
    return fmt::format(
        "tells {:.3g} nats about the other candidates, on average over {:.2g} parameter vectors", latest[i],
        information.mixture().effective());
  }
};

int rest_of_pool(const Arguments& a) { return a.integer("reference", 300, 2, 5000); }

}  // namespace

StrategyEntry mixture_information() {
  StrategyEntry e{"mixture-information",
                  "sum_s w_s 1/2 log (var_s(y | labels) / var_s(y | other candidates))",
                  "mutual information under uncertain hyper-parameters; among at most 300 candidates",
                  {"draws", "spread", "reference"},
                  [](const Arguments& a) {
                    return Strategy(MixtureInformation{select::MixtureInformation(
                        select::draws_of(a), select::spread_of(a), rest_of_pool(a))});
                  }};
  e.reference = "krause2007";
  e.task = StrategyEntry::For::regression;
  e.labels = true;
  e.bytes = [](const Arguments& a, Index m) {
    const double r = double(std::min<Index>(rest_of_pool(a), m));
    return select::bytes_of_mixture(a, m) + 16 * double(select::draws_of(a)) * r * r;
  };
  return e;
}

}  // namespace covary::strategy
