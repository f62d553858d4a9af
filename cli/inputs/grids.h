// --grid of predict and sample: points over the ranges of the data in the place of a table.
#pragma once
#include <string>

#include "covary/table/grid.h"
#include "covary/table/table.h"

namespace CLI {
class App;
}

namespace covary::cli {

/// --grid.
void add_grid_option(CLI::App& verb, std::string& grid);

/// The points as a table.
Table grid_table(const std::vector<GridAxis>& axes);

}  // namespace covary::cli
