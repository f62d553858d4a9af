// 128-bit keys of texts, of pairs and of multisets, the same in every batch and on every machine.
//
// Equal inputs have equal keys. Of q distinct inputs two share a key with probability at most about q^2/2^129: 2e-27
// for a million of them. The halves are two hash functions with constants of their own.
#pragma once
#include <bit>
#include <compare>
#include <cstdint>
#include <string_view>

namespace covary::internal {

struct Key {
  std::uint64_t high = 0, low = 0;
  auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr): there is none
};

/// A bijection of 64 bits that spreads every bit over all (the finalizer of SplitMix64).
constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Of the ordered pair (a, b).
constexpr Key pair_key(Key a, Key b) {
  return {mixed(mixed(a.high + 0x9e3779b97f4a7c15u) + b.high),
          mixed(std::rotl(mixed(a.low ^ 0xd1b54a32d192ed03u), 23) + b.low)};
}

/// Of a multiset: the sum of the keys of its members, each the key of a pair.
constexpr Key operator+(Key a, Key b) { return {a.high + b.high, a.low + b.low}; }

constexpr Key number_key(std::uint64_t n) { return pair_key({n, n}, {1, 2}); }

/// Byte by byte, and the length.
constexpr Key text_key(std::string_view text) {
  Key k = number_key(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    k = pair_key(k, {byte, byte});
  }
  return k;
}

}  // namespace covary::internal
