// Starts made from what was found: other length-scales, other periods.
#pragma once
#include "covary/random.h"
#include "covary/search.h"

namespace covary {

/// The length-scales that belong to inputs.
std::vector<Index> input_lengthscales(const Search& search);

/// The best optimum with one or two of its length-scales made short, middling or long.
std::vector<Start> switched(const Search& search, const Basin& best, Random& rng);

/// The best optimum with each of its periods moved over all that could be: alone, and with the length-scale
/// of its kernel in proportion, so that short distances look the same.
std::vector<Start> moved_periods(const Search& search, const Basin& best);

/// A start on a grid of period, length-scale and noise, for each periodic kernel.
std::vector<Start> period_grid(const Search& search, const Start& at);

/// The best optimum with one length-scale changed: idle ones made to count, others made idle.
std::vector<Start> one_changed(const Search& search, const Basin& best);

}  // namespace covary
