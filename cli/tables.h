// Tables as the verbs read them, and rows copied to the output byte for byte.
#pragma once
#include <CLI/CLI.hpp>
#include <istream>
#include <memory>
#include <string>

#include "covary/table.h"

namespace covary::cli {

/// --header auto|yes|no.
void add_header_option(CLI::App& verb, std::string& header);
CsvOptions csv_options(const std::string& header);

/// A table together with the text of its rows as it came. Only the columns are held in memory; the text is
/// read again from the file (of standard input and pipes it is held, because they cannot be read twice).
class RawTable {
 public:
  RawTable(const std::string& path, const CsvOptions& options);
  const Table& table() const { return table_; }

  /// The names of the columns as one line of CSV, without its end.
  std::string header() const;
  /// The text of the next row, without its line end: call once for each row, in order.
  std::string next_row();

 private:
  bool next_line(std::string& out);

  Table table_;
  std::unique_ptr<std::istream> text_;
  Index row_ = 0;
  Index line_ = 1;  // the line to be read next
};

}  // namespace covary::cli
