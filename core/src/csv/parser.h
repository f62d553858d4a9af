// Turns records of CSV into the columns of a table.
#pragma once
#include <vector>

#include "covary/table.h"
#include "csv/field.h"
#include "csv/window.h"

namespace covary::csv {

/// Numbers go straight into their column. A column is of numbers until a field says otherwise; if that field
/// is not in its first row, the text of the rows before is gone, and one more pass is needed to collect it.
class Parser {
 public:
  Parser(Table& table, Dialect dialect) : table_(table), dialect_(dialect) {}

  /// Names the columns from the first record, and reads all others. Throws Problem::data.
  void run(Window& window, const CsvOptions& options);

 private:
  bool first_record(Cursor& c, std::vector<Field>& record);
  void name_columns(const std::vector<Field>& record, CsvOptions::Header header);
  void check_names() const;
  void keep_text(const std::vector<std::string>& names);
  void pass(Window& window);
  void rows(Cursor& c);
  bool row(Cursor& c);
  Scan cell(Cursor& c, size_t j);
  void store(size_t j, const Field& field);
  void store_text(size_t j, const Field& field);
  void offend(Column& column, const Field& field, Reading reading) const;
  void roll_back();
  void reserve(size_t used, size_t total);
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_quote() const;
  bool fail_length(Cursor& c, size_t found, Scan scan) const;

  Table& table_;
  Dialect dialect_;
  bool header_ = false;     // the first record is names
  Index line_ = 1;          // of the record to come
  Index row_ = 0;           // the same, among the rows
  Index inner_lines_ = 0;   // line ends inside the quotes of the record being read
  std::vector<char> late_;  // columns found to be text after their first row, in this pass
  bool again_ = false;      // any of them
};

}  // namespace covary::csv
