// What a search found, in the terms of the user's parameters.
#pragma once
#include "covary/learn/search.h"

namespace covary {
using namespace internal;

/// Fills the parameters of the summary, and notes of bounds that hold and of given numbers that were left.
void describe(const Search& search, const FitOptions& options, const Vector& theta, Summary& summary);

}  // namespace covary
