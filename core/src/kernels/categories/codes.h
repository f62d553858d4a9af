// Codes of levels and of nodes: whole numbers from 0 on, in one column.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "covary/base/types.h"

namespace covary {

/// n: the codes in the one column of x. `kernel` is what errors call it: a usage Error for another number of columns,
/// a data Error for a number that is no code.
std::vector<Index> codes_of(const std::string& kernel, Rows x);

/// The number of levels in a column: its largest code and 1, at least 1. Throws a limit Error above `most`.
Index levels_of(const std::string& kernel, Rows x, Index most);

/// m standard normal draws that belong to a code: the same whenever they are asked for.
Vector code_draws(std::uint64_t seed, Index code, Index m);

}  // namespace covary
