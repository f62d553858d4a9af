// How messages name the rows of a table or an array: counted from 1, or by their index where the program's
// own language counts from 0.
#pragma once
#include <string>

#include "covary/base/types.h"

namespace covary::internal {

/// "row 4" of the row i = 3; after name_rows_by_index(), "row index 3".
std::string row_words(Index i);

/// The number in it alone: 4, or 3. Of columns too.
Index row_number(Index i);

/// The note for a constant column, called `name`.
std::string constant_note(const std::string& name, bool ignored);

/// The note for two columns with the same numbers.
std::string identical_note(const std::string& one, const std::string& other);

/// From now on, in this process.
void name_rows_by_index();

}  // namespace covary::internal
