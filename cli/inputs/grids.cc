#include "inputs/grids.h"

#include "command.h"

namespace covary::cli {

void add_grid_option(CLI::App& verb, std::string& grid) {
  verb.add_option("--grid", grid,
                  "Grid in place of a table: points per column over the range of the data, or by name: '50, "
                  "x=0..10:101, z=5'")
      ->type_name("GRID");
}

Table grid_table(const std::vector<GridAxis>& axes) {
  const Matrix points = grid_points(axes);
  Table t{.source = "--grid"};
  for (Index k = 0; k < points.cols(); ++k)
    t.columns.push_back(
        {.name = axes[static_cast<size_t>(k)].name, .values = {points.col(k).begin(), points.col(k).end()}});
  return t;
}

}  // namespace covary::cli
