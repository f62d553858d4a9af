// Whether a table that grows while it is read still fits into memory.
#pragma once
#include "covary/table/table.h"

namespace covary::csv {

/// Throws Problem::limit, with the figures, if another megabyte of text might take more than is free.
/// O(columns).
void check_room(const Table& table);

}  // namespace covary::csv
