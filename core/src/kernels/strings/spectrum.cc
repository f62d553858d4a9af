// Inner products of the counts of substrings.
#include <fmt/format.h>

#include "covary/kernels/registry.h"
#include "covary/kernels/strings/strings.h"
#include "kernels/strings/pattern_kernel.h"

namespace covary {
using namespace internal;
namespace {

struct SpectrumRule {
  static constexpr const char* name = "spectrum";
  int shortest, longest;

  std::vector<Argument> settings() const {
    if (shortest == longest) return {{"k", {double(shortest)}}};
    const double open = std::numeric_limits<double>::quiet_NaN();
    return {{"k", {open}, false, {{false, double(shortest), double(longest)}}}};
  }
  static std::vector<double> weights() { return {1.0}; }
  std::vector<Pattern> patterns(std::string_view text) const {
    check_patterns(name, text.size(), text.size() * static_cast<size_t>(longest - shortest + 1));
    std::vector<Pattern> all = windows_of(text, shortest);
    for (int k = shortest + 1; k <= longest; ++k) {
      const std::vector<Pattern> more = windows_of(text, k);
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }
};

}  // namespace

void internal::check_patterns(const char* kernel, size_t letters, size_t patterns) {
  constexpr double most = 1e8;
  if (double(patterns) <= most) return;
  throw Error(Problem::limit,
              fmt::format("{}: a text of {} bytes has up to {:.2g} patterns to count, at most "
                          "{:.0e}: cut it, or use shorter substrings",
                          kernel, letters, double(patterns), most));
}

Kernel<std::string> spectrum(int shortest, int longest, bool normalized, bool minmax) {
  check_range("spectrum", "k", shortest, 1, longest_window);
  check_range("spectrum", "k", longest, shortest, longest_window);
  return PatternKernel<SpectrumRule>{{shortest, longest}, normalized, minmax};
}

namespace string_entries {
Entry<std::string> spectrum();
Entry<std::string> spectrum() {
  return {"spectrum",
          "sum_u c_u(x) c_u(z), c_u counts the substring u of k bytes",
          "texts with substrings in common: k=3, or blended k=1..3",
          {"k", "normalized", "measure"},
          [](const Arguments& a) {
            const auto [shortest, longest] = a.integers("k", {3, 3}, 1, longest_window);
            return covary::spectrum(shortest, longest, normalized_in(a), minmax_in(a));
          },
          0,
          Nature::other,
          Reads::numbers,
          {"k", "normalized", "measure"}};
}
}  // namespace string_entries

}  // namespace covary
