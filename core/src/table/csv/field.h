// The fields of CSV records, and their values.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace covary::csv {

struct Dialect {
  char delimiter = ',';
  char decimal = '.';
  char comment = 0;  // 0: none

  /// What rows have that the header has not: a first field with their name, or an empty last one.
  enum class Extra { none, name, empty };
  Extra extra = Extra::none;
  std::string hint = {};  // what an error proposes for rows of unequal length
};

/// A place in a buffer of text.
struct Cursor {
  const char* at;
  const char* end;
  bool last;                  // nothing follows `end`
  const char* cut = nullptr;  // where a comment began in the record that was scanned last
};

/// A field, borrowed from the buffer.
struct Field {
  std::string_view text;  // what is between the delimiters, or between the quotes
  bool quoted = false;
  bool doubled = false;  // has doubled quotes, each of which stands for one
};

enum class Scan {
  field,     // another field follows in this record
  record,    // that was the record's last field
  more,      // the buffer ends before the field does
  bad_quote  // something other than a delimiter follows a closing quote, or no quote closes
};

/// Steps over what ends a field: the delimiter, LF, CRLF, CR or the end of the text.
inline Scan step_over(Cursor& c, char delimiter) {
  if (c.at == c.end) return c.last ? Scan::record : Scan::more;
  const char ch = *c.at;
  if (ch == '\r') {
    if (c.at + 1 == c.end && !c.last) return Scan::more;
    if (c.at + 1 != c.end && c.at[1] == '\n') ++c.at;
  }
  ++c.at;
  return ch == delimiter ? Scan::field : Scan::record;
}

/// Reads the field at the cursor and steps over what ends it, a comment too.
Scan scan_field(Cursor& c, char delimiter, Field& field, char comment = 0);

/// Steps over lines that are blank or comments and returns how many; `delimiter` is never blank.
std::ptrdiff_t skip_blank_lines(Cursor& c, char delimiter, char comment = 0);

/// How many lines end in `text`: LF, CRLF and CR count once each.
std::ptrdiff_t count_lines(std::string_view text);

/// The field's text with each doubled quote made one.
std::string unescape(const Field& field);

/// Without the spaces and tabs around it.
std::string_view trim(std::string_view text);

/// Whether the text stands for no value: empty, NA, NaN, nan, null, NULL, N/A.
bool is_missing(std::string_view text);

enum class Reading { number, not_finite, missing, text };

/// The reading of a field as a number; `value` is set for number and not_finite.
Reading read_number(std::string_view text, char decimal, double& value);

/// The text as an error shows it: one line, at most 40 bytes, in single quotes.
std::string shown(std::string_view text);

}  // namespace covary::csv
