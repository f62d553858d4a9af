#include "covary/select/forecast.h"

#include <algorithm>
#include <cmath>

namespace covary {

Forecast forecast(Selector s, Index candidates, double goal, Index most) {
  const auto largest = [&] {
    return std::sqrt(std::max(0.0, s.belief().variance().head(candidates).maxCoeff()));
  };
  Forecast out;
  out.now = out.left = largest();
  for (; out.left > goal && out.labels < most && s.open() > 0; ++out.labels)
    s.suggest(), out.left = largest();
  out.reached = out.left <= goal, out.exhausted = s.open() == 0;
  return out;
}

NamedStrategy played(const NamedStrategy& strategy) {
  const bool waits = strategy.entry->pending == StrategyEntry::Pending::unseen && !strategy.entry->chance;
  return waits ? parse_strategy("uncertainty") : strategy;
}

Index most_played(Index candidates) {
  const double each = 4.0 * double(std::min<Index>(candidates, 1000)) * double(candidates);
  return std::clamp<Index>(Index(1e11 / each), 10, 2000);
}

}  // namespace covary
