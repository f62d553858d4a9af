// Turns records of CSV into the columns of a table.
#pragma once
#include <vector>

#include "covary/table/table.h"
#include "table/csv/field.h"
#include "table/csv/raw_rows.h"
#include "table/csv/window.h"

namespace covary::csv {

/// Numbers go straight into their column. A column is of numbers until a field says otherwise; if that field
/// is not in its first row, the text of the rows before is needed once more: from the raw rows where they are
/// kept, else by another pass.
class Parser {
 public:
  /// Names the columns of `table` from the first record. Throws Problem::data, like the other functions.
  Parser(Window& window, Table& table, Dialect dialect, const CsvOptions& options);

  /// Every row that is left, in place of those the table has. Needs a window that can rewind.
  void read_all();
  /// The next rows, at most `most`, in place of those the table has; `raw` keeps their text. False if there
  /// are none.
  bool read_block(Index most, RawRows& raw);
  /// The first row is the next one again; columns known to be text stay so.
  void rewind();

 private:
  Cursor cursor() const;
  std::vector<Field> first_record(Cursor& c);
  void skip_header();
  void name_columns(const std::vector<Field>& record, CsvOptions::Header header);
  void check_names();
  void read_markers(const std::vector<std::string>& markers);
  bool is_marker(std::string_view text) const;
  bool is_missing_value(double value) const;
  Scan scan_next(Cursor& c, Field& field) const;
  void keep_text(const std::vector<std::string>& names);
  void clear_columns();
  void read(Index most);
  bool full() const;
  void rows(Cursor& c, Index most);
  bool row(Cursor& c);
  Scan cell(Cursor& c, size_t j);
  void store(size_t j, const Field& field);
  void store_text(size_t j, Index row, const Field& field);
  void found_text(size_t j);
  void offend(Column& column, const Field& field, Reading reading) const;
  void roll_back();
  void reserve(size_t used, size_t total);
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_quote() const;
  [[noreturn]] void fail_unnamed(size_t j, const Field& field) const;
  bool fail_length(const Cursor& begin, Cursor& c, size_t found, Scan scan) const;
  std::string length_hint(std::string_view record) const;

  Window& window_;
  Table& table_;
  Dialect dialect_;
  std::vector<std::string> markers_;            // further texts that stand for no value
  std::vector<double> missing_values_;          // those of them that are numbers
  RawRows* raw_ = nullptr;                      // where the text of the rows is kept, if it is
  std::function<void(Index, Index)> progress_;  // CsvOptions::progress
  bool header_ = false;                         // the first record is names
  bool empty_ = true;                           // no row has been seen
  bool noted_ = false;                          // that the text is no UTF-8
  Index header_line_ = 1;
  size_t at_ = 0;           // of the record to come in the window's view
  Index line_ = 1;          // of the record to come
  Index row_ = 0;           // the same, among the rows of the table
  Index inner_lines_ = 0;   // line ends inside the quotes of the record being read
  std::vector<char> late_;  // columns found to be text after their first row, in this pass
  bool again_ = false;      // any of them
};

}  // namespace covary::csv
