#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ostream>

#include "covary/base/finite.h"
#include "covary/table/table.h"
#include "table/csv/field.h"
#include "table/csv/window.h"

namespace covary {
using namespace internal;
namespace {

void append_number(std::string& out, double value, char decimal = '.') {
  finite(value);
  std::array<char, 32> digits{};
  const auto [end, ec] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  if (decimal != '.') std::replace(digits.data(), end, '.', decimal);
  out.append(digits.data(), end);
}

/// Whether text must be quoted to read back as it is, with whatever delimiter the reader tries.
bool needs_quotes(std::string_view text, char delimiter) {
  constexpr std::string_view special = "\"\r\n,;\t|";
  return text.find_first_of(special) != text.npos || text.find(delimiter) != text.npos ||
         csv::is_missing(csv::trim(text)) || text.front() == ' ' || text.back() == ' ' ||
         text.starts_with("\xEF\xBB\xBF") || text.starts_with("PK\x03\x04");
}

void append_text(std::string& out, std::string_view text, char delimiter) {
  if (!needs_quotes(text, delimiter)) {
    out += text;
    return;
  }
  out += '"';
  for (const char ch : text) out.append(ch == '"' ? 2 : 1, ch);
  out += '"';
}

void append_header(std::string& out, const Table& table, char delimiter) {
  std::string names;
  for (size_t j = 0; j < table.columns.size(); ++j) {
    if (j > 0) names += delimiter;
    append_text(names, table.columns[j].name, delimiter);
  }
  if (csv::separator_in(names)) out += fmt::format("sep={}\n", delimiter);  // or they are taken for one
  out += names + '\n';
}

/// Writes a table row by row; `next[j]` is the first missing row of column j that is still to come.
class Writer {
 public:
  Writer(const Table& table, char delimiter, char decimal)
      : table_(table), delimiter_(delimiter), decimal_(decimal), next_(table.columns.size()) {}

  void append_row(std::string& out, Index row) {
    for (size_t j = 0; j < table_.columns.size(); ++j) {
      if (j > 0) out += delimiter_;
      append_cell(out, row, j);
    }
    out += '\n';
  }

 private:
  void append_cell(std::string& out, Index row, size_t j) {
    const Column& column = table_.columns[j];
    size_t& next = next_[j];
    if (next < column.missing.size() && column.missing[next] == row) {
      ++next;
      out += "NA";
    } else if (column.kind == Column::Kind::number) {
      const double value = column.values[static_cast<size_t>(row)];
      if (!std::isfinite(value)) finite(value, fmt::format("'{}' of row {}", column.name, row + 1));
      append_number(out, value, decimal_);
    } else {
      append_text(out, column.texts[static_cast<size_t>(row)], delimiter_);
    }
  }

  const Table& table_;
  char delimiter_, decimal_;
  std::vector<size_t> next_;
};

}  // namespace

std::string internal::format_number(double value) {
  std::string out;
  append_number(out, value);
  return out;
}

void write_csv(std::string& out, const Table& table, char delimiter, char decimal) {
  append_header(out, table, delimiter);
  Writer writer(table, delimiter, decimal);
  for (Index row = 0; row < table.rows(); ++row) writer.append_row(out, row);
}

void write_csv(std::ostream& out, const Table& table, char delimiter, char decimal) {
  constexpr size_t block = size_t{1} << 16;
  std::string buffer;
  const auto flush = [&] {
    out.write(buffer.data(), std::ssize(buffer));
    buffer.clear();
  };
  append_header(buffer, table, delimiter);
  Writer writer(table, delimiter, decimal);
  for (Index row = 0; row < table.rows(); ++row) {
    writer.append_row(buffer, row);
    if (buffer.size() >= block) flush();
  }
  flush();
}

}  // namespace covary
