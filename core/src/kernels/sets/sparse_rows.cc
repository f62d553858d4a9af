#include "kernels/sets/sparse_rows.h"

#include <algorithm>
#include <bit>

namespace covary::internal {

struct SparseRows::Entries {
  std::vector<Key> keys;           // q: distinct, ascending
  std::vector<size_t> key_start;   // q + 1
  std::vector<std::uint32_t> row;  // by key, ascending
  std::vector<double> row_weight;
  std::vector<size_t> row_start;   // n + 1
  std::vector<std::uint32_t> key;  // by row, ascending
  std::vector<double> key_weight;
  Vector totals, squares;  // n
};

namespace {

struct PlacedWeight {
  Key key;
  std::uint32_t row;
  double value;
};

bool by_key(const PlacedWeight& a, const PlacedWeight& b) { return a.key < b.key; }

/// By key, then by row; weights of the same key and row are added. Keys are spread evenly, so E entries are dealt out
/// to about E/2 buckets by the first bits of their keys, and the buckets sorted: E steps.
std::vector<PlacedWeight> sorted_weights(const std::vector<std::vector<SparseRows::Weight>>& rows) {
  size_t entries = 0;
  for (const auto& row : rows) entries += row.size();
  const int shift = 64 - std::max(1, int(std::bit_width(entries / 2)));
  std::vector<size_t> end((~std::uint64_t{0} >> shift) + 2);  // of the bucket before, while they are filled
  for (const auto& row : rows)
    for (const SparseRows::Weight& w : row) ++end[(w.key.high >> shift) + 1];
  for (size_t b = 1; b < end.size(); ++b) end[b] += end[b - 1];
  std::vector<PlacedWeight> all(entries);
  for (size_t i = 0; i < rows.size(); ++i)
    for (const SparseRows::Weight& w : rows[i])
      all[end[w.key.high >> shift]++] = {w.key, static_cast<std::uint32_t>(i), w.value};
  for (size_t b = 0, from = 0; b + 1 < end.size(); from = end[b++]) {
    const auto first = all.begin() + std::ptrdiff_t(from), last = all.begin() + std::ptrdiff_t(end[b]);
    if (!std::is_sorted(first, last, by_key)) std::stable_sort(first, last, by_key);
  }
  size_t kept = 0;
  for (const PlacedWeight& w : all)
    if (kept && all[kept - 1].key == w.key && all[kept - 1].row == w.row)
      all[kept - 1].value += w.value;
    else
      all[kept++] = w;
  all.resize(kept);
  return all;
}

}  // namespace

SparseRows::SparseRows(const std::vector<std::vector<Weight>>& rows) : range_{0, std::ssize(rows)} {
  const auto e = std::make_shared<Entries>();
  const std::vector<PlacedWeight> all = sorted_weights(rows);
  e->row.resize(all.size()), e->row_weight.resize(all.size());
  e->key.resize(all.size()), e->key_weight.resize(all.size());
  e->row_start.assign(rows.size() + 1, 0);
  for (const PlacedWeight& w : all) ++e->row_start[w.row + 1];
  for (size_t i = 0; i < rows.size(); ++i) e->row_start[i + 1] += e->row_start[i];
  std::vector<size_t> next(e->row_start.begin(), e->row_start.end() - 1);
  e->totals = e->squares = Vector::Zero(std::ssize(rows));
  for (size_t p = 0; p < all.size(); ++p) {
    const PlacedWeight& w = all[p];
    if (e->keys.empty() || e->keys.back() != w.key) e->keys.push_back(w.key), e->key_start.push_back(p);
    const size_t at = next[w.row]++;
    e->key[at] = static_cast<std::uint32_t>(e->keys.size() - 1);
    e->key_weight[at] = e->row_weight[p] = w.value;
    e->row[p] = w.row;
    e->totals[w.row] += w.value, e->squares[w.row] += w.value * w.value;
  }
  e->key_start.push_back(all.size());
  all_ = e;
}

Vector SparseRows::totals() const { return all_->totals.segment(range_.first, range_.count); }
Vector SparseRows::squares() const { return all_->squares.segment(range_.first, range_.count); }

/// s_ij = sum over the keys of row i, ascending, of term(a_ik, b_jk) for each row j that has the key. Keys of another
/// batch are looked up: log q for each.
template <class Term>
Matrix SparseRows::shared_sums(const SparseRows& a, const SparseRows& b, Term term) {
  const Entries &x = *a.all_, &z = *b.all_;
  const auto first = static_cast<size_t>(a.range_.first);
  const auto low = static_cast<std::uint32_t>(b.range_.first),
             high = static_cast<std::uint32_t>(b.range_.end());
  const auto all_rows = std::ssize(z.row_start) - 1 == b.count();
  Matrix out(a.count(), b.count());
  Vector sums(b.count());
  for (size_t i = 0; i < static_cast<size_t>(a.count()); ++i) {
    sums.setZero();
    auto found = z.keys.begin();
    for (size_t p = x.row_start[first + i]; p < x.row_start[first + i + 1]; ++p) {
      size_t k = x.key[p];
      if (&x != &z) {
        found = std::lower_bound(found, z.keys.end(), x.keys[k]);
        if (found == z.keys.end()) break;
        if (*found != x.keys[k]) continue;
        k = static_cast<size_t>(found - z.keys.begin());
      }
      const std::uint32_t *from = z.row.data() + z.key_start[k], *to = z.row.data() + z.key_start[k + 1];
      if (!all_rows) from = std::lower_bound(from, to, low);
      const double* weight = z.row_weight.data() + (from - z.row.data());
      for (; from != to && *from < high; ++from, ++weight)
        sums[*from - low] += term(x.key_weight[p], *weight);
    }
    out.row(static_cast<Index>(i)) = sums;
  }
  return out;
}

Matrix products(const SparseRows& a, const SparseRows& b) {
  return SparseRows::shared_sums(a, b, [](double u, double v) { return u * v; });
}
Matrix minima(const SparseRows& a, const SparseRows& b) {
  return SparseRows::shared_sums(a, b, [](double u, double v) { return std::min(u, v); });
}

}  // namespace covary::internal
