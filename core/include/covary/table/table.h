// Tables: named columns of numbers or text, read from CSV (RFC 4180) and written back with the same bits.
// Compressed with gzip or not: recognized by the first bytes, not by the name.
//
// How a field is read as a number (spaces around it are ignored, and so are quotes):
//
//   field                                     read as
//   1.5  +1.5  .5  5.  -2e3                   that number, correctly rounded, in any locale
//   1e-400                                    0: too small for a double rounds to zero
//   1e309                                     error: out of range
//   inf  Infinity  (any case, any sign)       error: not finite
//   (empty)  NA  NaN  nan  null  NULL  N/A    missing, and so is what CsvOptions::missing lists; in a column
//   of
//                                             text only if it is not quoted
//   1,5                                       a number if the decimal mark is ',', else an error
//   0x10  hot  1_000  -nan                    error: not a number
//
// Those errors are thrown when the column is requested as numbers: in unused columns they do no harm.
//
// An unnamed first column holds the names of the rows (as pandas and R write them), and so does a first
// column that only the rows have. Other unnamed columns have to be empty. A first line `sep=;` names the
// delimiter.
#pragma once
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "covary/base/types.h"

namespace covary {

namespace internal {
/// A field that is not a finite number.
struct BadCell {
  Index row = 0;
  std::string why;  // "expected a number, found 'hot'"
};
}  // namespace internal

/// A column: of numbers if every field that is not missing is written as a number, else of text.
struct Column {
  enum class Kind { number, text };

  std::string name;
  Kind kind = Kind::number;
  std::vector<double> values = {};      // numbers: one per row, NaN where missing
  std::vector<std::string> texts = {};  // text: one per row as it stands in the file, empty where missing
  std::vector<Index> missing = {};      // the rows without a value, ascending
  std::optional<internal::BadCell> offence = {};  // its first field that is not a finite number, if any
  bool label = false;  // text because it was asked for, or because it names the rows

  bool named() const { return !name.empty(); }
  Index rows() const { return kind == Kind::number ? std::ssize(values) : std::ssize(texts); }
};

namespace internal {
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
}  // namespace internal

/// Columns of equal length, and where they came from.
struct Table {
  std::string source = {};  // what errors call it: a file's name
  std::vector<Column> columns = {};
  internal::LineMap lines = {};
  char delimiter = ',';                 // what separated the fields
  char decimal = '.';                   // what marked the decimals
  std::vector<std::string> notes = {};  // what was assumed, one sentence each

  Index rows() const { return columns.empty() ? 0 : columns.front().rows(); }
  /// Of the columns that have one.
  std::vector<std::string> names() const;
  /// The column called `name`, or nullptr.
  const Column* find(std::string_view name) const;
  /// The column called `name`; otherwise throws Problem::usage and suggests the nearest name.
  const Column& column(std::string_view name) const;
  /// "FILE, line 17, column 'temp'": how errors name a place.
  std::string where(Index row, std::string_view name) const;
};

namespace internal {
/// The fields of a column of text that are no numbers, where most of its fields are.
struct Strays {
  Index row = 0;                                          // of the first
  Index numbers = 0, others = 0;                          // how many fields are numbers, and how many are not
  std::vector<std::pair<std::string, Index>> texts = {};  // each different one and how often, as they come
};

/// None unless more than half of the fields that are not missing are numbers. O(rows)
std::optional<Strays> strays(const Table& table, const Column& column);

/// Throws Problem::data if there are any: the line, the text and the options that say what it means.
void refuse_strays(const Table& table, const Column& column);
}  // namespace internal

/// The treatment of rows that lack a value.
enum class Missing { error, drop };

namespace internal {
/// The rows in which none of the columns `names` is missing, maybe none.
std::vector<Index> present_rows(const Table& table, const std::vector<std::string>& names);

/// The same. Missing::error throws Problem::data at the first row that is not such; Missing::drop leaves
/// those rows out, and throws if none is left.
std::vector<Index> complete_rows(const Table& table, const std::vector<std::string>& names, Missing missing);

/// Columns `names` at `rows`, as finite numbers: rows x names. Throws Problem::data, naming line and column,
/// if a column has a field that is not a finite number, or lacks one of the rows.
Matrix numbers(const Table& table, const std::vector<std::string>& names, const std::vector<Index>& rows);

/// Column `name` at `rows`, as text. Throws Problem::data if the column is of numbers or lacks one of the
/// rows.
std::vector<std::string> texts(const Table& table, std::string_view name, const std::vector<Index>& rows);
}  // namespace internal

/// The dialect of a CSV file; what is not set is detected from its first rows and reported in Table::notes.
struct CsvOptions {
  enum class Header { automatic, yes, no };

