#include "covary/error.h"

#include <algorithm>
#include <numeric>

namespace covary {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t substituted = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view name, const std::vector<std::string>& known) {
  constexpr size_t longest = 64;  // nobody mistypes more than this
  if (name.size() > longest) return {};
  std::string best;
  size_t least = std::max<size_t>(2, name.size() / 2) + 1;
  for (const std::string& k : known) {
    if (k.size() > longest) continue;
    size_t d = edit_distance(name, k);
    if (!name.empty() && (k.starts_with(name) || name.starts_with(k))) d = std::min<size_t>(d, 2);
    if (d < least) least = d, best = k;
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  const std::string near = nearest(name, known);
  return near.empty() ? "" : ", did you mean '" + near + "'?";
}

}  // namespace covary
