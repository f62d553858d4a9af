#include "words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "covary/base/read_number.h"

namespace covary::cli {
namespace {

bool is_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = internal::read_number(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

size_t shown_width(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return "";
  const size_t columns = rows.front().size();
  std::vector<size_t> width(columns, 0);
  std::vector<bool> right(columns, rows.size() > 1);
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t c = 0; c < columns; ++c) {
      width[c] = std::max(width[c], shown_width(rows[r][c]));
      if (r > 0 && !is_number(rows[r][c])) right[c] = false;
    }
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (size_t c = 0; c < columns; ++c) {
      const std::string pad(width[c] - shown_width(row[c]), ' ');
      line += (c > 0 ? "  " : "") + (right[c] ? pad + row[c] : row[c] + pad);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr size_t most = 8;
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most));
  const std::string more = names.size() > most ? fmt::format(", ... ({} in all)", names.size()) : "";
  return fmt::format("{}{}", fmt::join(names.begin(), end, ", "), more);
}

std::string counted(long long n, std::string_view one, std::string_view many) {
  if (n == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", n, one) : fmt::format("{} {}", n, many);
}

}  // namespace covary::cli
