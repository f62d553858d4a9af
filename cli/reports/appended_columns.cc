#include "reports/appended_columns.h"

#include "inputs/tables.h"

namespace covary::cli {
namespace {

/// Row i of t, or its names alone (-1), as a line of CSV: quoted fields may hold line ends.
std::string line_of(const Table& t, Index i, const Table& like) {
  Table one;
  for (const Column& c : t.columns) {
    one.columns.push_back({c.name, c.kind});
    if (i >= 0 && c.kind == Column::Kind::text) one.columns.back().texts = {c.texts[static_cast<size_t>(i)]};
    if (i >= 0 && c.kind == Column::Kind::number)
      one.columns.back().values = {c.values[static_cast<size_t>(i)]};
  }
  std::string out;
  write_csv(out, one, like.delimiter, like.decimal);
  return out;
}

}  // namespace

std::string with_columns_behind(const CsvReader& reader, const std::vector<Index>& rows, Table more) {
  const Table& table = reader.table();
  for (Column& c : more.columns)
    while (table.find(c.name)) c.name += "_2";
  const std::string names = line_of(more, -1, table);
  std::string out = header_line(table) + table.delimiter + names;
  for (size_t i = 0; i < rows.size(); ++i)
    out += std::string(reader.text(rows[i])) + table.delimiter +
           line_of(more, static_cast<Index>(i), table).substr(names.size());
  return out;
}

}  // namespace covary::cli
