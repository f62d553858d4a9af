// How many more labels until every candidate is as certain as asked for: variances do not depend on what will
// be measured, so that can be played through.
#pragma once
#include "covary/select/selector.h"

namespace covary {

struct Forecast {
  double now = 0;          // the largest sd of f among the candidates
  Index labels = 0;        // that were played through
  double left = 0;         // the largest sd they leave
  bool reached = false;    // it is no larger than the goal
  bool exhausted = false;  // no candidate is left to be measured: the pool leaves that much
};

/// Plays choices of s, one after another, until the sd of f at each of the first `candidates` is `goal` at
/// most, none is left, or `most` were made. A candidate that was measured counts as well: noise leaves it an
/// sd. A choice costs what suggest does.
Forecast forecast(Selector s, Index candidates, double goal, Index most);

namespace internal {
/// What that comes to, in a sentence; `goal`, now and left in the same unit.
std::string forecast_words(const Forecast& f, double goal, const std::string& unit = "");

/// A strategy to play through: the same, unless its choices wait for labels; then where sd is largest.
NamedStrategy played(const NamedStrategy& strategy);

/// Choices that can be played through in about 1e11 flops, at most 2000.
Index most_played(Index candidates);
}  // namespace internal

}  // namespace covary
