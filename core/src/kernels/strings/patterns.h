// Patterns of a text, counted: sparse vectors of integers, and their inner products in blocks.
//
// A pattern is a window of up to 14 bytes of which some places are kept and the others match anything. All
// sums are of integers, exact below 2^53, so that the bits of an entry do not depend on how it was computed.
#pragma once
#include <compare>
#include <cstdint>
#include <span>
#include <string_view>

#include "covary/base/types.h"

namespace covary::internal {

constexpr int longest_window = 14;

/// The kept places as bits, then the bytes there. Equal keys are equal patterns.
struct PatternKey {
  std::uint64_t high = 0, low = 0;
  auto operator<=>(const PatternKey&) const = default;  // NOLINT(modernize-use-nullptr): there is none
};

struct Pattern {
  PatternKey key;
  std::uint32_t count = 0;
  std::uint32_t level = 0;  // of its weight
};

/// The patterns of one text, ascending, each once.
struct PatternCounts {
  std::vector<Pattern> patterns;
  double norm2 = 0;  // the inner product with itself
  double total = 0;  // of all counts
};

/// The mask of the places that are kept; with_places(key, mask) is the pattern of a window with the others
/// left open.
PatternKey mask_of(unsigned kept);
inline PatternKey with_places(const PatternKey& key, const PatternKey& mask) {
  constexpr std::uint64_t letters = (std::uint64_t{1} << 48) - 1;
  return {(key.high & mask.high & letters) | (mask.high & ~letters), key.low & mask.low};
}

/// The windows of `length` bytes of a text, one by one.
std::vector<Pattern> windows_of(std::string_view text, int length);

/// Sorted, equal keys made one. Weights: of each level. Texts without patterns get one of their own if
/// `normalized`, of the last level: they are then alike, and orthogonal to all others.
PatternCounts counted_patterns(std::vector<Pattern> all, const std::vector<double>& weights, bool normalized);

/// n x m: sum over the patterns u of both of weight_u count_u(a_i) count_u(b_j), through an inverted index of
/// the side with fewer patterns: O(patterns of a and b, and the pairs that are equal).
Matrix pattern_products(std::span<const PatternCounts> a, std::span<const PatternCounts> b,
                        const std::vector<double>& weights);

/// n x m: sum over the patterns u of both of min(count_u(a_i), count_u(b_j)).
Matrix pattern_minima(std::span<const PatternCounts> a, std::span<const PatternCounts> b);

/// The products divided by the norms.
Matrix pattern_correlations(std::span<const PatternCounts> a, std::span<const PatternCounts> b,
                            const std::vector<double>& weights);

}  // namespace covary::internal
