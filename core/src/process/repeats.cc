#include "covary/process/repeats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

namespace covary {
using namespace internal;

namespace {

/// Of the bits of each row, column by column; -0 counts as 0.
std::vector<std::uint64_t> row_hashes(const Rows& x) {
  std::vector<std::uint64_t> out(static_cast<size_t>(x.rows()), 0x9e3779b97f4a7c15u);
  for (Index k = 0; k < x.cols(); ++k)
    for (Index i = 0; i < x.rows(); ++i) {
      std::uint64_t& h = out[static_cast<size_t>(i)];
      h = (h ^ std::bit_cast<std::uint64_t>(x(i, k) + 0.0)) * 0xff51afd7ed558ccdu;
      h ^= h >> 32;
    }
  return out;
}

bool same_bits(const Rows& x, Index a, Index b) {
  for (Index k = 0; k < x.cols(); ++k)
    if (std::bit_cast<std::uint64_t>(x(a, k) + 0.0) != std::bit_cast<std::uint64_t>(x(b, k) + 0.0))
      return false;
  return true;
}

}  // namespace

/// Open addressing with linear probing: at most half of the slots are taken.
std::vector<Index> internal::first_equal_rows(const Rows& x) {
  const std::vector<std::uint64_t> hashes = row_hashes(x);
  std::vector<Index> first(hashes.size()), slots(std::bit_ceil(2 * hashes.size() + 1), -1);
  for (size_t i = 0; i < hashes.size(); ++i) {
    size_t slot = hashes[i] & (slots.size() - 1);
    while (slots[slot] >= 0 &&
           !(hashes[static_cast<size_t>(slots[slot])] == hashes[i] && same_bits(x, slots[slot], Index(i))))
      slot = (slot + 1) & (slots.size() - 1);
    if (slots[slot] < 0) slots[slot] = Index(i);
    first[i] = slots[slot];
  }
  return first;
}

Index internal::distinct_rows(const std::vector<Index>& alike) {
  Index distinct = 0;
  for (size_t i = 0; i < alike.size(); ++i) distinct += alike[i] == Index(i) ? 1 : 0;
  return distinct;
}

double MergedRows::constant_at(double variance) const {
  if (merged() == 0) return 0;
  return -0.5 * (double(merged()) * std::log(2 * std::numbers::pi * variance) + repeats.array().log().sum() +
                 within / variance);
}

MergedRows internal::merge(const std::vector<Index>& alike, const Vector& y, const Vector& variances) {
  MergedRows m;
  m.group.resize(alike.size());
  for (size_t i = 0; i < alike.size(); ++i) {
    const auto f = static_cast<size_t>(alike[i]);
    if (f == i) m.group[i] = std::ssize(m.rows), m.rows.push_back(Index(i));
    m.group[i] = m.group[f];
  }
  const Index distinct = std::ssize(m.rows);
  // Weights are precisions relative to the group's most precise, so that none overflows; an exact observation
  // outweighs all others.
  Vector least = Vector::Constant(distinct, std::numeric_limits<double>::infinity());
  for (size_t i = 0; i < alike.size(); ++i)
    least[m.group[i]] = std::min(least[m.group[i]], variances[Index(i)]);
  Vector weights = Vector::Zero(distinct);
  m.y = Vector::Zero(distinct);
  m.repeats = Vector::Zero(distinct);
  for (size_t i = 0; i < alike.size(); ++i) {  // about the group's first value, so that equal ones stay exact
    const Index g = m.group[i], row = Index(i);
    const double w = variances[row] == least[g] ? 1 : least[g] / variances[row];
    weights[g] += w;
    m.y[g] += w * (y[row] - y[m.rows[static_cast<size_t>(g)]]);
    m.repeats[g] += 1;
  }
  for (Index g = 0; g < distinct; ++g) m.y[g] = y[m.rows[static_cast<size_t>(g)]] + m.y[g] / weights[g];
  m.noise = least.cwiseQuotient(weights);
  for (size_t i = 0; i < alike.size(); ++i) {
    const double off = y[Index(i)] - m.y[m.group[i]], v = variances[Index(i)];
    m.within += off * off;
    if (v > 0 && m.merged()) m.constant -= 0.5 * (std::log(2 * std::numbers::pi * v) + off * off / v);
  }
  if (m.merged())
    m.constant +=
        0.5 * (m.noise.array() > 0).select((2 * std::numbers::pi * m.noise.array()).log(), 0.0).sum();
  return m;
}

}  // namespace covary
