// Reads a formula where a cursor stands.
#pragma once
#include "base/lexer.h"
#include "covary/basis/formula.h"

namespace covary {
using namespace internal;

/// The number of the column named `name`. Fails at `position` if there is none, with the nearest name.
Index column_named(Cursor& at, size_t position, const std::string& name,
                   const std::vector<std::string>& columns);

/// The longest formula that begins at the cursor, which is left behind it.
Formula read_formula(Cursor& at, const std::vector<std::string>& columns);

}  // namespace covary
