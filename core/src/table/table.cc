#include "covary/table/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "covary/base/error.h"
#include "table/csv/field.h"

namespace covary {
using namespace internal;
namespace {

[[noreturn]] void no_column(const Table& table, std::string_view name) {
  constexpr size_t most = 8;
  const std::vector<std::string> known = table.names();
  std::string hint = did_you_mean(name, known);
  if (hint.empty()) {
    const auto end =
        known.begin() + std::ssize(known) - std::max<std::ptrdiff_t>(0, std::ssize(known) - most);
    hint =
        fmt::format(", it has {}{}", fmt::join(known.begin(), end, ", "), known.size() > most ? ", ..." : "");
  }
  throw Error(Problem::usage, fmt::format("{} has no column {}{}", table.source, csv::shown(name), hint));
}

/// The columns of these names. O(columns + names).
std::vector<const Column*> columns_of(const Table& table, const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, const Column*> known;
  for (const Column& column : table.columns) known.emplace(column.name, &column);
  std::vector<const Column*> out;
  out.reserve(names.size());
  for (const std::string& name : names) {
    const auto found = known.find(name);
    if (found == known.end()) no_column(table, name);
    out.push_back(found->second);
  }
  return out;
}

[[noreturn]] void bad_value(const Table& table, Index row, const Column& column, const std::string& why) {
  throw Error(Problem::data, table.where(row, column.name) + ": " + why);
}

bool lacks(const Column& column, Index row) {
  return std::binary_search(column.missing.begin(), column.missing.end(), row);
}

[[noreturn]] void not_a_number(const Table& table, Index row, const Column& column) {
  refuse_strays(table, column);
  if (column.offence && (column.kind == Column::Kind::text || column.offence->row == row)) {
    bad_value(table, column.offence->row, column, column.offence->why);
  }
  if (column.kind == Column::Kind::text)
    bad_value(table, row, column, "expected a number, the column is text");
  if (lacks(column, row)) bad_value(table, row, column, "expected a number, found none");
  bad_value(table, row, column,
            fmt::format("expected a finite number, found {}", column.values[static_cast<size_t>(row)]));
}

}  // namespace

void LineMap::add(Index row, Index line) {
  if (runs_.empty() || line - runs_.back().line != row - runs_.back().row) runs_.push_back({row, line});
}

Index LineMap::line(Index row) const {
  const auto after = [](Index r, const Run& run) { return r < run.row; };
  const auto next = std::upper_bound(runs_.begin(), runs_.end(), row, after);
  if (next == runs_.begin()) return 0;
  const Run& run = *std::prev(next);
  return run.line + (row - run.row);
}

std::vector<std::string> Table::names() const {
  std::vector<std::string> out;
  out.reserve(columns.size());
  for (const Column& column : columns)
    if (column.named()) out.push_back(column.name);
  return out;
}

const Column* Table::find(std::string_view name) const {
  const auto named = [&](const Column& column) { return column.name == name; };
  const auto found = std::find_if(columns.begin(), columns.end(), named);
  return found == columns.end() ? nullptr : &*found;
}

const Column& Table::column(std::string_view name) const {
  const Column* found = find(name);
  if (found == nullptr) no_column(*this, name);
  return *found;
}

std::string Table::where(Index row, std::string_view name) const {
  const Index line = lines.line(row);
  const std::string place = line > 0 ? fmt::format("line {}", line) : fmt::format("row {}", row + 1);
  return fmt::format("{}{}{}, column {}", source, source.empty() ? "" : ", ", place, csv::shown(name));
}

std::vector<Index> internal::present_rows(const Table& table, const std::vector<std::string>& names) {
  std::vector<char> incomplete(static_cast<size_t>(table.rows()), 0);
  for (const Column* column : columns_of(table, names)) {
    for (const Index row : column->missing) incomplete[static_cast<size_t>(row)] = 1;
  }
  std::vector<Index> rows;
  rows.reserve(incomplete.size());
  for (Index row = 0; row < table.rows(); ++row) {
    if (incomplete[static_cast<size_t>(row)] == 0) rows.push_back(row);
  }
  return rows;
}

std::vector<Index> internal::complete_rows(const Table& table, const std::vector<std::string>& names,
                                           Missing missing) {
  std::vector<Index> rows = present_rows(table, names);
  const Index dropped = table.rows() - std::ssize(rows);
  if (dropped == 0 || (missing == Missing::drop && !rows.empty())) return rows;
  Index first = 0;
  while (first < std::ssize(rows) && rows[static_cast<size_t>(first)] == first) ++first;
  const std::vector<const Column*> columns = columns_of(table, names);
  const auto lacking = [&](const Column* column) { return lacks(*column, first); };
  bad_value(table, first, **std::find_if(columns.begin(), columns.end(), lacking),
            fmt::format("the value is missing ({} of {} rows lack one{})", dropped, table.rows(),
                        missing == Missing::drop ? "; no row is complete" : ""));
}

Matrix internal::numbers(const Table& table, const std::vector<std::string>& names,
                         const std::vector<Index>& rows) {
  Matrix out(std::ssize(rows), std::ssize(names));
  const std::vector<const Column*> columns = columns_of(table, names);
  for (Index j = 0; j < out.cols(); ++j) {
    const Column& column = *columns[static_cast<size_t>(j)];
    if (column.kind == Column::Kind::text) not_a_number(table, 0, column);
    for (Index i = 0; i < out.rows(); ++i) {
      const auto row = static_cast<size_t>(rows[static_cast<size_t>(i)]);
      const double value = column.values[row];
      if (!std::isfinite(value)) not_a_number(table, static_cast<Index>(row), column);
      out(i, j) = value;
    }
  }
  return out;
}

std::vector<std::string> internal::texts(const Table& table, std::string_view name,
                                         const std::vector<Index>& rows) {
  const Column& column = table.column(name);
  if (column.kind == Column::Kind::number) {
    bad_value(table, 0, column,
              "expected text, the column is numbers (the option text keeps it as it stands)");
  }
  std::vector<std::string> out;
  out.reserve(rows.size());
  for (const Index row : rows) {
    if (lacks(column, row)) bad_value(table, row, column, "expected text, found none");
    out.push_back(column.texts[static_cast<size_t>(row)]);
  }
  return out;
}

}  // namespace covary
