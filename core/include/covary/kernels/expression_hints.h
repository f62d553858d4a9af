// Hints for unknown kernel names.
#pragma once
#include <string>
#include <vector>

#include "covary/kernels/expression.h"

namespace covary::internal {

/// ", did you mean 'se'?" for rbf(), as other libraries call it; or the nearest of the `known` names, or all
/// of them.
std::string kernel_hint(const Expression& call, const std::vector<std::string>& known);

}  // namespace covary::internal
