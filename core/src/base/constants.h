// Infinity, not a number, the spacing of numbers at 1, and log 2 pi.
#pragma once
#include <limits>

namespace covary {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double eps = std::numeric_limits<double>::epsilon();
inline constexpr double log_two_pi = 1.8378770664093454836;

}  // namespace covary
