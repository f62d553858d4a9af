// The result of a search in terms of the user's parameters.
#pragma once
#include "covary/learn/search.h"

namespace covary {
using namespace internal;

/// Fills the parameters of the summary, and notes on active bounds and on given numbers that the search left.
void describe(const Search& search, const FitOptions& options, const Vector& theta, Summary& summary);

}  // namespace covary
