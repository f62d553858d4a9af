// The number of labels until every candidate is as certain as required: posterior variances do not depend on the
// values to be measured, so the choices can be simulated.
#pragma once
#include "covary/select/selector.h"

namespace covary {

struct Forecast {
  double now = 0;          // the largest sd of f among the candidates
  Index labels = 0;        // that were simulated
  double left = 0;         // the largest sd they leave
  bool reached = false;    // it is no larger than the goal
  bool exhausted = false;  // no candidate is left to be measured: the pool leaves that much
};

/// Simulates choices of s, one after another, until the sd of f at each of the first `candidates` is at most
/// `goal`, none is left, or `most` were made. A candidate that was measured counts as well: noise leaves it an
/// sd. A choice costs what suggest does.
Forecast forecast(Selector s, Index candidates, double goal, Index most);

namespace internal {
/// The forecast in a sentence; `goal`, now and left in the same unit.
std::string forecast_words(const Forecast& f, double goal, const std::string& unit = "");

/// The strategy to simulate: the same, unless its choices depend on labels; then the largest sd.
NamedStrategy played(const NamedStrategy& strategy);

/// Number of choices that can be simulated in about 1e11 flops, at most 2000.
Index most_played(Index candidates);
}  // namespace internal

}  // namespace covary
