// Infinity, not a number, and the spacing of numbers at 1.
#pragma once
#include <limits>

namespace covary {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double eps = std::numeric_limits<double>::epsilon();

}  // namespace covary