  char delimiter = 0;  // 0: the one of , ; tab | that makes the rows equally long
  char decimal = 0;    // '.' or ','; 0: ',' if numbers have it and it does not separate fields, else '.'
  Header header = Header::automatic;      // automatic: yes, unless the first row is all numbers
  std::vector<std::string> text = {};     // columns to take as they stand even if every field is a number
  std::vector<std::string> missing = {};  // further texts that stand for no value: "-", "?", "-999"
  Index skip = 0;                         // lines before the header
  char comment = 0;                       // what follows it in a line is left out; 0: nothing is
  // Called with the rows read so far, and about how many there will be, after each MiB of a table that is read
  // whole.
  std::function<void(Index rows, Index expected)> progress = {};
};

/// Reads a table from UTF-8 text, or gzip of it; errors call it `source`. Lines end in LF, CRLF or CR, blank
/// ones are skipped; without a header the columns are x1, ..., xd. Text that is not UTF-8 is read as
/// Windows-1252, with a note, unless it has characters of UTF-8 before. Throws Problem::data with the line if
/// the text is empty, neither of these, has rows of unequal length or no rows, or names that are empty or the
/// same; if the decimal mark is ambiguous; and if gzip data are damaged or cut short. One pass; two if a
/// column that begins with numbers turns out to be text.
Table read_csv(std::string_view text, const CsvOptions& options = {}, const std::string& source = "table");

/// The same from a file, or from standard input if `path` is "-". Holds the columns and 1 MiB of the file;
/// what cannot be read twice (a pipe) is copied to a temporary file first.
Table read_csv_file(const std::string& path, const CsvOptions& options = {});

namespace internal {
/// How often a CsvReader is read.
enum class Passes {
  one,  // a pipe is read as it comes, and gone then
  many  // a pipe is copied to a temporary file first, so that it can be read again
};
}  // namespace internal

/// Reads a table some rows at a time, by the same rules as read_csv, in memory for those rows and 1 MiB:
///
///   for (CsvReader in("points.csv"); in.next(8192);) use(in.table());
///
/// A column is of numbers until a field says otherwise; from those rows on it is of text. So in a second
/// pass, after rewind(), every column is of the kind that read_csv gives it, and the blocks together are its
/// table.
class CsvReader {
 public:
  /// Opens a file ("-": standard input), or a text that must outlive the reader, and names the columns.
  explicit CsvReader(const std::string& path, const CsvOptions& options = {},
                     internal::Passes passes = internal::Passes::one);
  CsvReader(std::string_view text, const CsvOptions& options, const std::string& source);
  CsvReader(CsvReader&&) noexcept;
  CsvReader& operator=(CsvReader&&) noexcept;
  ~CsvReader();

  /// The columns, with the rows that next() read last; before that with none.
  const Table& table() const;
  /// Row `row` of table() as it came, byte for byte, without its line end.
  std::string_view text(Index row) const;
  /// Reads the next rows, at most `most` >= 1, in place of the last; false if there are none. Throws as
  /// read_csv.
  bool next(Index most);

  bool can_rewind() const;
  /// Begins again at the first row.
  void rewind();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Appends the table as CSV with a header: shortest numbers that read back to the same bits, LF, quotes where
/// needed, NA where missing. The same bytes in any locale.
void write_csv(std::string& out, const Table& table, char delimiter = ',', char decimal = '.');
void write_csv(std::ostream& out, const Table& table, char delimiter = ',', char decimal = '.');

namespace internal {
/// The shortest decimal that reads back to the same double.
std::string format_number(double value);
}  // namespace internal

}  // namespace covary
