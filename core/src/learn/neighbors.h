// Starts made from the optima found, with other length-scales; and the roles of the parameters of a search.
#pragma once
#include "covary/base/random.h"
#include "covary/learn/search.h"

namespace covary {
using namespace internal;

/// The length-scales that belong to inputs.
std::vector<Index> input_lengthscales(const Search& search);

/// The length-scales of a period's kernel, in units of that period.
std::vector<Index> lengthscales_of(const Search& search, const SearchParameter& period);

/// True of a length-scale in units of the input.
bool in_input_units(const Search& search, size_t parameter);

/// "2.1.lengthscale" -> "2": the summand a parameter is of, in a sum of kernels.
std::string summand(const SearchParameter& s);

/// The best optimum with one or two of its length-scales made short, middling or long.
std::vector<Start> switched(const Search& search, const Basin& best, Random& rng);

/// In a sum of kernels the summand with the longest length-scales: optima differ by which one that is, and no
/// descent leads from one sort to the other.
Index slowest_summand(const Search& search, const Vector& t);

/// The best optimum with one length-scale changed: idle ones made to count, others made idle.
std::vector<Start> one_changed(const Search& search, const Basin& best);

}  // namespace covary
