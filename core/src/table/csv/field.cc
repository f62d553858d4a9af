#include "table/csv/field.h"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace covary::csv {
namespace {

/// How much of the text is left without the spaces and tabs at its end.
size_t trim_end(std::string_view text) { return text.find_last_not_of(" \t") + 1; }

/// The cursor is past the opening quote; leaves it past the closing one.
Scan scan_quoted(Cursor& c, Field& field) {
  const char* begin = c.at;
  for (const char* p = begin;;) {
    p = static_cast<const char*>(std::memchr(p, '"', static_cast<size_t>(c.end - p)));
    if (p == nullptr) return c.last ? Scan::bad_quote : Scan::more;
    if (p + 1 == c.end && !c.last) return Scan::more;
    if (p + 1 == c.end || p[1] != '"') {
      field.text = {begin, p};
      c.at = p + 1;
      return Scan::field;
    }
    field.doubled = true;
    p += 2;
  }
}

bool at_line_end(const Cursor& c) { return c.at == c.end || *c.at == '\n' || *c.at == '\r'; }

bool at_comment(const Cursor& c, char comment) { return comment != 0 && c.at != c.end && *c.at == comment; }

/// The cursor is at a comment; leaves it past the end of its line.
Scan skip_comment(Cursor& c, char delimiter) {
  c.cut = c.at;
  while (!at_line_end(c)) ++c.at;
  return step_over(c, delimiter);
}

}  // namespace

Scan scan_field(Cursor& c, char delimiter, Field& field, char comment) {
  field = {};
  if (c.at != c.end && *c.at == '"') {
    field.quoted = true;
    ++c.at;
    const Scan scan = scan_quoted(c, field);
    if (scan != Scan::field) return scan;
    while (comment != 0 && c.at != c.end && *c.at == ' ' && *c.at != delimiter) ++c.at;
    if (!at_line_end(c) && *c.at != delimiter && !at_comment(c, comment)) return Scan::bad_quote;
  } else {
    const char* begin = c.at;
    while (!at_line_end(c) && *c.at != delimiter && *c.at != comment) ++c.at;
    field.text = {begin, c.at};
    if (at_comment(c, comment)) field.text = field.text.substr(0, trim_end(field.text));
  }
  return at_comment(c, comment) ? skip_comment(c, delimiter) : step_over(c, delimiter);
}

std::ptrdiff_t skip_blank_lines(Cursor& c, char delimiter, char comment) {
  for (std::ptrdiff_t lines = 0;; ++lines) {
    Cursor ahead = c;
    while (ahead.at != ahead.end && (*ahead.at == ' ' || *ahead.at == '\t') && *ahead.at != delimiter)
      ++ahead.at;
    if (at_comment(ahead, comment))
      while (!at_line_end(ahead)) ++ahead.at;
    const bool at_end = ahead.at == ahead.end;
    if (!at_line_end(ahead)) return lines;
    if (step_over(ahead, delimiter) == Scan::more) return lines;
    c = ahead;
    if (at_end) return lines;
  }
}

std::ptrdiff_t count_lines(std::string_view text) {
  std::ptrdiff_t lines = std::count(text.begin(), text.end(), '\n');
  for (size_t i = text.find('\r'); i != text.npos; i = text.find('\r', i + 1)) {
    lines += i + 1 == text.size() || text[i + 1] != '\n';
  }
  return lines;
}

std::string unescape(const Field& field) {
  std::string out(field.text);
  if (!field.doubled) return out;
  size_t kept = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    out[kept++] = out[i];
    if (out[i] == '"') ++i;
  }
  out.resize(kept);
  return out;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t";
  const size_t first = text.find_first_not_of(blank);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

bool is_missing(std::string_view t) {
  if (t.size() > 4) return false;
  return t.empty() || t == "NA" || t == "NaN" || t == "nan" || t == "null" || t == "NULL" || t == "N/A";
}

Reading read_number(std::string_view text, char decimal, double& value) {
  text = trim(text);
  if (is_missing(text)) return Reading::missing;
  if (text.front() == '+') {
    text.remove_prefix(1);
    if (text.starts_with('-')) return Reading::text;
  }
  const char* end = text.data() + text.size();
  const fast_float::parse_options options{fast_float::chars_format::general, decimal};
  const auto [stop, ec] = fast_float::from_chars_advanced(text.data(), end, value, options);
  if (stop != end || ec == std::errc::invalid_argument || std::isnan(value)) return Reading::text;
  return std::isfinite(value) ? Reading::number : Reading::not_finite;
}

std::string shown(std::string_view text) {
  constexpr size_t most = 40;
  std::string out(text.substr(0, most));
  if (text.size() > most) {
    const auto continues = [](char ch) { return (static_cast<unsigned char>(ch) & 0xC0U) == 0x80U; };
    size_t cut = most;
    while (cut > 0 && continues(text[cut])) --cut;
    out.resize(cut);
    out += "...";
  }
  const auto control = [](unsigned char ch) { return ch < 0x20 || ch == 0x7F; };
  std::replace_if(out.begin(), out.end(), control, ' ');
  return "'" + out + "'";
}

}  // namespace covary::csv
