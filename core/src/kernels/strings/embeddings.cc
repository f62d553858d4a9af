#include "kernels/strings/embeddings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "covary/base/error.h"

namespace covary::internal {
namespace {

constexpr double most_embedding_steps = 1e11;
constexpr size_t pair_lanes = 8, halves = 4;

using Two __attribute__((vector_size(16))) = double;
using TwoMasks __attribute__((vector_size(16))) = std::int64_t;

/// A number for each pair of a group.
struct Lanes {
  Two of[halves] = {};
  double get(size_t l) const { return of[l / 2][l % 2]; }
  void set(size_t l, double v) { of[l / 2][l % 2] = v; }
};

/// v where a = b, 0 elsewhere.
Two where_equal(Two a, Two b, Two v) { return Two(TwoMasks(a == b) & TwoMasks(v)); }

/// The shorter text first, the lesser of two as long.
TextPair shorter_first(TextPair p) {
  const bool swap = p.x->size() != p.z->size() ? p.x->size() > p.z->size() : *p.x > *p.z;
  return swap ? TextPair{p.z, p.x} : p;
}

/// Bytes of up to eight texts, a row for each position; `fill` where a text has ended or there is none.
std::vector<Lanes> in_lanes(std::span<const std::string* const> texts, double fill) {
  size_t longest = 0;
  for (const std::string* t : texts) longest = std::max(longest, t->size());
  std::vector<Lanes> rows(longest);
  for (Lanes& r : rows)
    for (size_t l = 0; l < pair_lanes; ++l) r.set(l, fill);
  for (size_t l = 0; l < texts.size(); ++l)
    for (size_t i = 0; i < texts[l]->size(); ++i) rows[i].set(l, static_cast<unsigned char>((*texts[l])[i]));
  return rows;
}

/// With M_i(p, q) the sum for subsequences of i bytes that end at x_p and z_q, and
///   R_i(p, q) = sum_{q'<=q} decay^(q-q') M_i(p, q')  = M_i(p, q) + decay R_i(p, q-1)
///   D_i(p, q) = sum_{p'<=p} decay^(p-p') R_i(p', q)  = R_i(p, q) + decay D_i(p-1, q),   D_0 = 1:
///   M_i(p, q) = [x_p = z_q] D_{i-1}(p-1, q-1),          S = sum_pq M_n(p, q)
/// Row by row, i from n down, so that one row of each D_i is kept. Nothing is subtracted. The slopes are the
/// same recursions differentiated in decay (dual numbers).
template <bool slopes>
class EmbeddingRows {
 public:
  EmbeddingRows(std::vector<Lanes> z, int n, double decay)
      : z_(std::move(z)),
        n_(static_cast<size_t>(n)),
        decay_(decay),
        rows_(n_ * width()),
        slopes_(rows_.size()) {
    for (size_t q = 0; q < width(); ++q)
      for (Two& t : rows_[q].of) t = Two{1, 1};
  }
  void add_row(const Lanes& x) {
    last(x);
    for (size_t i = n_ - 1; i >= 1; --i) advance(x, i);
  }
  Lanes value, slope;

 private:
  size_t width() const { return z_.size() + 1; }  // an entry for each q, after one for q = 0
  void last(const Lanes& x) {
    const Lanes* before = rows_.data() + (n_ - 1) * width();
    const Lanes* slope_before = slopes_.data() + (n_ - 1) * width();
    for (size_t q = 0; q < z_.size(); ++q)
      for (size_t h = 0; h < halves; ++h) {
        value.of[h] += where_equal(x.of[h], z_[q].of[h], before[q].of[h]);
        if (slopes) slope.of[h] += where_equal(x.of[h], z_[q].of[h], slope_before[q].of[h]);
      }
  }
  void advance(const Lanes& x, size_t i) {
    const Lanes* before = rows_.data() + (i - 1) * width();
    const Lanes* slope_before = slopes_.data() + (i - 1) * width();
    Lanes* d = rows_.data() + i * width() + 1;
    Lanes* slope_d = slopes_.data() + i * width() + 1;
    Lanes r, slope_r;
    const Two decay{decay_, decay_};
    for (size_t q = 0; q < z_.size(); ++q)
      for (size_t h = 0; h < halves; ++h) {
        const Two xh = x.of[h], zh = z_[q].of[h];
        if (slopes) {
          slope_r.of[h] = where_equal(xh, zh, slope_before[q].of[h]) + (r.of[h] + decay * slope_r.of[h]);
          slope_d[q].of[h] = slope_r.of[h] + (d[q].of[h] + decay * slope_d[q].of[h]);
        }
        r.of[h] = where_equal(xh, zh, before[q].of[h]) + decay * r.of[h];
        d[q].of[h] = r.of[h] + decay * d[q].of[h];
      }
  }
  std::vector<Lanes> z_;
  size_t n_;
  double decay_;
  std::vector<Lanes> rows_, slopes_;  // n x width: D_0, ..., D_(n-1)
};

template <bool slopes>
void embed_group(std::span<const TextPair> pairs, std::span<const Index> which, int n, double decay,
                 Embeddings& out) {
  std::vector<const std::string*> x, z;
  for (const Index i : which) {
    const TextPair p = shorter_first(pairs[static_cast<size_t>(i)]);
    x.push_back(p.x), z.push_back(p.z);
  }
  EmbeddingRows<slopes> rows(in_lanes(z, -1), n, decay);
  for (const Lanes& row : in_lanes(x, -2)) rows.add_row(row);
  for (size_t l = 0; l < which.size(); ++l) {
    out.value[which[l]] = rows.value.get(l);
    if (slopes) out.slope[which[l]] = rows.slope.get(l);
  }
}

void check_steps(const TextPair& p, int n) {
  const double steps = double(p.x->size()) * double(p.z->size()) * n;
  if (steps <= most_embedding_steps) return;
  throw Error(
      Problem::limit,
      fmt::format("subsequence: one covariance of texts of {} and {} bytes takes {} x {} x {} = {:.2g} "
                  "steps, at most {:.0e}: use spectrum(), or shorter texts",
                  p.x->size(), p.z->size(), p.x->size(), p.z->size(), n, steps, most_embedding_steps));
}

}  // namespace

Embeddings embeddings(std::span<const TextPair> pairs, int n, double decay, bool slopes) {
  for (const TextPair& p : pairs) check_steps(p, n);
  std::vector<Index> order;  // of pairs with a subsequence in reach; of similar sizes side by side
  for (size_t i = 0; i < pairs.size(); ++i)
    if (std::min(pairs[i].x->size(), pairs[i].z->size()) >= static_cast<size_t>(n)) order.push_back(Index(i));
  const auto sizes = [&](Index i) {
    const TextPair p = shorter_first(pairs[static_cast<size_t>(i)]);
    return std::pair{p.z->size(), p.x->size()};
  };
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return sizes(i) < sizes(j); });
  Embeddings out{Vector::Zero(std::ssize(pairs)), Vector::Zero(slopes ? std::ssize(pairs) : 0)};
  for (size_t first = 0; first < order.size(); first += pair_lanes) {
    const std::span<const Index> group(order.data() + first, std::min(pair_lanes, order.size() - first));
    slopes ? embed_group<true>(pairs, group, n, decay, out) : embed_group<false>(pairs, group, n, decay, out);
  }
  return out;
}

}  // namespace covary::internal
