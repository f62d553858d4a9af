// iwal: random queries with a known probability, in a stream [beygelzimer2010].
#include "covary/select/iwal.h"

#include "covary/select/strategy.h"

namespace covary::strategy {
using namespace internal;
namespace {

/// For streams only: the Selector refuses it before this is called.
struct Coin {
  Vector scores(const StrategyInput& sight) { return Vector::Ones(sight.pool().size); }
  std::string reason(const StrategyInput&, Index) const { return "drawn"; }
};

}  // namespace

StrategyEntry iwal() {
  StrategyEntry e{"iwal",
                  "p(x) = min(1, c (1/G^2 + 1/G) log t / (t - 1)), at least `least`, G: what the other side "
                  "for x costs in "
                  "weighted errors, a share of the t points so far",
                  "asks with a known probability, labels weigh 1/p: unbiased risks, labels may be wrong",
                  {"c", "least"},
                  [](const Arguments& a) {
                    (void)iwal_options(a);
                    return Strategy(Coin{});
                  }};
  e.question = Question::classes;
  e.reference = "beygelzimer2010";
  e.task = StrategyEntry::For::classification;
  e.stream = StrategyEntry::For::classification;
  e.pool = false;
  return e;
}

}  // namespace covary::strategy
