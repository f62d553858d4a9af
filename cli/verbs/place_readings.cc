#include "verbs/place_readings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "covary/base/error.h"
#include "words.h"

namespace covary::cli {
namespace {

bool matches(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() == '*')
    return matches(text, pattern.substr(1)) || (!text.empty() && matches(text.substr(1), pattern));
  return !text.empty() && (pattern.front() == '?' || pattern.front() == text.front()) &&
         matches(text.substr(1), pattern.substr(1));
}

/// As numbers, NaN where missing.
Vector values_of(const Table& table, const Column& c) {
  internal::refuse_strays(table, c);
  if (c.offence)
    throw Error(Problem::data, fmt::format("{}: {}", table.where(c.offence->row, c.name), c.offence->why));
  return Eigen::Map<const Vector>(c.values.data(), std::ssize(c.values));
}

/// Columns of the candidates' table: one row for each.
Readings in_columns(const Places& p, const std::string& source, const std::string& option, Index needed) {
  if (needed > p.candidates())
    throw Error(Problem::data, fmt::format("{}: columns of {} have nothing for '{}'", option, p.table.source,
                                           p.names()[static_cast<size_t>(p.candidates())]));
  Readings out{p.table.source, {}, {}, p.table.names()};
  for (const Column& c : p.table.columns)
    if (is_among(c.name, source) && c.named() && c.name != p.name_column) out.times.push_back(c.name);
  if (out.times.empty())
    throw Error(Problem::data, fmt::format("{} {}: no column of {} is called so; it has {}", option, source,
                                           p.table.source, listed(p.table.names())));
  out.values = Matrix::Constant(std::ssize(out.times), p.size(), std::nan(""));
  for (size_t t = 0; t < out.times.size(); ++t)
    out.values.row(Index(t)).head(p.candidates()) = values_of(p.table, p.table.column(out.times[t]))(p.rows);
  return out;
}

Index found_names(const Table& table, const Places& p) {
  return std::count_if(p.names().begin(), p.names().end(),
                       [&](const std::string& n) { return table.find(n); });
}

/// A first line of names that are numbers looks like readings: it is names if every place is among them.
Table read_named(const PlaceArguments& a, const Places& p, const std::string& path, Messages& messages) {
  CsvArguments csv = a.csv;
  csv.labels.clear();
  Table table = read_csv_file(path, csv_options(csv));
  if (found_names(table, p) == 0 && a.csv.header == "auto" && path != "-") {
    CsvOptions with_header = csv_options(csv);
    with_header.header = CsvOptions::Header::yes;
    try {
      Table again = read_csv_file(path, with_header);
      if (found_names(again, p) == p.size()) table = std::move(again);
    } catch (const Error&) {  // then it is no line of names
    }
  }
  messages.notes(table.notes);
  return table;
}

[[noreturn]] void no_column(const Table& table, const Places& p, const std::string& option) {
  const auto first =
      std::find_if(p.names().begin(), p.names().end(), [&](const std::string& n) { return !table.find(n); });
  throw Error(Problem::data,
              fmt::format("{}: {} has no column for '{}'{}; {} of {} places have one{}", option, table.source,
                          *first, internal::did_you_mean(*first, table.names()), found_names(table, p),
                          p.size(), p.named ? "" : ", and --name says which column names them"));
}

/// The column of each place, -1 where there is none and none is needed. Places without names are in the
/// order of the columns.
std::vector<Index> columns_of(const Table& table, const Places& p, const std::string& option, Index needed,
                              Messages& messages) {
  std::vector<Index> out;
  if (found_names(table, p) == 0 && !p.named && std::ssize(table.columns) == p.size()) {
    messages.note(fmt::format("columns of {} are taken in the order of the candidates", table.source));
    for (Index i = 0; i < p.size(); ++i) out.push_back(i);
    return out;
  }
  if (found_names(table, p) == 0) no_column(table, p, option);
  for (const std::string& name : p.names()) {
    const Column* c = table.find(name);
    if (!c && std::ssize(out) < needed) no_column(table, p, option);
    out.push_back(c ? c - table.columns.data() : -1);
  }
  return out;
}

Matrix values_of(const Table& table, const std::vector<Index>& columns) {
  Matrix out = Matrix::Constant(table.rows(), std::ssize(columns), std::nan(""));
  for (size_t i = 0; i < columns.size(); ++i)
    if (columns[i] >= 0) out.col(Index(i)) = values_of(table, table.columns[static_cast<size_t>(columns[i])]);
  return out;
}

/// The one column that is no place's, if there is one: it says when.
const Column* column_of_times(const Table& table, const Places& p) {
  const Column* found = nullptr;
  for (const Column& c : table.columns) {
    if (std::count(p.names().begin(), p.names().end(), c.name) > 0) continue;
    if (found) return nullptr;
    found = &c;
  }
  return found;
}

void check_square(Index rows, Index columns, const std::string& source) {
  if (rows != columns)
    throw Error(Problem::data,
                fmt::format("--covariance: {} has {} rows and {} columns; it has to be square, a row and a "
                            "column for every place",
                            source, rows, columns));
}

}  // namespace

bool is_among(const std::string& name, const std::string& source) {
  const std::string pattern = after(source, "columns:");
  return !pattern.empty() && matches(name, pattern);
}

Readings read_readings(const PlaceArguments& a, const Places& p, const std::string& source,
                       const std::string& option, Index needed, Messages& messages) {
  if (!after(source, "columns:").empty()) return in_columns(p, source, option, needed);
  const Table table = read_named(a, p, source, messages);
  Readings out{
      table.source, values_of(table, columns_of(table, p, option, needed, messages)), {}, table.names()};
  const Column* c = column_of_times(table, p);
  for (Index t = 0; t < table.rows(); ++t)
    out.times.push_back(c ? fmt::format("{} {}", c->name, field(*c, t))
                          : fmt::format("line {}", table.lines.line(t)));
  return out;
}

Matrix read_covariance(const PlaceArguments& a, const Places& p, Messages& messages) {
  if (!after(a.covariance, "columns:").empty()) {
    Matrix c = in_columns(p, a.covariance, "--covariance", p.size()).values.transpose();
    check_square(c.rows(), c.cols(), a.covariance);
    return c;
  }
  const Table table = read_named(a, p, a.covariance, messages);
  const std::vector<Index> columns = columns_of(table, p, "--covariance", p.size(), messages);
  check_square(table.rows(), std::ssize(table.columns), table.source);
  return values_of(table, columns)(columns, Eigen::all);
}

}  // namespace covary::cli
