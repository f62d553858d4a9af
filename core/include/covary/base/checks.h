// Checks that every function makes of the data it is given.
#pragma once
#include <string>

#include "covary/base/types.h"

namespace covary::internal {

/// Throws a data Error naming row and column of the first value that is not finite.
template <class B, class X = internal::index_of<B>>
void check_finite(const B& x, const std::string& what) {
  if constexpr (requires { IndexedBy<X>::check_finite(x, what); }) IndexedBy<X>::check_finite(x, what);
}
void check_finite(const Vector& y, const std::string& what);

/// Throws unless there is an observation for each point, and at least one.
void check_sizes(Index points, Index observations);

}  // namespace covary::internal
