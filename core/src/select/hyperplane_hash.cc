#include "covary/select/hyperplane_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <queue>

#include "covary/base/checks.h"
#include "covary/base/error.h"
#include "covary/base/parallel.h"
#include "covary/base/random.h"

namespace covary {
using namespace internal;
namespace {

constexpr Index most_bits = 24, in_a_bucket = 64, products_in_a_bit = 4;

Index usual_bits(Index m) {
  return std::clamp<Index>(Index(std::floor(std::log2(std::max(1.0, double(m) / double(in_a_bucket))))), 1,
                           most_bits);
}

/// Codes of 0, ..., b - 1 flipped bits in the order of the sum of their costs (all >= 0): fn(mask) until it says false.
void by_cost(const Vector& cost, const std::function<bool(size_t mask)>& fn) {
  std::vector<Index> order = all_indices(cost.size());
  std::sort(order.begin(), order.end(), [&](Index i, Index j) { return cost[i] < cost[j]; });
  struct Set {
    double cost;
    size_t mask;  // in the sorted order
    Index last;   // the largest bit in it
    bool operator<(const Set& other) const { return cost > other.cost; }
  };
  const auto real = [&](size_t mask) {
    size_t out = 0;
    for (size_t k = 0; k < order.size(); ++k)
      if (mask >> k & 1U) out |= size_t{1} << order[k];
    return out;
  };
  if (!fn(0) || order.empty()) return;
  std::priority_queue<Set> next;
  next.push({cost[order[0]], 1, 0});
  while (!next.empty()) {
    const Set s = next.top();
    next.pop();
    if (!fn(real(s.mask))) return;
    if (s.last + 1 == cost.size()) continue;
    const double more = cost[order[static_cast<size_t>(s.last + 1)]];
    const size_t bit = size_t{1} << (s.last + 1);
    next.push({s.cost + more, s.mask | bit, s.last + 1});
    next.push({s.cost + more - cost[order[static_cast<size_t>(s.last)]], (s.mask | bit) & ~(bit >> 1U),
               s.last + 1});
  }
}

}  // namespace

HyperplaneHash::HyperplaneHash(Rows x, const HashOptions& o)
    : bits_(o.bits > 0 ? o.bits : usual_bits(x.rows())),
      look_(o.look > 0 ? o.look : std::max<Index>(1000, x.rows() / 40)) {
  if (o.bits < 0 || o.bits > most_bits)
    throw Error(Problem::usage, fmt::format("hash: expected 1 to {} bits, found {}", most_bits, o.bits));
  internal::check_finite(x, "hash");
  Random rng(o.seed);
  for (Index b = 0; b < bits_; ++b) {
    left_.push_back(rng.normal(x.cols(), products_in_a_bit));
    right_.push_back(rng.normal(x.cols(), products_in_a_bit));
  }
  const Index m = x.rows();
  std::vector<size_t> code(static_cast<size_t>(m), 0);
  for_runs(m, threads_or_all(o.threads), [&](Range r) {
    const auto part = x.middleRows(r.first, r.count);
    for (Index b = 0; b < bits_; ++b) {
      const auto at = static_cast<size_t>(b);
      const Vector f = (part * left_[at]).cwiseProduct(part * right_[at]).rowwise().sum();
      for (Index i = 0; i < r.count; ++i)
        if (f[i] > 0) code[static_cast<size_t>(r.first + i)] |= size_t{1} << at;
    }
  });
  first_.assign((size_t{1} << static_cast<size_t>(bits_)) + 1, 0);
  for (const size_t c : code) ++first_[c + 1];
  for (size_t c = 1; c < first_.size(); ++c) first_[c] += first_[c - 1];
  order_.resize(static_cast<size_t>(m));
  std::vector<Index> next(first_.begin(), first_.end() - 1);
  for (Index i = 0; i < m; ++i) order_[static_cast<size_t>(next[code[static_cast<size_t>(i)]]++)] = i;
  points_.resize(x.cols(), m);
  for_runs(m, threads_or_all(o.threads), [&](Range r) {
    for (Index k = 0; k < r.count; ++k)
      points_.col(r.first + k) = x.row(order_[static_cast<size_t>(r.first + k)]).transpose().cast<float>();
  });
}

HyperplaneHash::Found HyperplaneHash::nearest(const Vector& w, const std::function<bool(Index)>& open) const {
  if (w.size() != points_.rows())
    throw Error(Problem::usage,
                fmt::format("hash: expected a normal of {} numbers, found {}", points_.rows(), w.size()));
  Vector cost(bits_);
  size_t code = 0;
  for (Index b = 0; b < bits_; ++b) {
    const auto at = static_cast<size_t>(b);
    const double f = (left_[at].transpose() * w).dot(right_[at].transpose() * w);
    cost[b] = std::abs(f);
    if (f < 0) code |= size_t{1} << at;  // sgn(-w'U w)
  }
  const Eigen::VectorXf single = w.cast<float>();
  Found out;
  std::vector<double> products;
  float least = std::numeric_limits<float>::infinity();
  by_cost(cost, [&](size_t mask) {
    const Index from = first_[code ^ mask], to = first_[(code ^ mask) + 1];
    const Eigen::VectorXf f = points_.middleCols(from, to - from).transpose() * single;
    for (Index k = from; k < to; ++k) {
      const Index i = order_[static_cast<size_t>(k)];
      if (open && !open(i)) continue;
      out.points.push_back(i), products.push_back(double(f[k - from]));
      if (std::abs(f[k - from]) < least) least = std::abs(f[k - from]), out.best = i;
    }
    return std::ssize(out.points) < look_;
  });
  out.products = Eigen::Map<const Vector>(products.data(), std::ssize(products));
  return out;
}

}  // namespace covary
