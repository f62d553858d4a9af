// What every function that takes data asks of it first.
#pragma once
#include <span>
#include <string>

#include "covary/base/types.h"

namespace covary {

/// Throws a data Error naming row and column of the first value that is not finite.
void check_finite(const Rows& x, const std::string& what);
template <class X>
void check_finite(std::span<const X>, const std::string&) {}
void check_finite(const Vector& y, const std::string& what);

/// Throws unless there is an observation for each point, and at least one.
void check_sizes(Index points, Index observations);

}  // namespace covary
