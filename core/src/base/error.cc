#include "covary/base/error.h"

#include <algorithm>
#include <numeric>

namespace covary {
namespace {

/// Insertions, deletions, substitutions and swaps of neighbors. O(|a| |b|)
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row;
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    row.assign(1, i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      row.push_back(std::min({last[j] + (a[i] != b[j]), last[j + 1] + 1, row[j] + 1}));
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
        row.back() = std::min(row.back(), before[j - 1] + 1);
    }
    before = std::move(last), last = std::move(row);
  }
  return last.back();
}

/// How many letters a mistyped name of this length may differ in and still be meant.
size_t tolerated(size_t length) { return length < 4 ? 1 : std::max<size_t>(2, length / 3); }

/// Letters in lower case, without the dashes of an option.
std::string compared(std::string_view name) {
  name.remove_prefix(std::min(name.size(), name.find_first_not_of('-')));
  std::string out(name);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

}  // namespace

std::string internal::nearest(std::string_view typed, const std::vector<std::string>& known) {
  constexpr size_t longest = 64;  // nobody mistypes more than this
  if (typed.size() > longest) return {};
  const std::string name = compared(typed);
  const size_t most = tolerated(name.size());
  std::string best;
  size_t least = most + 1;
  for (const std::string& k : known) {
    if (k.size() > longest) continue;
    const std::string other = compared(k);
    size_t d = edit_distance(name, other);
    if (!name.empty() && !other.empty() && (other.starts_with(name) || name.starts_with(other)))
      d = std::min(d, most);
    if (d < least) least = d, best = k;
  }
  return best;
}

std::string internal::did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  const std::string near = nearest(name, known);
  return near.empty() ? "" : ", did you mean '" + near + "'?";
}

}  // namespace covary
