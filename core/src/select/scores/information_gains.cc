#include "select/scores/information_gains.h"

#include <cmath>

#include "algebra/blas.h"

namespace covary::select {
using namespace internal;

void InformationGains::begin(const PoolPosterior& belief) {
  const Pool& pool = belief.pool();
  some_ = select::unlabelled(belief, most_);
  left_ = std::ssize(some_);
  place_.assign(static_cast<size_t>(pool.size), -1);
  for (size_t i = 0; i < some_.size(); ++i) place_[static_cast<size_t>(some_[i])] = Index(i);
  Matrix precision = pool.among(some_, some_);
  precision.diagonal() *= 1 + 1e-6;  // exact repeats would have no precision
  if (blas::cholesky(precision, belief.threads()) != 0)
    throw Error(Problem::numerical, "information: the covariance of the pool is not positive definite");
  blas::inverse_from_cholesky(precision, belief.threads());
  precision.triangularView<Eigen::StrictlyUpper>() = precision.transpose();
  rest_ = ConditionalCovariance(covariances_of(std::move(precision)));
  generation_ = belief.generation(), seen_ = std::ssize(belief.order());
}

Vector InformationGains::of(const PoolPosterior& belief) {
  if (generation_ != belief.generation() || std::ssize(place_) != belief.pool().size) begin(belief);
  for (; seen_ < std::ssize(belief.order()); ++seen_) {
    Index& i = place_[static_cast<size_t>(belief.order()[static_cast<size_t>(seen_)])];
    if (i < 0) continue;
    rest_.condition_on(i, 0);
    --left_, i = -1;
  }
  if (left_ == 0) begin(belief);
  const Vector variance = belief.variance();
  Vector out = Vector::Zero(variance.size());
  for (size_t i = 0; i < some_.size(); ++i) {
    const Index x = some_[i];
    const double p = place_[static_cast<size_t>(x)] < 0 ? 0 : rest_.remaining()[Index(i)];
    const double noise = belief.pool().noise[x];
    const double gain = p > 0 ? 0.5 * std::log((variance[x] + noise) / (1 / p + noise)) : 0;
    if (gain > 0) out[x] = gain;
  }
  return out;
}

}  // namespace covary::select
