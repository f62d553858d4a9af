// std::from_chars of a double, on standard libraries that lack it too.
#pragma once
#include <charconv>

namespace covary::internal {

/// Never by the locale. Beyond the largest double: an error, as in std::from_chars.
std::from_chars_result read_number(const char* from, const char* to, double& value);

}  // namespace covary::internal
