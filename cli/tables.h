// Tables as the verbs read them: how they are laid out, which of their rows are used.
#pragma once
#include <string>
#include <vector>

#include "covary/table.h"

namespace CLI {
class App;
}

namespace covary::cli {

/// What was typed about the layout of a table; what was not is found out.
struct CsvArguments {
  std::string header = "auto", delimiter, decimal;
};

/// --header, --delimiter, --decimal.
void add_csv_options(CLI::App& verb, CsvArguments& a);
CsvOptions csv_options(const CsvArguments& a);

/// --missing error|drop.
void add_missing_option(CLI::App& verb, std::string& missing);

/// complete_rows, with `--missing drop` pointed out where it would help.
std::vector<Index> rows_in_use(const Table& table, const std::vector<std::string>& names,
                               const std::string& missing);

/// Throws Problem::data at the first row that lacks one of the columns `names`, if there is one.
void refuse_missing(const Table& table, const std::vector<std::string>& names);

/// The names of the columns as one line of CSV, without its end.
std::string header_line(const Table& table);

}  // namespace covary::cli
