// Starts with other periods: an objective has a peak for each that the data, or a multiple of it, may have.
#pragma once
#include "learn/neighbors.h"

namespace covary {
using namespace internal;

/// Starts along a parameter, in its order: what counts of them are the peaks.
using Sweep = std::vector<Start>;

/// The best optimum with each of its periods moved over all that could be: alone, and with the length-scale
/// of its kernel in proportion, so that short distances look the same. So too with the length-scales that the
/// season fades with in proportion, and with these doubled. And to its multiples, which a grid would miss: a
/// pattern that is the same every third year.
std::vector<Sweep> moved_periods(const Search& search, const Basin& best);

/// Sweeps of each period over length-scales and noises: one grid at the start, one for each choice of short
/// and long length-scales of inputs.
std::vector<std::vector<Sweep>> period_grids(const Search& search, const Start& at);

}  // namespace covary
