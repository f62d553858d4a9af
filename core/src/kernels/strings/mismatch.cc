// Substrings that agree up to some mismatches.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "covary/kernels/registry.h"
#include "covary/kernels/strings/strings.h"
#include "kernels/strings/pattern_kernel.h"

namespace covary {
using namespace internal;
namespace {

struct LetterSet {
  std::string name;
  std::string_view letters;  // none: every byte
  double size() const { return letters.empty() ? 256 : double(letters.size()); }
};

const std::vector<LetterSet>& alphabets() {
  static const std::vector<LetterSet> all{
      {"bytes", ""}, {"dna", "ACGT"}, {"rna", "ACGU"}, {"protein", "ACDEFGHIKLMNPQRSTVWY"}};
  return all;
}

std::vector<std::string> alphabet_names() {
  std::vector<std::string> names;
  for (const LetterSet& a : alphabets()) names.push_back(a.name);
  return names;
}

double binomial_coefficient(int n, int k) {
  double c = k >= 0 && k <= n ? 1 : 0;
  for (int i = 1; i <= k && c > 0; ++i) c = c * (n - k + i) / i;
  return c;
}

/// |N_m(u) & N_m(v)| for words u, v of k letters that differ in d places. Of a word w in both neighborhoods,
/// t of the k - d common places differ from u and v; among the other d, a places are as in u, b as in v:
///   sum_{t,a,b} C(k-d, t) (A-1)^t C(d, a) C(d-a, b) (A-2)^(d-a-b),   t + d - a <= m,  t + d - b <= m
double shared_neighbors(int k, int m, int d, double alphabet) {
  double sum = 0;
  for (int t = 0; t <= k - d; ++t)
    for (int a = 0; a <= d; ++a)
      for (int b = 0; a + b <= d; ++b)
        if (t + d - a <= m && t + d - b <= m)
          sum += binomial_coefficient(k - d, t) * std::pow(alphabet - 1, t) * binomial_coefficient(d, a) *
                 binomial_coefficient(d - a, b) * std::pow(alphabet - 2, d - a - b);
  return sum;
}

/// With M_j the number of pairs (window of x, window of z) that agree on k - j places, summed over all
/// choices of these, and N_d the number of pairs at distance d, M_j = sum_{d<=j} C(k-d, k-j) N_d. The kernel
/// sum_d I(d) N_d, I as above and 0 beyond 2m, is then sum_{j<=2m} w_j M_j, w from j = 2m down:
///   w_d = I(d) - sum_{j>d} w_j C(k-d, k-j)
/// M_j is an inner product of counts of windows with j open places: sum_{j<=2m} C(k, j) patterns for each
/// window, whatever the size of the alphabet.
struct MismatchRule {
  static constexpr const char* name = "mismatch";
  int k, m;
  LetterSet alphabet;
  std::vector<double> level_weights;                        // w_j, and 1 for a text without windows
  std::vector<std::pair<PatternKey, std::uint32_t>> masks;  // and their level j

  MismatchRule(int k_, int m_, LetterSet alphabet_) : k(k_), m(m_), alphabet(std::move(alphabet_)) {
    const int most = std::min(2 * m, k);
    level_weights.assign(static_cast<size_t>(most) + 2, 1);
    for (int d = most; d >= 0; --d) {
      double w = shared_neighbors(k, m, d, alphabet.size());
      for (int j = d + 1; j <= most; ++j)
        w -= level_weights[static_cast<size_t>(j)] * binomial_coefficient(k - d, k - j);
      level_weights[static_cast<size_t>(d)] = w;
    }
    for (unsigned kept = 0; kept < 1U << k; ++kept)
      if (const int open = k - std::popcount(kept); open <= most)
        masks.emplace_back(mask_of(kept), static_cast<std::uint32_t>(open));
  }
  std::vector<Argument> settings() const {
    std::vector<Argument> all{{"k", {double(k)}}, {"m", {double(m)}}};
    if (!alphabet.letters.empty()) all.push_back({"alphabet", {}, false, {}, alphabet.name});
    return all;
  }
  const std::vector<double>& weights() const { return level_weights; }
  std::vector<Pattern> patterns(const std::string& text) const {
    check_patterns(name, text.size(), text.size());
    const std::vector<Pattern> windows =
        counted_patterns(windows_of(in_alphabet(text), k), {1.0}, false).patterns;
    check_patterns(name, text.size(), windows.size() * masks.size());
    std::vector<Pattern> all;
    all.reserve(windows.size() * masks.size());
    for (const auto& [mask, level] : masks)
      for (const Pattern& w : windows) all.push_back({with_places(w.key, mask), w.count, level});
    return all;
  }

 private:
  std::string in_alphabet(std::string text) const {
    if (alphabet.letters.empty()) return text;
    for (size_t i = 0; i < text.size(); ++i) {
      const char upper = text[i] >= 'a' && text[i] <= 'z' ? char(text[i] - 'a' + 'A') : text[i];
      if (alphabet.letters.find(upper) == std::string_view::npos)
        throw Error(Problem::data, fmt::format("mismatch: the alphabet {} has the letters {}, found '{}' at "
                                               "position {}: use alphabet=bytes, or mend the text",
                                               alphabet.name, alphabet.letters, text[i], i + 1));
      text[i] = upper;
    }
    return text;
  }
};

}  // namespace

Kernel<std::string> mismatch(int k, int m, const std::string& alphabet, bool normalized) {
  check_range("mismatch", "k", k, 1, longest_window);
  check_range("mismatch", "m", m, 0, k - 1);
  for (const LetterSet& a : alphabets())
    if (a.name == alphabet) return PatternKernel<MismatchRule>{{k, m, a}, normalized};
  throw Error(Problem::usage, fmt::format("mismatch: there is no alphabet '{}'{}", alphabet,
                                          did_you_mean(alphabet, alphabet_names())));
}

namespace string_entries {
Entry<std::string> mismatch();
Entry<std::string> mismatch() {
  return {"mismatch",
          "sum_u c_u(x) c_u(z), c_u counts substrings that differ from u in at most m of k bytes",
          "texts with similar substrings: DNA, proteins",
          {"k", "m", "alphabet", "normalized"},
          [](const Arguments& a) {
            const int k = a.integer("k", 4, 1, longest_window);
            return covary::mismatch(k, a.integer("m", std::min(1, k - 1), 0, k - 1),
                                    a.word("alphabet", alphabet_names()),
                                    a.word("normalized", {"yes", "no"}) == "yes");
          },
          0,
          Nature::other,
          Reads::numbers,
          {"k", "m", "alphabet", "normalized"}};
}
}  // namespace string_entries

}  // namespace covary
