#include "covary/select/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "covary/learn/summary_words.h"

namespace covary {
using namespace internal;

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

std::string internal::forecast_words(const Forecast& f, double goal, const std::string& unit) {
  const auto said = [&](double sd) { return rounded(sd) + (unit.empty() ? "" : " " + unit); };
  const std::string at_most = said(goal), now = said(f.now), left = said(f.left);
  if (f.labels == 0) return fmt::format("no candidate's sd is above {}: that is enough", at_most);
  const std::string more = fmt::format("{} more label{}", f.labels, f.labels == 1 ? "" : "s");
  if (f.reached)
    return fmt::format("the largest sd is {}; about {} to reach {}, with these parameters", now, more,
                       at_most);
  if (f.exhausted)
    return fmt::format(
        "an sd of {} cannot be reached with these candidates: the largest sd is {}, and {} {} "
        "leaves {}, with these parameters",
        at_most, now, f.labels == 1 ? "measuring the only one" : "measuring all", f.labels, left);
  return fmt::format("the largest sd is {}; {} leave {}, and {} takes more than those, if it can be reached",
                     now, more, left, at_most);
}

NamedStrategy internal::played(const NamedStrategy& strategy) {
  const bool waits = strategy.entry->pending == StrategyEntry::Pending::unseen && !strategy.entry->chance;
  return waits ? parse_strategy("uncertainty") : strategy;
}

Index internal::most_played(Index candidates) {
  const double each = 4.0 * double(std::min<Index>(candidates, 1000)) * double(candidates);
  return std::clamp<Index>(Index(1e11 / each), 10, 2000);
}

}  // namespace covary
