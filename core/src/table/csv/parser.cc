#include "table/csv/parser.h"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "covary/base/error.h"
#include "covary/base/runtime.h"
#include "table/csv/room.h"
#include "table/csv/sniff.h"

namespace covary::csv {
using namespace internal;
namespace {

constexpr size_t most_columns = 1'000'000;
constexpr size_t most_bytes = size_t{1} << 25;  // of the text of one block of rows

std::string plural(size_t n, const char* one) { return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s"); }

}  // namespace

void Parser::fail(const std::string& what) const {
  throw Error(Problem::data, fmt::format("{}, line {}: {}", table_.source, line_, what));
}

void Parser::fail_quote() const {
  fail("a quoted field must end in a quote that a delimiter or the end of the line follows");
}

Parser::Parser(Window& window, Table& table, Dialect dialect, const CsvOptions& options)
    : window_(window), table_(table), dialect_(std::move(dialect)), progress_(options.progress) {
  read_markers(options.missing);
  Cursor c = cursor();
  name_columns(first_record(c), options.header);
  keep_text(options.text);
  skip_header();
}

void Parser::read_markers(const std::vector<std::string>& markers) {
  for (const std::string& marker : markers) {
    double value = 0;
    markers_.emplace_back(trim(marker));
    if (read_number(marker, dialect_.decimal, value) == Reading::number) missing_values_.push_back(value);
  }
}

bool Parser::is_marker(std::string_view text) const {
  return is_missing(text) || std::find(markers_.begin(), markers_.end(), text) != markers_.end();
}

bool Parser::is_missing_value(double value) const {
  return std::find(missing_values_.begin(), missing_values_.end(), value) != missing_values_.end();
}

Cursor Parser::cursor() const {
  const std::string_view view = window_.view();
  return {view.data() + at_, view.data() + view.size(), window_.last()};
}

/// The first record, for which the window is widened until it is whole; leaves the cursor past it.
std::vector<Field> Parser::first_record(Cursor& c) {
  for (;; window_.advance(0)) {
    c = cursor();
    line_ = window_.first_line() + skip_blank_lines(c, dialect_.delimiter, dialect_.comment);
    if (c.at == c.end && c.last) throw Error(Problem::data, table_.source + ": is empty");
    std::vector<Field> record;
    Scan scan = Scan::field;
    while (scan == Scan::field && record.size() <= most_columns) scan = scan_next(c, record.emplace_back());
    if (record.size() > most_columns)
      throw Error(Problem::limit,
                  fmt::format("{}, line {}: a table has at most {} columns, this one has more", table_.source,
                              line_, most_columns));
    if (scan == Scan::bad_quote) fail_quote();
    if (scan == Scan::record) return record;
  }
}

Scan Parser::scan_next(Cursor& c, Field& field) const {
  return scan_field(c, dialect_.delimiter, field, dialect_.comment);
}

/// From the beginning of the window to the first row.
void Parser::skip_header() {
  at_ = 0;
  line_ = window_.first_line();
  if (!header_) return;
  Cursor c = cursor();
  first_record(c);
  header_line_ = line_;
  at_ = static_cast<size_t>(c.at - window_.view().data());
  line_ = window_.first_line() + count_lines(window_.view().substr(0, at_));
}

void Parser::rewind() {
  window_.rewind();
  skip_header();
}

void Parser::name_columns(const std::vector<Field>& record, CsvOptions::Header header) {
  using Header = CsvOptions::Header;
  const bool data = header == Header::automatic && all_numbers(record, dialect_.decimal);
  header_ = header == Header::yes || (header == Header::automatic && !data);
  for (const Field& f : record) {
    const std::string name = f.quoted ? unescape(f) : std::string(trim(f.text));
    table_.columns.push_back({.name = header_ ? name : fmt::format("x{}", table_.columns.size() + 1)});
  }
  if (header_ && dialect_.extra == Dialect::Extra::name)
    table_.columns.insert(table_.columns.begin(), Column{});
  if (header_ && dialect_.extra == Dialect::Extra::empty) table_.columns.emplace_back();
  if (data) {
    table_.notes.push_back(
        fmt::format("the first row is all numbers, so it is taken for data: columns are x1{}",
                    record.size() == 1 ? "" : fmt::format(", ..., x{}", record.size())));
  }
  if (header_) check_names();
}

/// Names are different. Columns without one hold the names of the rows, the first, or nothing.
void Parser::check_names() {
  std::unordered_map<std::string_view, size_t> seen;
  for (Column& column : table_.columns)
    if (trim(column.name).empty()) column.name.clear();
  if (table_.names().empty()) fail("expected names of columns, found none");
  if (!table_.columns[0].named()) table_.columns[0].kind = Column::Kind::text, table_.columns[0].label = true;
  for (size_t j = 0; j < table_.columns.size(); ++j) {
    const std::string& name = table_.columns[j].name;
    if (name.empty()) continue;
    const auto [other, fresh] = seen.emplace(name, j);
    if (!fresh) {
      fail(fmt::format("columns {} and {} have the same name {}", other->second + 1, j + 1, shown(name)));
    }
  }
}

void Parser::keep_text(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const size_t j = static_cast<size_t>(&table_.column(name) - table_.columns.data());
    table_.columns[j].kind = Column::Kind::text;
    table_.columns[j].label = true;
  }
}

void Parser::read_all() {
  raw_ = nullptr;
  for (;;) {
    again_ = false;
    late_.assign(table_.columns.size(), 0);
    read(std::numeric_limits<Index>::max());
    if (!again_) return;
    rewind();
  }
}

bool Parser::read_block(Index most, RawRows& raw) {
  assert(most > 0);
  raw_ = &raw;
  raw.clear();
  late_.assign(table_.columns.size(), 0);
  for (Column& column : table_.columns) column.offence.reset();
  read(most);
  return row_ > 0;
}

void Parser::clear_columns() {
  row_ = 0;
  table_.lines = {};
  for (Column& column : table_.columns) {
    column.values.clear();
    column.texts.clear();
    column.missing.clear();
  }
}

/// Reads at most `most` rows into empty columns; columns known to be text stay so.
void Parser::read(Index most) {
  clear_columns();
  size_t used = 0;  // bytes
  for (bool first = true;; first = false) {
    Cursor c = cursor();
    rows(c, most);
    at_ = static_cast<size_t>(c.at - window_.view().data());
    if (row_ == most || full() || window_.last()) break;
    if (first && raw_ == nullptr) reserve(at_, window_.size());
    if (raw_ == nullptr) check_room(table_);
    used += at_;
    if (progress_ && used > 0)
      progress_(row_, Index(double(row_) * std::max(1.0, double(window_.size()) / double(used))));
    window_.advance(std::exchange(at_, 0));
  }
  if (window_.windows1252() > 0 && !std::exchange(noted_, true))
    table_.notes.push_back(
        fmt::format("line {} is not UTF-8: the text is read as Windows-1252", window_.windows1252()));
  empty_ = empty_ && row_ == 0;
  if (empty_) throw Error(Problem::data, table_.source + ": has a header but no rows");
}

/// A block of rows ends where its text is long, however few they are.
bool Parser::full() const { return raw_ != nullptr && row_ > 0 && raw_->bytes() >= most_bytes; }

/// Room for as many rows as the source will have if they go on as they began.
void Parser::reserve(size_t used, size_t total) {
  if (row_ == 0 || total <= used) return;
  const double expected =
      1.02 * static_cast<double>(row_) * static_cast<double>(total) / static_cast<double>(used);
  const double bytes = expected * static_cast<double>(table_.columns.size() * sizeof(double));
  if (bytes > static_cast<double>(memory_available())) return;  // what it says of its size may be wrong
  for (Column& column : table_.columns) {
    if (column.kind == Column::Kind::number) column.values.reserve(static_cast<size_t>(expected));
  }
}

/// Reads the whole records of a buffer, until the table has `most` rows.
void Parser::rows(Cursor& c, Index most) {
  while (row_ < most && !full()) {
    line_ += skip_blank_lines(c, dialect_.delimiter, dialect_.comment);
    if (c.at == c.end) return;
    Cursor ahead = c;
    ahead.cut = nullptr;
    inner_lines_ = 0;
    if (!row(ahead)) return roll_back();
    if (raw_ != nullptr)
      raw_->add(ahead.cut == nullptr ? std::string_view(c.at, ahead.at) : trim({c.at, ahead.cut}));
    c = ahead;
    table_.lines.add(row_, line_);
    line_ += 1 + inner_lines_;
    ++row_;
  }
}

/// Reads one record; false if the buffer ends first.
bool Parser::row(Cursor& c) {
  const Cursor begin = c;
  const size_t d = table_.columns.size();
  Scan scan = Scan::field;
  size_t found = 0;
  while (scan == Scan::field && found < d) {
    scan = cell(c, found);
    if (scan == Scan::more) return false;
    ++found;
  }
  return (scan == Scan::record && found == d) || fail_length(begin, c, found, scan);
}

/// Counts the fields to the end of the record and throws; false if the buffer ends first.
bool Parser::fail_length(const Cursor& begin, Cursor& c, size_t found, Scan scan) const {
  Field field;
  for (; scan == Scan::field; ++found) scan = scan_next(c, field);
  if (scan == Scan::more) return false;
  if (scan == Scan::bad_quote) fail_quote();
  const std::string separator = dialect_.delimiter == '\t' ? "tabs" : fmt::format("'{}'", dialect_.delimiter);
  fail(fmt::format("expected {} separated by {}, found {}{}", plural(table_.columns.size(), "field"),
                   separator, found, length_hint({begin.at, c.at})));
}

/// A hint for a record of another length.
std::string Parser::length_hint(std::string_view record) const {
  constexpr std::string_view usual = "#%!";
  const std::string_view text = trim(record);
  if (!text.empty() && usual.find(text.front()) != usual.npos) return comment_hint(text.front());
  return dialect_.hint;
}

Scan Parser::cell(Cursor& c, size_t j) {
  Column& column = table_.columns[j];
  if (column.kind == Column::Kind::number &&
      column.named()) {  // most fields are plain numbers: read them where they are
    double value = 0;
    const fast_float::parse_options options{fast_float::chars_format::general, dialect_.decimal};
    const auto [stop, ec] = fast_float::from_chars_advanced(c.at, c.end, value, options);
    const bool ends = stop != c.end && (*stop == dialect_.delimiter || *stop == '\n' || *stop == '\r');
    if (ec == std::errc{} && ends && std::isfinite(value) && !is_missing_value(value)) {
      c.at = stop;
      const Scan scan = step_over(c, dialect_.delimiter);
      if (scan != Scan::more) column.values.push_back(value);
      return scan;
    }
  }
  Field field;
  const Scan scan = scan_next(c, field);
  if (scan == Scan::bad_quote) fail_quote();
  if (scan == Scan::more) return scan;
  if (field.quoted) inner_lines_ += count_lines(field.text);
  store(j, field);
  return scan;
}

void Parser::store(size_t j, const Field& field) {
  Column& column = table_.columns[j];
  if (column.kind == Column::Kind::text) return store_text(j, row_, field);
  double value = std::numeric_limits<double>::quiet_NaN();
  const bool missing = is_marker(trim(field.text));
  Reading reading = missing ? Reading::missing : read_number(field.text, dialect_.decimal, value);
  if (reading == Reading::number && is_missing_value(value)) {
    reading = Reading::missing;
    value = std::numeric_limits<double>::quiet_NaN();
  }
  if (reading != Reading::missing && !column.named()) fail_unnamed(j, field);
  if (reading == Reading::missing) column.missing.push_back(row_);
  if (reading == Reading::not_finite || reading == Reading::text) offend(column, field, reading);
  if (reading != Reading::text) return column.values.push_back(value);

  found_text(j);
  store_text(j, row_, field);
}

void Parser::fail_unnamed(size_t j, const Field& field) const {
  throw Error(Problem::data,
              fmt::format("{}, line {}: expected a name for column {}, found none (line {} has {} there)",
                          table_.source, header_line_, j + 1, line_, shown(unescape(field))));
}

/// Column j is of text after all: its rows so far are taken from their raw text, or by the next pass.
void Parser::found_text(size_t j) {
  Column& column = table_.columns[j];
  column.kind = Column::Kind::text;
  column.values = {};
  column.missing.clear();
  if (raw_ == nullptr) {
    late_[j] = row_ > 0;
    again_ = again_ || row_ > 0;
    return;
  }
  for (Index i = 0; i < row_; ++i) {
    const std::string_view text = (*raw_)[i];
    Cursor c{text.data(), text.data() + text.size(), true};
    Field field;
    for (size_t k = 0; k <= j; ++k) scan_next(c, field);
    store_text(j, i, field);
  }
}

void Parser::store_text(size_t j, Index row, const Field& field) {
  if (late_[j]) return;  // the next pass collects it
  Column& column = table_.columns[j];
  const bool missing = !field.quoted && is_marker(trim(field.text));
  if (missing) column.missing.push_back(row);
  column.texts.push_back(missing ? std::string() : unescape(field));
}

void Parser::offend(Column& column, const Field& field, Reading reading) const {
  if (column.offence) return;
  const std::string_view text = trim(field.text);
  const bool digits = text.find_first_of("0123456789") != text.npos;
  std::string why = "expected a number, found " + shown(unescape(field));
  if (reading == Reading::not_finite) {
    why = digits ? fmt::format("expected a number, found {}, which is out of range", shown(text))
                 : "expected a finite number, found " + shown(text);
  } else {
    double value = 0;
    const char other = dialect_.decimal == '.' ? ',' : '.';
    if (other != dialect_.delimiter && read_number(text, other, value) == Reading::number) {
      why += fmt::format(" (the decimal mark is taken to be '{}'; the option decimal sets it)",
                         dialect_.decimal);
    }
  }
  column.offence = BadCell{row_, why};
}

/// Takes back the fields of a record that the buffer cuts.
void Parser::roll_back() {
  const auto kept = static_cast<size_t>(row_);
  for (Column& column : table_.columns) {
    if (column.values.size() > kept) column.values.resize(kept);
    if (column.texts.size() > kept) column.texts.resize(kept);
    while (!column.missing.empty() && column.missing.back() >= row_) column.missing.pop_back();
  }
}

}  // namespace covary::csv
