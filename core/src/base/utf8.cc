#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace covary::csv {
namespace {

/// Whether the next eight bytes are ASCII other than NUL.
bool plain8(const char* p) {
  uint64_t w = 0;
  std::memcpy(&w, p, 8);
  constexpr uint64_t high = 0x8080808080808080U, ones = 0x0101010101010101U;
  return ((w | (w - ones)) & high) == 0;
}

/// The length in bytes of the character that `s` begins with, or 0 if it is not whole and valid.
size_t character(std::string_view s) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return lead != 0;
  const size_t n = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || s.size() < n) return 0;
  unsigned low = 0x80, high = 0xBF;  // of the second byte
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  if (byte(1) < low || byte(1) > high) return 0;
  for (size_t i = 2; i < n; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  return n;
}

}  // namespace

size_t text_prefix(std::string_view bytes) {
  size_t i = 0;
  while (i < bytes.size()) {
    while (i + 8 <= bytes.size() && plain8(bytes.data() + i)) i += 8;
    if (i == bytes.size()) break;
    const size_t n = character(bytes.substr(i));
    if (n == 0) break;
    i += n;
  }
  return i;
}

}  // namespace covary::csv
