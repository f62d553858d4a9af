// diversity: far from everything labelled, whatever the labels say.
#include <fmt/format.h>

#include <cmath>

#include "select/shared.h"

namespace covary::strategy {
namespace {

struct Farthest {
  select::Distances distances = {};
  Vector latest = {};

  Vector scores(const StrategyInput& sight) { return latest = distances.to_nearest(sight.belief); }
  std::string reason(const StrategyInput&, Index i) const {
    return fmt::format("distance {:.3g} from the nearest label, {:.2g} times the median",
                       std::sqrt(latest[i]), std::sqrt(select::times_median(latest, i)));
  }
};

struct Determinant {
  Vector scores(const StrategyInput& sight) { return sight.belief.variance(); }
  std::string reason(const StrategyInput& sight, Index i) const {
    const double share = sight.belief.variance()[i] / sight.pool().diagonal[i];
    return fmt::format("{:.3g} % of its variance is not explained by the labels' places", 100 * share);
  }
};

}  // namespace

StrategyEntry diversity() {
  StrategyEntry e{"diversity",
                  "min_z k(x, x) + k(z, z) - 2 k(x, z) over labels z",
                  "covers the pool, farthest first, whatever the labels say; a good start",
                  {},
                  [](const Arguments&) { return Strategy(Farthest{}); }};
  e.reference = "gonzalez1985";
  return e;
}

StrategyEntry determinant() {
  StrategyEntry e{"determinant",
                  "var f(x), pending ones counted: the batch of largest determinant, greedily",
                  "covers the pool by the volume a batch spans; for batches",
                  {},
                  [](const Arguments&) { return Strategy(Determinant{}); }};
  e.reference = "shewry1987";
  return e;
}

}  // namespace covary::strategy
