#include "inputs/grids.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "command.h"
#include "covary/base/dates.h"
#include "covary/base/error.h"
#include "covary/table/grid.h"
#include "inputs/model_inputs.h"

namespace covary::cli {

void add_grid_option(CLI::App& verb, std::string& grid) {
  verb.add_option("--grid", grid,
                  "Grid in place of a table: points per column over the range of the data, or by name: '50, "
                  "x=0..10:101, z=5'")
      ->type_name("GRID");
}

namespace {

/// yes and true, no and false, 1 and 0 as a column of booleans has them.
double truth_of(const std::string& column, const std::string& text) {
  for (const char* yes : {"yes", "true", "1"})
    if (text == yes) return 1;
  for (const char* no : {"no", "false", "0"})
    if (text == no) return 0;
  throw Error(Problem::usage, fmt::format("grid: '{}' holds yes or no, found '{}'", column, text));
}

GridTypes types_of(const Schema& schema, const Matrix& x) {
  const auto place = [=](const std::string& column) {
    const std::vector<std::string> names = schema.names();
    return std::find(names.begin(), names.end(), column) - names.begin();
  };
  GridTypes out;
  out.value = [=](const std::string& column, const std::string& text) -> std::optional<double> {
    const Index k = place(column);
    if (k >= schema.size()) return {};
    if (schema[k].codes) return schema.code(k, text);
    if (schema[k].type == ColumnType::boolean) return truth_of(column, text);
    if (!internal::holds_dates(schema[k].type)) return {};
    for (const internal::DateFormat& f : internal::date_formats(text))
      if (const auto read = internal::read_date(text, f); read->wrong.empty())
        return schema[k].type == ColumnType::date ? double(read->days)
                                                  : 86400 * double(read->days) + read->seconds;
    throw Error(Problem::usage, fmt::format("grid: '{}' holds dates, found '{}'", column, text));
  };
  out.levels = [=](const std::string& column) -> Vector {
    const Index k = place(column);
    if (k >= schema.size() || (!schema[k].codes && schema[k].type != ColumnType::boolean)) return {};
    const std::set<double> all(x.col(k).begin(), x.col(k).end());
    Vector levels(std::ssize(all));
    std::copy(all.begin(), all.end(), levels.begin());
    return levels;
  };
  return out;
}

}  // namespace

Table grid_table(const std::string& grid, const FittedModel& model) {
  const Schema schema = internal::schema_of(model->request, model->features);
  Matrix points = grid_points(parse_grid(grid, model->features, model->x, types_of(schema, model->x)));
  Table t{.source = "--grid"};
  for (Index k = 0; k < points.cols(); ++k) {
    if (schema[k].type == ColumnType::date) points.col(k) = points.col(k).array().round();
    t.columns.push_back(input_column(model, k, points));
  }
  return t;
}

Table grid_table(const std::string& grid) {
  const std::vector<GridAxis> axes = parse_grid(grid, {});
  const Matrix points = grid_points(axes);
  Table t{.source = "--grid"};
  for (Index k = 0; k < points.cols(); ++k)
    t.columns.push_back(
        {.name = axes[static_cast<size_t>(k)].name, .values = {points.col(k).begin(), points.col(k).end()}});
  return t;
}

}  // namespace covary::cli
