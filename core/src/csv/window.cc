#include "csv/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "covary/error.h"
#include "csv/field.h"
#include "csv/utf8.h"

namespace covary::csv {
namespace {

constexpr size_t block = size_t{1} << 20;

}  // namespace

Window::Window(Source source) : source_(std::move(source)) { begin(); }

void Window::rewind() {
  source_.rewind();
  begin();
}

void Window::begin() {
  buffer_.clear();
  text_ = offset_ = 0;
  line_ = 1;
  ended_ = false;
  fetch();
  skip_byte_order_mark();
  check();
}

void Window::advance(size_t used) {
  if (used > 0) {
    line_ += count_lines(view().substr(0, used));
    buffer_.erase(0, used);
    text_ -= used;
    offset_ += used;
  }
  fetch();
  check();
}

void Window::fetch() {
  if (ended_) return;
  const size_t held = buffer_.size();
  buffer_.resize(std::max(std::min(block, source_.size + 1), 2 * held + 1));
  const size_t got = source_.read(buffer_.data() + held, buffer_.size() - held);
  ended_ = held + got < buffer_.size();
  buffer_.resize(held + got);
}

void Window::skip_byte_order_mark() {
  if (buffer_.starts_with("\xFF\xFE") || buffer_.starts_with("\xFE\xFF")) {
    throw Error(Problem::data, source_.name + ": is UTF-16 text, expected UTF-8: save it as UTF-8");
  }
  if (!buffer_.starts_with("\xEF\xBB\xBF")) return;
  buffer_.erase(0, 3);
  offset_ = 3;
}

void Window::check() {
  text_ += text_prefix(std::string_view(buffer_).substr(text_));
  const size_t rest = buffer_.size() - text_;
  if (rest == 0) return;
  const auto byte = static_cast<unsigned char>(buffer_[text_]);
  if (rest < 4 && !ended_ && byte != 0) return;  // a character that the buffer cuts
  const auto line = line_ + count_lines(view());
  const std::string what =
      byte == 0 ? "a NUL byte, expected text" : fmt::format("byte 0x{:02X} is not valid UTF-8", byte);
  throw Error(Problem::data, fmt::format("{}, line {}: {} (at byte {} of the file); save it as UTF-8 text",
                                         source_.name, line, what, offset_ + text_));
}

}  // namespace covary::csv
