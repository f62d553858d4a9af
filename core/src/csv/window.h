// A window that slides over a text or a file: a block of it at a time, more if one record needs more.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "csv/source.h"

namespace covary::csv {

/// Every byte shown is text (utf8.h): otherwise the member functions throw Problem::data with the line.
class Window {
 public:
  explicit Window(Source source);

  /// What is shown, less the byte order mark. Ends at a whole character.
  std::string_view view() const { return std::string_view(buffer_).substr(0, text_); }
  /// Nothing follows the view.
  bool last() const { return ended_ && text_ == buffer_.size(); }
  /// Forgets the first `used` bytes and shows more.
  void advance(size_t used);
  /// Shows the beginning again, if the source can.
  void rewind();
  bool can_rewind() const { return static_cast<bool>(source_.rewind); }

  const std::string& name() const { return source_.name; }
  size_t size() const { return source_.size; }

 private:
  void begin();
  void fetch();
  void skip_byte_order_mark();
  void check();

  Source source_;
  std::string buffer_;
  size_t text_ = 0;          // how much of the buffer is known to be text
  size_t offset_ = 0;        // of the buffer in the source
  std::ptrdiff_t line_ = 1;  // at which the buffer begins
  bool ended_ = false;       // the source has no more
};

}  // namespace covary::csv
