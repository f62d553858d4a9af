// Cells that say yes or no.
#pragma once
#include <optional>
#include <string>

namespace covary::internal {

/// 1 of yes, true, no matter the case, 0 of no and false; else nothing.
std::optional<double> boolean_in(const std::string& text);
inline bool is_boolean(const std::string& text) { return boolean_in(text).has_value(); }

}  // namespace covary::internal
