// Tables: named columns of numbers or text, read from CSV (RFC 4180) and written back with the same bits.
//
// What a field says, wherever a number is wanted (spaces around it are ignored, and so are quotes):
//
//   field                                     read as
//   1.5  +1.5  .5  5.  -2e3                   that number, correctly rounded, in any locale
//   1e-400                                    0: too small for a double rounds to zero
//   1e309                                     error: out of range
//   inf  Infinity  (any case, any sign)       error: not finite
//   (empty)  NA  NaN  nan  null  NULL  N/A    missing; in a column of text only if it is not quoted
//   1,5                                       a number if the decimal mark is ',', else an error
//   0x10  hot  1_000  -nan                    error: not a number
//
// Those errors come when the column is asked for as numbers: one that nobody uses does no harm.
#pragma once
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "covary/types.h"

namespace covary {

/// A field that is not a finite number.
struct Offence {
  Index row = 0;
  std::string why;  // "expected a number, found 'hot'"
};

/// A column: of numbers if every field that is not missing is written as a number, else of text.
struct Column {
  enum class Kind { number, text };

  std::string name;
  Kind kind = Kind::number;
  std::vector<double> values = {};      // numbers: one per row, NaN where missing
  std::vector<std::string> texts = {};  // text: one per row as it stands in the file, empty where missing
  std::vector<Index> missing = {};      // the rows without a value, ascending
  std::optional<Offence> offence = {};  // its first field that is not a finite number, if any

  Index rows() const { return kind == Kind::number ? std::ssize(values) : std::ssize(texts); }
};

/// The line at which each row begins: runs of rows on consecutive lines.
class LineMap {
 public:
  /// `row` begins at `line`; rows arrive in order.
  void add(Index row, Index line);
  /// The line of `row`, from 1; 0 if the rows came from no file. O(log runs).
  Index line(Index row) const;

 private:
  struct Run {
    Index row, line;
  };
  std::vector<Run> runs_;
};

/// Columns of equal length, and where they came from.
struct Table {
  std::string source = {};  // what errors call it: a file's name
  std::vector<Column> columns = {};
  LineMap lines = {};
  char delimiter = ',';                 // what separated the fields
  char decimal = '.';                   // what marked the decimals
  std::vector<std::string> notes = {};  // what was assumed, one sentence each

  Index rows() const { return columns.empty() ? 0 : columns.front().rows(); }
  std::vector<std::string> names() const;
  /// The column called `name`, or nullptr.
  const Column* find(std::string_view name) const;
  /// The column called `name`; otherwise throws Problem::usage and suggests the nearest name.
  const Column& column(std::string_view name) const;
  /// "FILE, line 17, column 'temp'": how errors name a place.
  std::string where(Index row, std::string_view name) const;
};

/// What to do with rows that lack a value.
enum class Missing { error, drop };

/// The rows in which none of the columns `names` is missing. Missing::error throws Problem::data at the first
/// row that is not such; Missing::drop leaves those rows out, and throws if none is left.
std::vector<Index> complete_rows(const Table& table, const std::vector<std::string>& names, Missing missing);

/// Columns `names` at `rows`, as finite numbers: rows x names. Throws Problem::data, naming line and column,
/// if a column has a field that is not a finite number, or lacks one of the rows.
Matrix numbers(const Table& table, const std::vector<std::string>& names, const std::vector<Index>& rows);

/// Column `name` at `rows`, as text. Throws Problem::data if the column is of numbers or lacks one of the
/// rows.
std::vector<std::string> texts(const Table& table, std::string_view name, const std::vector<Index>& rows);

/// How a CSV file is laid out; what is left alone is found out from its first rows, and said in Table::notes.
struct CsvOptions {
  enum class Header { automatic, yes, no };

  char delimiter = 0;  // 0: the one of , ; tab | that makes the rows equally long
  char decimal = 0;    // '.' or ','; 0: ',' if numbers have it and it does not separate fields, else '.'
  Header header = Header::automatic;   // automatic: yes, unless the first row is all numbers
  std::vector<std::string> text = {};  // columns to take as they stand even if every field is a number
};

/// Reads a table from UTF-8 text; errors call it `source`. Lines end in LF, CRLF or CR, blank ones are
/// skipped; without a header the columns are x1, ..., xd. Throws Problem::data with the line if the text is
/// empty, not UTF-8, has rows of unequal length or no rows, or names that are empty or the same; and if the
/// decimal mark is ambiguous. One pass; two if a column that begins with numbers turns out to be text.
Table read_csv(std::string_view text, const CsvOptions& options = {}, const std::string& source = "table");

/// The same from a file, or from standard input if `path` is "-". Holds the columns and 1 MiB of the file;
/// what cannot be read twice (standard input, pipes) is held whole.
Table read_csv_file(const std::string& path, const CsvOptions& options = {});

/// Appends the table as CSV with a header: shortest numbers that read back to the same bits, LF, quotes where
/// needed, NA where missing. The same bytes in any locale.
void write_csv(std::string& out, const Table& table, char delimiter = ',');
void write_csv(std::ostream& out, const Table& table, char delimiter = ',');

/// The shortest decimal that reads back to the same double.
std::string format_number(double value);

}  // namespace covary
