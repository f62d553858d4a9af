#include "kernels/strings/patterns.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace covary::internal {
namespace {

/// Of texts without patterns: more places than a window has.
constexpr PatternKey no_pattern{~std::uint64_t{0}, ~std::uint64_t{0}};

std::uint64_t mixed_bits(const PatternKey& key) {
  std::uint64_t h = (key.low ^ (key.high * 0x9E3779B97F4A7C15)) * 0xBF58476D1CE4E5B9;
  h = (h ^ (h >> 29)) * 0x94D049BB133111EB;
  return h ^ (h >> 32);
}

/// key -> the rows that have it, with their counts. Open addressing; at most half of the slots are taken.
class InvertedIndex {
 public:
  struct Posting {
    double count;
    Index row;
  };
  explicit InvertedIndex(const std::vector<std::span<const Pattern>>& rows) {
    size_t all = 0;
    for (const std::span<const Pattern> r : rows) all += r.size();
    slots_.assign(std::bit_ceil(2 * all + 1), 0);
    std::vector<std::uint32_t> ids;
    ids.reserve(all);
    for (const std::span<const Pattern> r : rows)
      for (const Pattern& p : r) ids.push_back(id_of(p.key));
    first_.assign(keys_.size() + 1, 0);
    for (const std::uint32_t id : ids) ++first_[id + 1];
    for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    std::vector<size_t> next(first_.begin(), first_.end());
    postings_.resize(all);
    auto id = ids.begin();
    for (size_t i = 0; i < rows.size(); ++i)
      for (const Pattern& p : rows[i]) postings_[next[*id++]++] = {double(p.count), Index(i)};
  }
  std::span<const Posting> find(const PatternKey& key) const {
    for (size_t at = mixed_bits(key);; ++at) {
      const std::uint32_t slot = slots_[at & (slots_.size() - 1)];
      if (slot == 0) return {};
      if (keys_[slot - 1] == key)
        return {postings_.data() + first_[slot - 1], first_[slot] - first_[slot - 1]};
    }
  }

 private:
  std::uint32_t id_of(const PatternKey& key) {
    for (size_t at = mixed_bits(key);; ++at) {
      std::uint32_t& slot = slots_[at & (slots_.size() - 1)];
      if (slot == 0) keys_.push_back(key), slot = static_cast<std::uint32_t>(keys_.size());
      if (keys_[slot - 1] == key) return slot - 1;
    }
  }
  std::vector<std::uint32_t> slots_;  // id + 1, or 0
  std::vector<PatternKey> keys_;      // of each id
  std::vector<size_t> first_;         // of each id, its postings
  std::vector<Posting> postings_;
};

Index patterns_in(std::span<const PatternCounts> some) {
  Index all = 0;
  for (const PatternCounts& p : some) all += std::ssize(p.patterns);
  return all;
}

std::uint64_t places_of(const Pattern& p) { return p.key.high >> 48; }

/// The kept places that patterns of some texts have, ascending.
std::vector<std::uint64_t> places_in(std::span<const PatternCounts> some) {
  std::vector<std::uint64_t> all;
  for (const PatternCounts& counts : some)
    for (const Pattern& p : counts.patterns)
      if (all.empty() || places_of(p) != all.back()) all.push_back(places_of(p));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Those patterns of each text that keep these places: a run, because keys ascend.
std::vector<std::span<const Pattern>> keeping(std::span<const PatternCounts> some, std::uint64_t places) {
  std::vector<std::span<const Pattern>> all;
  for (const PatternCounts& counts : some) {
    const auto [first, last] =
        std::equal_range(counts.patterns.begin(), counts.patterns.end(), Pattern{{places << 48, 0}, 0, 0},
                         [](const Pattern& p, const Pattern& q) { return places_of(p) < places_of(q); });
    all.emplace_back(first, last);
  }
  return all;
}

/// n x m: sum over the patterns u of both of term(u of one, the count of the other).
template <class Term>
Matrix pattern_sums(std::span<const PatternCounts> a, std::span<const PatternCounts> b, Term term) {
  if (patterns_in(a) > patterns_in(b)) return pattern_sums(b, a, term).transpose();
  Matrix k = Matrix::Zero(std::ssize(a), std::ssize(b));
  for (const std::uint64_t places : places_in(a)) {  // one by one: an index that stays near the processor
    const InvertedIndex index(keeping(a, places));
    const std::vector<std::span<const Pattern>> columns = keeping(b, places);
    for (Index j = 0; j < k.cols(); ++j) {
      double* column = k.col(j).data();
      for (const Pattern& p : columns[static_cast<size_t>(j)])
        for (const auto& [count, row] : index.find(p.key)) column[row] += term(p, count);
    }
  }
  return k;
}

}  // namespace

PatternKey mask_of(unsigned kept) {
  PatternKey mask{std::uint64_t{kept} << 48, 0};
  for (int p = 0; p < longest_window; ++p)
    if (kept >> p & 1U) (p < 8 ? mask.low : mask.high) |= std::uint64_t{0xFF} << (8 * (p % 8));
  return mask;
}

std::vector<Pattern> windows_of(std::string_view text, int length) {
  const auto size = static_cast<size_t>(length);
  const PatternKey mask = mask_of((1U << length) - 1);
  std::vector<Pattern> all;
  if (text.size() < size) return all;
  all.reserve(text.size() - size + 1);
  for (size_t i = 0; i + size <= text.size(); ++i) {
    PatternKey key{};
    for (size_t p = 0; p < size; ++p)
      (p < 8 ? key.low : key.high) |= std::uint64_t{static_cast<unsigned char>(text[i + p])} << (8 * (p % 8));
    all.push_back({with_places(key, mask), 1, 0});
  }
  return all;
}

PatternCounts counted_patterns(std::vector<Pattern> all, const std::vector<double>& weights,
                               bool normalized) {
  if (all.empty() && normalized)
    return {{{no_pattern, 1, static_cast<std::uint32_t>(weights.size() - 1)}}, weights.back(), 1};
  std::sort(all.begin(), all.end(), [](const Pattern& p, const Pattern& q) { return p.key < q.key; });
  size_t last = 0;
  for (size_t i = 1; i < all.size(); ++i)
    if (all[i].key == all[last].key)
      all[last].count += all[i].count;
    else
      all[++last] = all[i];
  if (!all.empty()) all.resize(last + 1);
  all.shrink_to_fit();
  double norm2 = 0, total = 0;
  for (const Pattern& p : all)
    norm2 += weights[p.level] * (double(p.count) * double(p.count)), total += double(p.count);
  return {std::move(all), norm2, total};
}

Matrix pattern_products(std::span<const PatternCounts> a, std::span<const PatternCounts> b,
                        const std::vector<double>& weights) {
  return pattern_sums(
      a, b, [&](const Pattern& p, double other) { return weights[p.level] * (other * double(p.count)); });
}

Matrix pattern_minima(std::span<const PatternCounts> a, std::span<const PatternCounts> b) {
  return pattern_sums(a, b, [](const Pattern& p, double other) { return std::min(other, double(p.count)); });
}

Matrix pattern_correlations(std::span<const PatternCounts> a, std::span<const PatternCounts> b,
                            const std::vector<double>& weights) {
  Matrix k = pattern_products(a, b, weights);
  for (Index j = 0; j < k.cols(); ++j)
    for (Index i = 0; i < k.rows(); ++i)
      k(i, j) /= std::sqrt(a[static_cast<size_t>(i)].norm2 * b[static_cast<size_t>(j)].norm2);
  return k;
}

}  // namespace covary::internal
