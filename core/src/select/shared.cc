#include "select/shared.h"

#include <algorithm>
#include <cmath>

namespace covary::select {
using namespace internal;

std::vector<Index> unlabelled(const PoolPosterior& belief, Index most) {
  std::vector<char> taken(static_cast<size_t>(belief.pool().size), 0);
  for (const Index i : belief.order()) taken[static_cast<size_t>(i)] = 1;
  std::vector<Index> free;
  for (Index i = 0; i < belief.pool().size; ++i)
    if (!taken[static_cast<size_t>(i)]) free.push_back(i);
  if (free.empty()) return representatives(belief.pool().size, most);
  std::vector<Index> out = representatives(std::ssize(free), most);
  for (Index& i : out) i = free[static_cast<size_t>(i)];
  return out;
}

namespace {

/// 1/sd of each candidate.
Vector inverse_sds(const Pool& pool) { return pool.diagonal.cwiseMax(1e-300).cwiseSqrt().cwiseInverse(); }

}  // namespace

void Representativeness::begin(const PoolPosterior& belief) {
  some_ = unlabelled(belief, most_);
  generation_ = belief.generation(), seen_ = std::ssize(belief.order()), left_ = std::ssize(some_);
  const Vector scale = inverse_sds(belief.pool());
  const Vector weights = scale(some_);
  sum_.resize(belief.pool().size);
  belief.runs("scores", [&](Range r) {
    sum_.segment(r.first, r.count) =
        (belief.pool().block(r, some_) * weights).cwiseProduct(scale.segment(r.first, r.count));
  });
}

/// What has a label now is taken out of the sum: m kernel values each.
Vector Representativeness::of(const PoolPosterior& belief) {
  if (generation_ != belief.generation() || sum_.size() != belief.pool().size) begin(belief);
  const Vector scale = seen_ < std::ssize(belief.order()) ? inverse_sds(belief.pool()) : Vector();
  for (; seen_ < std::ssize(belief.order()); ++seen_) {
    const Index z = belief.order()[static_cast<size_t>(seen_)];
    const auto at = std::lower_bound(some_.begin(), some_.end(), z);
    if (at == some_.end() || *at != z) continue;
    if (left_ == 1) {
      begin(belief);
      break;
    }
    some_.erase(at), --left_;
    for_runs(sum_.size(), belief.threads(), [&](Range r) {
      sum_.segment(r.first, r.count) -=
          scale[z] * belief.pool().block(r, {z}).col(0).cwiseProduct(scale.segment(r.first, r.count));
    });
  }
  return (sum_ / double(left_)).cwiseMax(0);
}

const Vector& Distances::to_nearest(const PoolPosterior& belief) {
  const Pool& pool = belief.pool();
  if (generation_ != belief.generation() || nearest_.size() != pool.size) {
    generation_ = belief.generation(), seen_ = 0;
    nearest_ = Vector::Constant(pool.size, 2 * pool.diagonal.maxCoeff());
  }
  constexpr Index wide = 256;  // labels at a time
  const std::vector<Index> fresh(belief.order().begin() + seen_, belief.order().end());
  seen_ = std::ssize(belief.order());
  if (fresh.empty()) return nearest_;
  belief.runs("scores", [&](Range r) {
    const auto own = pool.diagonal.segment(r.first, r.count);
    auto nearest = nearest_.segment(r.first, r.count);
    for (Index from = 0; from < std::ssize(fresh); from += wide) {
      const std::vector<Index> some(fresh.begin() + from,
                                    fresh.begin() + std::min(from + wide, std::ssize(fresh)));
      const Matrix k = pool.block(r, some);
      for (Index j = 0; j < k.cols(); ++j) {
        const double of = pool.diagonal[some[static_cast<size_t>(j)]];
        nearest = nearest.cwiseMin(((own.array() + of - 2 * k.col(j).array()).max(0)).matrix());
      }
    }
  });
  for (const Index z : fresh) nearest_[z] = 0;
  return nearest_;
}

namespace {

double nth(std::vector<double> values, Index n) {
  std::nth_element(values.begin(), values.begin() + n, values.end());
  return values[static_cast<size_t>(n)];
}

/// The value that floor(m/2) others are not above. A tenth of them stand between two quantiles of a sample with the
/// median between, so that two passes without branches do what sorting all would.
double median(const Vector& values) {
  const Index m = values.size(), half = m / 2, step = 16;
  if (m < 64 * step) return nth({values.begin(), values.end()}, half);
  std::vector<double> sample, near;
  for (Index i = 0; i < m; i += step) sample.push_back(values[i]);
  const Index middle = std::ssize(sample) / 2, off = Index(2 * std::sqrt(double(sample.size())));
  const double low = nth(sample, std::max<Index>(0, middle - off)),
               high = nth(sample, std::min(std::ssize(sample) - 1, middle + off));
  const Index below = (values.array() < low).count(), up_to = (values.array() <= high).count();
  if (half < below || half >= up_to) return nth({values.begin(), values.end()}, half);
  near.resize(static_cast<size_t>(up_to - below) + 1);
  Index kept = 0;
  for (const double v : values) {
    near[static_cast<size_t>(kept)] = v;
    kept += v >= low && v <= high;
  }
  near.pop_back();
  return nth(std::move(near), half - below);
}

}  // namespace

double times_median(const Vector& values, Index candidate) {
  const double middle = median(values);
  return middle > 0 ? values[candidate] / middle : std::numeric_limits<double>::infinity();
}

}  // namespace covary::select
