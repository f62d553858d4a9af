// Error hints for unknown names: the known names, the nearest first.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace covary::internal {

/// ", did you mean 'x'? There are x, a, b", the name that is nearest first; "; there are a, b, x" if none is
/// near.
std::string there_are(std::string_view name, std::vector<std::string> known);

/// `name`, in double quotes unless it is a plain word.
std::string quoted_if_needed(const std::string& name);

}  // namespace covary::internal
