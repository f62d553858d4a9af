// Rows of a table as they came, with columns behind.
#pragma once
#include <string>
#include <vector>

#include "covary/table/table.h"

namespace covary::cli {

/// CSV: row rows[i] of the reader's table, byte for byte, then row i of `more`. A column whose name the table has
/// already is called name_2. Nothing of `more` may be missing.
std::string with_columns_behind(const CsvReader& reader, const std::vector<Index>& rows, Table more);

}  // namespace covary::cli
