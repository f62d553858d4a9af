// A window that slides over a text or a file: a block of it at a time, more if one record needs more.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "table/csv/source.h"

namespace covary::csv {

/// Whether a character may stand between fields: no letter, digit, quote or part of a number.
bool can_delimit(char c);

/// What a first line `sep=;` names, as spreadsheets write it, maybe in quotes; '\0' of any other line.
char separator_in(std::string_view line);

/// Every byte shown is text (utf8.h): otherwise the member functions throw Problem::data with the line. From
/// the first byte on that is not UTF-8 the text is taken for Windows-1252, if all before it is ASCII.
class Window {
 public:
  /// The first `skip` lines are not shown, nor is a line `sep=;` after them.
  explicit Window(Source source, std::ptrdiff_t skip = 0);

  /// What is shown, less the byte order mark. Ends at a whole character.
  std::string_view view() const { return std::string_view(buffer_).substr(0, text_); }
  /// Nothing follows the view.
  bool last() const { return ended_ && text_ == buffer_.size(); }
  /// Forgets the first `used` bytes and shows more.
  void advance(size_t used);
  /// Shows the beginning again, if the source can.
  void rewind();
  bool can_rewind() const { return static_cast<bool>(source_.rewind); }

  /// The line at which what is shown began, at first.
  std::ptrdiff_t first_line() const { return first_line_; }
  /// What a line `sep=;` said, or 0.
  char separator() const { return separator_; }
  /// The line of the first byte that is Windows-1252, or 0.
  std::ptrdiff_t windows1252() const { return windows1252_; }

  const std::string& name() const { return source_.name; }
  size_t size() const { return source_.size; }

 private:
  void begin();
  void fetch();
  void skip_byte_order_mark();
  void skip_lines();
  void read_separator();
  void check();
  bool convert();

  Source source_;
  std::ptrdiff_t skip_;
  std::string buffer_;
  size_t text_ = 0;          // how much of the buffer is known to be text
  size_t offset_ = 0;        // of the buffer in the source
  std::ptrdiff_t line_ = 1;  // at which the buffer begins
  bool ended_ = false;       // the source has no more
  std::ptrdiff_t first_line_ = 1;
  char separator_ = 0;
  bool unicode_ = false;            // a byte order mark or a character of UTF-8 was seen
  std::ptrdiff_t windows1252_ = 0;  // the line from which on bytes are converted; 0: none
};

}  // namespace covary::csv
