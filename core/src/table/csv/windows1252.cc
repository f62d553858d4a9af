#include "table/csv/windows1252.h"

#include <algorithm>
#include <array>

namespace covary::csv {
namespace {

/// The characters of the bytes 0x80 to 0x9F; 0: undefined. From 0xA0 on a byte is its own character.
constexpr std::array<unsigned, 32> upper_controls{
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

unsigned character(unsigned char byte) {
  return byte >= 0x80 && byte < 0xA0 ? upper_controls[byte - 0x80U] : byte;
}

}  // namespace

bool is_windows1252(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char ch) {
    const auto byte = static_cast<unsigned char>(ch);
    if (byte < 0x20) return byte == '\t' || byte == '\n' || byte == '\r';
    return byte != 0x7F && character(byte) != 0;
  });
}

std::string utf8_of_windows1252(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 8);
  const auto add = [&](unsigned byte) { out += static_cast<char>(byte); };
  for (const char ch : bytes) {
    const unsigned c = character(static_cast<unsigned char>(ch));
    if (c < 0x80) {
      add(c);
    } else if (c < 0x800) {
      add(0xC0 | c >> 6), add(0x80 | (c & 0x3F));
    } else {
      add(0xE0 | c >> 12), add(0x80 | (c >> 6 & 0x3F)), add(0x80 | (c & 0x3F));
    }
  }
  return out;
}

}  // namespace covary::csv
