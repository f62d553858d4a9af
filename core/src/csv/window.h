// A window that slides over a text or a file: a block of it at a time, more if one record needs more.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace covary::csv {

/// Bytes in order, that can be read again from the first.
struct Source {
  std::string name;                           // what errors call it
  size_t size = 0;                            // in bytes, a guess
  std::function<size_t(char*, size_t)> read;  // fills at most so many bytes; fewer means that was all
  std::function<void()> rewind;
};

/// A source over `text`, which must outlive it.
Source text_source(std::string_view text, const std::string& name);

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
  /// Shows the beginning again.
  void rewind();

  const std::string& name() const { return source_.name; }
  size_t size() const { return source_.size; }

 private:
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
