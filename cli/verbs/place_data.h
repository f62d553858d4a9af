// The arguments of covary place, and its table of places.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "covary/kernels/records/schema.h"
#include "covary/place/problem.h"
#include "covary/table/table.h"
#include "inputs/tables.h"
#include "output.h"

namespace covary::cli {

/// The options as typed.
struct PlaceArguments {
  const CLI::App* verb = nullptr;
  std::string candidates, criterion = "mutual-information", beside;
  std::vector<std::string> models;
  std::string kernel, history, covariance;  // what is believed of the field
  std::string existing, targets, forbid, cost, group, noise, name, coordinates;
  std::string shrink, evaluate, held_out;
  Index k = 0, per_group = 1, draws = 0, repeats = 200;
  double budget = std::numeric_limits<double>::infinity(), min_distance = 0, nugget = 0;
  bool refine = false, optimal = false, robust = false;
  Index neighbors = 50;      // of local criteria
  double max_seconds = 300;  // of the search for the best
  std::string out = "-", plot, plot_curve, unit, missing = "error";
  std::uint64_t seed = 1;
  std::vector<std::string> types;
  std::string graph;  // the table of a network's edges
  CsvArguments csv;
  int threads = 0;
  std::string device = "cpu";
  bool json = false, quiet = false;

  /// Whether places are known by their names in a table of readings or covariances, not by coordinates.
  bool by_name() const { return !history.empty() || !covariance.empty(); }
};

/// Candidates, then sensors that stand elsewhere, then targets elsewhere: one order for everything.
struct Places {
  Table table;                    // of the candidates
  std::vector<Index> rows;        // of the table: one for each candidate
  bool named = false;             // by a column; otherwise places are called by the number of their row
  std::string name_column;        // what that column is called, maybe nothing
  std::vector<std::string> axes;  // the columns of x
  Schema schema;                  // and their types
  Matrix x;                       // n x axes; NaN: not known
  PlacementProblem where;         // all but the fields; a noise that is not given is empty
  Matrix history;                 // times x n, NaN where missing; empty without --history

  const std::vector<std::string>& names() const { return where.names; }  // n
  Index size() const { return std::ssize(where.names); }
  Index candidates() const { return std::ssize(rows); }
  /// Whether the columns of x are coordinates, between which there are distances.
  bool has_coordinates() const { return !axes.empty() && schema.all_numbers(); }
};

/// Reads all of it. `features`: the coordinates if a model says them. Notes what was assumed.
Places read_places(const PlaceArguments& a, const Schema& features, Messages& messages);

/// Reads the history and leaves places out that it does not know enough of, with a note that names them.
void read_history(Places& places, const PlaceArguments& a, Messages& messages);

/// The place of this name. Throws Problem::data, calling the list `what`, with the nearest name.
Index place_called(const Places& places, const std::string& name, const std::string& what);

/// Names in a comma list, or those of a CSV file's column of names.
std::vector<Index> listed_places(const PlaceArguments& a, const Places& places, const std::string& list,
                                 const std::string& what);

/// The cell of a column in a row, as text.
std::string field(const Column& c, Index row);

/// The part of "columns:PATTERN" or "column:NAME" behind `prefix`; "" if it does not begin so.
std::string after(const std::string& text, const std::string& prefix);

}  // namespace covary::cli
