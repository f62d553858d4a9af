// information: mutual information of a label and the rest of the pool [krause2008].
#include <fmt/format.h>

#include "select/scores/information_gains.h"

namespace covary::strategy {
using namespace internal;
namespace {

struct Information {
  select::InformationGains gains;
  Vector latest = {};

  Vector scores(const StrategyInput& sight) { return latest = gains.of(sight.belief); }
  std::string reason(const StrategyInput&, Index i) const {
    return fmt::format("tells {:.3g} nats about the other candidates", latest[i]);
  }
};

int reference_rows(const Arguments& a) { return a.integer("reference", 1500, 2, 20000); }

}  // namespace

StrategyEntry information() {
  StrategyEntry e{
      "information",
      "1/2 log (var(y | labels) / var(y | other candidates))",
      "mutual information with the other candidates without a label, at most 1500",
      {"reference"},
      [](const Arguments& a) { return Strategy(Information{select::InformationGains(reference_rows(a))}); }};
  e.reference = "krause2008";
  e.bytes = [](const Arguments& a, Index m) {
    const double r = double(std::min<Index>(reference_rows(a), m));
    return 24 * r * r;
  };
  return e;
}

}  // namespace covary::strategy
