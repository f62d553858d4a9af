// Any bytes as a table: read, or refused with a data Error; in blocks of any size the same table; written and
// read back the same bits.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "covary/base/error.h"
#include "covary/table/table.h"
#include "require.h"

namespace {

using covary::Column, covary::CsvOptions, covary::CsvReader, covary::Index, covary::Table;
using fuzz::require;

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (a != a && b != b);
}

void require_same(const Table& a, const Table& b, const std::string& what) {
  require(a.names() == b.names(), what + ": names");
  require(a.rows() == b.rows(), what + ": rows");
  for (size_t j = 0; j < a.columns.size(); ++j) {
    const Column &x = a.columns[j], &y = b.columns[j];
    require(x.kind == y.kind, what + ": kinds");
    require(x.texts == y.texts, what + ": texts");
    require(x.missing == y.missing, what + ": missing");
    require(std::equal(x.values.begin(), x.values.end(), y.values.begin(), y.values.end(), same),
            what + ": values");
  }
}

std::vector<std::string> text_columns(const Table& t) {
  std::vector<std::string> names;
  for (const Column& c : t.columns)
    if (c.kind == Column::Kind::text) names.push_back(c.name);
  return names;
}

/// The blocks of a pass, put together; `raw` gets the rows as they came.
Table together(CsvReader& in, Index most, std::string& raw) {
  Table all{.columns = in.table().columns};
  Index rows = 0;
  while (in.next(most)) {
    for (size_t j = 0; j < all.columns.size(); ++j) {
      Column& c = all.columns[j];
      const Column& block = in.table().columns[j];
      c.kind = block.kind;
      c.values.insert(c.values.end(), block.values.begin(), block.values.end());
      c.texts.insert(c.texts.end(), block.texts.begin(), block.texts.end());
      for (const Index i : block.missing) c.missing.push_back(rows + i);
    }
    for (Index i = 0; i < in.table().rows(); ++i) {
      all.lines.add(rows + i, in.table().lines.line(i));
      raw.append(in.text(i)) += '\n';
    }
    rows += in.table().rows();
  }
  return all;
}

void check_blocks(std::string_view text, const CsvOptions& options, const Table& table) {
  for (const Index most : {1, 2, 7}) {
    CsvReader in(text, options, "input");
    while (in.next(most)) {
    }
    in.rewind();
    std::string raw;
    const Table all = together(in, most, raw);
    require_same(all, table, "blocks");
    for (Index i = 0; i < table.rows(); ++i)
      require(all.lines.line(i) == table.lines.line(i), "blocks: lines");
    std::string again;
    Table names;
    for (const Column& c : table.columns) names.columns.push_back({.name = c.name});
    write_csv(again, names, table.delimiter);
    const CsvOptions known{table.delimiter, table.decimal, CsvOptions::Header::yes, text_columns(table)};
    require_same(covary::read_csv(again + raw, known), table, "raw rows");
  }
}

/// 1e309 is read, for whoever wants its text back, and never written as a number.
bool is_finite(const Column& c) {
  if (c.kind != Column::Kind::number) return true;
  for (Index i = 0; i < c.rows(); ++i)
    if (!std::isfinite(c.values[static_cast<size_t>(i)]) &&
        !std::binary_search(c.missing.begin(), c.missing.end(), i))
      return false;
  return true;
}

void check_written(const Table& table) {
  std::string text;
  const bool finite = std::all_of(table.columns.begin(), table.columns.end(), is_finite);
  try {
    write_csv(text, table, table.delimiter);
  } catch (const covary::Error& e) {
    require(!finite && e.problem() == covary::Problem::numerical, "refused: not finite");
    return;
  }
  require(finite, "written: finite");
  const CsvOptions known{table.delimiter, '.', CsvOptions::Header::yes, text_columns(table)};
  const Table back = covary::read_csv(text, known);
  require_same(back, table, "written");
  std::string twice;
  write_csv(twice, back, table.delimiter);
  require(text == twice, "written twice");
}

/// What reading in blocks says is wrong, or "".
std::string error_in_blocks(std::string_view text, const CsvOptions& options) {
  try {
    CsvReader in(text, options, "input");
    while (in.next(3)) {
    }
  } catch (const covary::Error& e) {
    return e.what();
  }
  return "";
}

void check(std::string_view text, const CsvOptions& options) {
  std::optional<Table> table;
  try {
    table = covary::read_csv(text, options, "input");
  } catch (const covary::Error& e) {
    require(e.problem() == covary::Problem::data, "a data Error");
    require(error_in_blocks(text, options) == e.what(), "the same Error in blocks");
    return;
  }
  for (const Column& c : table->columns) require(c.rows() == table->rows(), "columns of equal length");
  check_blocks(text, options, *table);
  if (table->delimiter != ',' || table->decimal != ',') check_written(*table);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes are text here
  check(text, {});
  check(text, {.header = CsvOptions::Header::no});
  check(text, {.delimiter = ' ', .decimal = ','});
  return 0;
}
