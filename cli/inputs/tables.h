// Tables as the verbs read them: how they are laid out, which of their rows are used.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "covary/table/table.h"
#include "output.h"

namespace CLI {
class App;
}

namespace covary::cli {

/// The options on the layout of a table; those not given are detected.
struct CsvArguments {
  std::string header = "auto", delimiter, decimal, missing_values, labels, comment;
  Index skip = 0;
};

/// --header, --delimiter, --decimal, --missing-values, --labels, --comment, --skip.
void add_csv_options(CLI::App& verb, CsvArguments& a);
/// The names of these, and --missing.
const std::vector<std::string>& table_option_names();
CsvOptions csv_options(const CsvArguments& a);

/// Reads a table, with notes on what was assumed about its layout.
Table read_table(const std::string& path, const CsvArguments& a, Messages& messages);
/// The same of one beside the table that --labels is about.
Table read_other_table(const std::string& path, CsvArguments a, Messages& messages);

/// --missing error|drop.
void add_missing_option(CLI::App& verb, std::string& missing);

/// complete_rows, with `--missing drop` pointed out where it would help.
std::vector<Index> rows_in_use(const Table& table, const std::vector<std::string>& names,
                               const std::string& missing);

/// "12 of 140 rows dropped: no value in depth (10), temp (3)".
std::string dropped_note(Index rows, Index kept, const std::map<std::string, Index>& lacking);
/// The same of a table; "" if none was dropped.
std::string dropped_note(const Table& table, const std::vector<std::string>& names, Index kept);

/// Throws Problem::data at the first row that lacks one of the columns `names`, if there is one.
void refuse_missing(const Table& table, const std::vector<std::string>& names);

/// What each of these rows is called: "line 17 (Oslo)", with what names it beside `used` columns if anything
/// does: an unnamed first column, one called name, station, site or id, or the first text that is different
/// in every row.
std::vector<std::string> row_names(const Table& table, const std::vector<Index>& rows,
                                   const std::vector<std::string>& used);

/// The column whose cells name rows, beside `used` columns; "" if there is none.
std::string naming_column_name(const Table& table, const std::vector<std::string>& used);

/// Those of the columns of numbers whose names and whole numbers look like identifiers.
std::vector<std::string> identifiers(const Table& table, const std::vector<std::string>& columns);

/// The names of the columns as one line of CSV, without its end.
std::string header_line(const Table& table);

}  // namespace covary::cli
