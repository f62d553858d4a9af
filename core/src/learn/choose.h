// The choice among many starts, or many optima, to continue a search from.
#pragma once
#include "learn/descend.h"
#include "learn/periods/periods.h"

namespace covary {
using namespace internal;

void by_value(std::vector<Screened>& all);

/// The best starts that are apart from each other and from those in `from`, to make `count` more of them;
/// `screened` is in order. Periods are apart from 0.15 `period_width` on, in logarithms.
void add_best(const Search& search, const std::vector<Screened>& screened, int count,
              std::vector<Start>& from, double period_width = 0.2);

/// The peaks of every sweep by value, best first.
std::vector<Screened> peaks(const Task& task, const Ground& on, const std::vector<Sweep>& sweeps);

/// Those refined on all rows first, each by its objective.
void best_first(std::vector<Basin>& basins);

/// Distinct optima, best first, each with the number of starts that led to it.
std::vector<Basin> distinct(std::vector<Basin> found);

/// The best optima that are apart, up to `count` of each sort (slowest_summand); `found` is in order.
std::vector<Basin> best_of_each(const Search& search, const std::vector<Basin>& found, int count,
                                double period_width = 0.02);

}  // namespace covary
