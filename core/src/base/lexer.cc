#include "base/lexer.h"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "covary/base/names.h"

namespace covary {
namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Characters of UTF-8.
size_t characters(std::string_view s) {
  return s.size() - static_cast<size_t>(std::count_if(s.begin(), s.end(), continues_character));
}

/// text[from, to), moved to whole characters; what cannot be printed is escaped.
std::string shown(std::string_view text, size_t from, size_t to) {
  to = std::min(to, text.size());
  while (from > 0 && from < text.size() && continues_character(text[from])) --from;
  while (to < text.size() && continues_character(text[to])) ++to;
  std::string out;
  for (const char c : text.substr(from, to - from)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out;
}

bool starts_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool in_word(char c) { return starts_word(c) || is_digit(c); }

}  // namespace

std::string internal::quoted_if_needed(const std::string& name) {
  bool plain = !name.empty() && starts_word(name[0]);
  for (const char c : name) plain = plain && in_word(c);
  if (plain) return name;
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

Error text_error(std::string_view subject, std::string_view text, size_t position, const std::string& what) {
  constexpr size_t most = 60;
  const size_t from = position > most ? position - most : 0;
  return {Problem::usage,
          fmt::format("{}: {}, at position {} of '{}{}{}'", subject, what,
                      characters(text.substr(0, position - 1)) + 1, from ? "..." : "",
                      shown(text, from, from + 2 * most), text.size() > from + 2 * most ? "..." : "")};
}

void Cursor::expect(char c) {
  if (!eat(c)) fail(fmt::format("expected '{}', found {}", c, found()));
}

bool Cursor::at_word() { return skip(), at_ < text_.size() && starts_word(text_[at_]); }

bool Cursor::at_digits() { return skip(), at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.'); }

std::string Cursor::word() {
  skip();
  const size_t start = at_;
  while (at_ < text_.size() && in_word(text_[at_])) ++at_;
  return std::string(text_.substr(start, at_ - start));
}

std::string Cursor::column() {
  if (!eat('"')) {
    std::string w = word();
    return w.empty() ? (fail("expected the name of a column, found " + found()), w) : w;
  }
  std::string name;
  for (; at_ < text_.size(); ++at_) {
    if (text_[at_] != '"')
      name += text_[at_];
    else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"')
      name += text_[at_++];
    else
      return ++at_, name;
  }
  fail("expected '\"' at the end of a column's name");
}

double Cursor::number(const char* expected) {
  skip();
  double value = 0;
  const size_t from = at_ < text_.size() && text_[at_] == '+' ? at_ + 1 : at_;
  const auto [end, error] = fast_float::from_chars(text_.data() + from, text_.data() + text_.size(), value);
  if (error != std::errc{} || !std::isfinite(value))
    fail(fmt::format("expected {}, found {}", expected, found()));
  at_ = static_cast<size_t>(end - text_.data());
  if (text_[at_ - 1] == '.' && at_ < text_.size() && text_[at_] == '.') --at_;  // 1..10 is 1 and 10
  return value;
}

bool Cursor::eat_range() {
  skip();
  if (!text_.substr(at_).starts_with("..")) return false;
  at_ += 2;
  return true;
}

std::string_view Cursor::balanced(char a, char b) {
  skip();
  const size_t start = at_;
  int open = 0;
  bool quoted = false;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (open == 0 && (c == a || c == b)) break;
    open += (c == '(' || c == '[') - (c == ')' || c == ']');
  }
  return text_.substr(start, at_ - start);
}

void Cursor::enter() {
  constexpr int deepest = 50;  // a stack of 256 kB holds what is built from so many
  if (++depth_ > deepest) fail(fmt::format("brackets are nested deeper than {}", deepest));
}

std::string Cursor::found() { return done() ? "the end" : fmt::format("'{}'", shown(text_, at_, at_ + 12)); }

void Cursor::fail_at(size_t position, const std::string& what) const {
  throw text_error(subject_, text_, position, what);
}

void Cursor::skip() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
}

}  // namespace covary
