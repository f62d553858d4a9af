// --grid of predict and sample: points over the ranges of the data in the place of a table.
#pragma once
#include <string>

#include "covary/model/fitted_model.h"
#include "covary/table/table.h"

namespace CLI {
class App;
}

namespace covary::cli {

/// --grid.
void add_grid_option(CLI::App& verb, std::string& grid);

/// The points as a table: over the columns of a model, with dates and categories as its tables have them.
Table grid_table(const std::string& grid, const FittedModel& model);
/// Of numbers alone, over the columns that the grid names.
Table grid_table(const std::string& grid);

}  // namespace covary::cli
