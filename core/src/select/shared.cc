#include "select/shared.h"

#include <algorithm>
#include <cmath>

namespace covary::select {

Vector representativeness(const Pool& pool, Index most, int threads) {
  const std::vector<Index> some = representatives(pool.size, most);
  const Vector scale = pool.diagonal.cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Vector weights = scale(some) / double(some.size());
  Vector out(pool.size);
  for_runs(pool.size, threads, [&](Range r) {
    out.segment(r.first, r.count) =
        (pool.block(r, some) * weights).cwiseProduct(scale.segment(r.first, r.count)).cwiseMax(0);
  });
  return out;
}

const Vector& Distances::to_nearest(const Belief& belief) {
  const Pool& pool = belief.pool();
  if (generation_ != belief.generation() || nearest_.size() != pool.size) {
    generation_ = belief.generation(), seen_ = 0;
    nearest_ = Vector::Constant(pool.size, 2 * pool.diagonal.maxCoeff());
  }
  for (; seen_ < std::ssize(belief.order()); ++seen_) {
    const Index z = belief.order()[static_cast<size_t>(seen_)];
    for_runs(pool.size, belief.threads(), [&](Range r) {
      const auto own = pool.diagonal.segment(r.first, r.count);
      const Vector d = (own.array() + pool.diagonal[z] - 2 * pool.block(r, {z}).col(0).array()).max(0);
      nearest_.segment(r.first, r.count) = nearest_.segment(r.first, r.count).cwiseMin(d);
    });
    nearest_[z] = 0;
  }
  return nearest_;
}

double times_median(const Vector& values, Index candidate) {
  std::vector<double> sorted(values.begin(), values.end());
  auto middle = sorted.begin() + Index(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle > 0 ? values[candidate] / *middle : std::numeric_limits<double>::infinity();
}

}  // namespace covary::select
