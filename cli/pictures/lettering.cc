#include "pictures/lettering.h"

#include <algorithm>
#include <cstdint>
#include <set>

namespace covary::cli {
namespace {

constexpr const char* ellipsis = "\u2026";
constexpr const char* replacement = "\uFFFD";

/// Bytes of the character that begins with `lead`; 0 if none does.
size_t length_of(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// The character at the beginning of `text`, as its bytes; empty if they are not UTF-8.
std::string_view first_character(std::string_view text) {
  const size_t n = length_of(static_cast<unsigned char>(text[0]));
  if (n == 0 || n > text.size()) return {};
  for (size_t i = 1; i < n; ++i)
    if (!continues(text[i])) return {};
  return text.substr(0, n);
}

std::uint32_t code_point(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return lead;
  std::uint32_t code = lead & (0x7FU >> character.size());
  for (const char c : character.substr(1)) code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  return code;
}

/// Whether XML 1.0 has no such character, or it has an overlong form.
bool forbidden(std::string_view character) {
  const std::uint32_t code = code_point(character);
  const std::uint32_t least = character.size() == 4 ? 0x10000 : character.size() == 3 ? 0x800 : 0;
  return code < least || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) || code == 0xFFFE ||
         code == 0xFFFF;
}

/// The width of a character in units of the size.
double width_of(std::uint32_t code) {
  if (code >= 0x1100) return 1;
  if (code >= 0x80) return 0.78;
  const char c = static_cast<char>(code);
  constexpr std::string_view narrow = "iljI|!.,:;' ()[]ftr/-\"", wide = "mwMW%@", broad = "+=<>~#^&";
  if (narrow.find(c) != narrow.npos) return 0.42;
  if (wide.find(c) != wide.npos) return 1;
  if (broad.find(c) != broad.npos) return 0.84;
  return c >= 'A' && c <= 'Z' ? 0.79 : 0.65;
}

/// The width of the character at the beginning of `text`, which is taken away.
double take_width(std::string_view& text, const Lettering& letters) {
  const std::string_view c = first_character(text);
  const double width = c.empty() ? 1 : width_of(code_point(c));
  text.remove_prefix(std::max<size_t>(1, c.size()));
  return width * letters.size * (letters.bold ? 1.13 : 1);
}

/// As many whole characters as fit; takes as long as those, not as all of the text.
std::string_view beginning(std::string_view text, double room, const Lettering& letters) {
  std::string_view rest = text, kept;
  for (double used = 0; !rest.empty(); kept = text.substr(0, text.size() - rest.size()))
    if ((used += take_width(rest, letters)) > room) break;
  return kept;
}

bool fits(std::string_view text, double room, const Lettering& letters) {
  return beginning(text, room, letters).size() == text.size();
}

/// As much of the end of a text as fits.
std::string_view ending(std::string_view text, double room, const Lettering& letters) {
  constexpr size_t enough = 400;  // bytes
  if (text.size() > enough) text.remove_prefix(text.size() - enough);
  while (!text.empty() && (continues(text[0]) || !fits(text, room, letters))) text.remove_prefix(1);
  return text;
}

/// `share` of the room is for the beginning, the rest for the end.
std::string without_middle(const std::string& text, double share, double room, const Lettering& letters) {
  if (fits(text, room, letters)) return text;
  const double left = room - text_width(ellipsis, letters);
  const std::string_view begin = beginning(text, share * left, letters);
  return std::string(begin) + ellipsis +
         std::string(ending(text, left - text_width(begin, letters), letters));
}

/// " [unit]" at the end of a label, or "".
std::string unit_of(const std::string& text) {
  const size_t at = text.rfind(" [");
  return at != text.npos && at > 0 && text.ends_with("]") ? text.substr(at) : "";
}

/// Words between spaces, up to the one that begins after `most` bytes; a unit in brackets stays with the word
/// before it.
std::vector<std::string> words_of(const std::string& text, size_t most) {
  std::vector<std::string> out;
  for (size_t at = 0; at < std::min(most, text.size());) {
    const size_t end = std::min(text.find(' ', at), text.size());
    if (end > at && text[at] == '[' && !out.empty())
      out.back() += " " + text.substr(at, end - at);
    else if (end > at)
      out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

}  // namespace

double text_width(std::string_view text, const Lettering& letters) {
  double width = 0;
  while (!text.empty()) width += take_width(text, letters);
  return width;
}

std::string shortened(const std::string& text, double room, const Lettering& letters) {
  if (fits(text, room, letters)) return text;
  std::string unit = unit_of(text);
  if (!fits(unit, room / 2, letters)) unit.clear();
  const double left = room - text_width(ellipsis, letters) - text_width(unit, letters);
  std::string name(beginning(std::string_view(text).substr(0, text.size() - unit.size()), left, letters));
  name.resize(name.find_last_not_of(' ') + 1);
  return name.empty() && unit.empty() ? "" : name + ellipsis + unit;
}

std::vector<std::string> shortened_apart(const std::vector<std::string>& names, double room,
                                         const Lettering& letters) {
  const auto different = [](const std::vector<std::string>& all) {
    return std::set<std::string>(all.begin(), all.end()).size();
  };
  std::vector<std::string> best;
  best.reserve(names.size());
  for (const std::string& name : names) best.push_back(shortened(name, room, letters));
  for (const double share : {0.5, 0.0}) {
    std::vector<std::string> other;
    other.reserve(names.size());
    for (const std::string& name : names) other.push_back(without_middle(name, share, room, letters));
    if (different(other) > different(best)) best = std::move(other);
  }
  return best;
}

std::vector<std::string> wrapped(const std::string& text, double room, size_t most,
                                 const Lettering& letters) {
  constexpr double narrowest = 0.4;  // no character is narrower, in sizes
  const auto longest = static_cast<size_t>(double(most) * (room / (narrowest * letters.size) + 1));
  std::vector<std::string> lines;
  for (const std::string& word : words_of(text, 4 * longest)) {
    const bool wraps = lines.empty() || !fits(lines.back() + " " + word, room, letters);
    if (wraps && lines.size() < most)
      lines.push_back(word);
    else
      lines.back() += " " + word;  // the last line takes what is left, to be shortened
  }
  for (std::string& line : lines) line = shortened(line, room, letters);
  return lines;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view c = first_character(text);
    if (c.empty() || forbidden(c))
      out += replacement;
    else if (c.size() == 1 && (static_cast<unsigned char>(c[0]) < 0x20 || c[0] == 0x7F))
      out += ' ';
    else
      out += c;
    text.remove_prefix(std::max<size_t>(1, c.size()));
  }
  return out;
}

}  // namespace covary::cli
