#include "table/csv/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "covary/base/error.h"
#include "covary/base/runtime.h"
#include "table/csv/field.h"
#include "table/csv/windows1252.h"

namespace covary::csv {
using namespace internal;
namespace {

constexpr size_t window_bytes = size_t{1} << 20;
constexpr size_t longest_row = size_t{1} << 26;

/// How many bytes the first line has with its end; 0 if the end is not there.
size_t line_size(std::string_view text, bool last) {
  const size_t end = text.find_first_of("\r\n");
  if (end == text.npos) return last ? text.size() : 0;
  if (text[end] == '\n') return end + 1;
  if (end + 1 == text.size()) return last ? end + 1 : 0;
  return end + (text[end + 1] == '\n' ? 2 : 1);
}

bool has_high_byte(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char ch) { return static_cast<signed char>(ch) < 0; });
}

}  // namespace

bool can_delimit(char c) {
  constexpr std::string_view never = "\"\r\n.+-_";
  const bool letter = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      static_cast<unsigned char>(c) >= 0x80;
  return never.find(c) == never.npos && !letter;
}

Window::Window(Source source, std::ptrdiff_t skip) : source_(std::move(source)), skip_(skip) { begin(); }

void Window::rewind() {
  source_.rewind();
  begin();
}

void Window::begin() {
  buffer_.clear();
  text_ = offset_ = 0;
  line_ = 1;
  ended_ = unicode_ = false;
  windows1252_ = 0;
  fetch();
  skip_byte_order_mark();
  check();
  skip_lines();
  read_separator();
  first_line_ = line_;
}

void Window::skip_lines() {
  for (std::ptrdiff_t i = 0; i < skip_; ++i) {
    size_t size = 0;
    while (size = line_size(view(), last()), size == 0 && !last()) advance(0);
    if (size == 0)
      throw Error(Problem::data,
                  fmt::format("{}: has {} lines, expected more than the {} to skip", source_.name, i, skip_));
    advance(size);
  }
}

char separator_in(std::string_view text) {
  std::string line(text.substr(0, 9));
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r' || line.back() == '"')) line.pop_back();
  if (line.starts_with('"')) line.erase(0, 1);
  for (char& ch : line) ch = ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch - 'A' + 'a') : ch;
  return line.size() == 5 && line.starts_with("sep=") && can_delimit(line[4]) ? line[4] : '\0';
}

void Window::read_separator() {
  const size_t size = line_size(view(), last());
  const char found = separator_in(view().substr(0, size));
  if (found == '\0') return;
  separator_ = found;
  advance(size);
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
  const size_t held = buffer_.size();  // of a row that is not whole yet
  if (held >= longest_row)
    throw Error(Problem::limit, fmt::format("{}, line {}: a row is longer than {} MiB, is this a table?",
                                            source_.name, line_, longest_row >> 20));
  if (held > window_bytes) check_memory(2.0 * static_cast<double>(held), source_.name + ": one row");
  buffer_.resize(std::max(std::min(window_bytes, source_.size + 1), 2 * held + 1));
  const size_t got = source_.read(buffer_.data() + held, buffer_.size() - held);
  ended_ = held + got < buffer_.size();
  buffer_.resize(held + got);
  if (windows1252_ > 0 && is_windows1252(std::string_view(buffer_).substr(held)))
    buffer_.replace(held, got, utf8_of_windows1252(std::string_view(buffer_).substr(held)));
}

void Window::skip_byte_order_mark() {
  if (buffer_.starts_with("\xFF\xFE") || buffer_.starts_with("\xFE\xFF")) {
    throw Error(Problem::data, source_.name + ": is UTF-16 text, expected UTF-8: save it as UTF-8");
  }
  if (buffer_.starts_with("PK\x03\x04"))
    throw Error(Problem::data,
                source_.name + ": is a zip archive (an Excel workbook is one), expected CSV: save it as CSV");
  if (!buffer_.starts_with("\xEF\xBB\xBF")) return;
  buffer_.erase(0, 3);
  offset_ = 3;
  unicode_ = true;
}

/// Takes what is left of the buffer for Windows-1252; false if it is not.
bool Window::convert() {
  const std::string_view rest = std::string_view(buffer_).substr(text_);
  if (unicode_ || windows1252_ > 0 || !is_windows1252(rest)) return false;
  windows1252_ = line_ + count_lines(view());
  buffer_.replace(text_, rest.size(), utf8_of_windows1252(rest));
  text_ = buffer_.size();
  return true;
}

void Window::check() {
  const size_t known = text_;
  text_ += text_prefix(std::string_view(buffer_).substr(text_));
  if (windows1252_ == 0) unicode_ = unicode_ || has_high_byte(view().substr(known));
  const size_t rest = buffer_.size() - text_;
  if (rest == 0) return;
  const auto byte = static_cast<unsigned char>(buffer_[text_]);
  if (rest < 4 && !ended_ && byte != 0) return;  // a character that the buffer cuts
  if (byte != 0 && convert()) return;
  const auto line = line_ + count_lines(view());
  const std::string what =
      byte == 0 ? "a NUL byte, expected text" : fmt::format("byte 0x{:02X} is not valid UTF-8", byte);
  throw Error(Problem::data, fmt::format("{}, line {}: {} (at byte {} of the file); save it as UTF-8 text",
                                         source_.name, line, what, offset_ + text_));
}

}  // namespace covary::csv
