// Common parts of posteriors, however they were solved: predictions block by block, leave-one-out about the known
// part of the mean, the trend in the user's units.
#pragma once
#include <atomic>

#include "covary/base/parallel.h"
#include "covary/process/posterior.h"

namespace covary::internal {

/// The known part of the mean plus fn(block) for blocks of points.
template <class X, class Fn>
Vector mean_by_blocks(const Mean<X>& mean, Batch<X> points, int threads, const Fn& fn) {
  Vector out(count(points));
  internal::for_blocks(count(points), threads, [&](Range r) {
    const Batch<X> p = slice(points, r);
    out.segment(r.first, r.count) = mean.known_at(p) + fn(p);
  });
  return out;
}

/// The same of means and variances. `side`: of blocks one after the other, where fn works elsewhere; 0: across
/// threads.
template <class X, class Fn>
Marginals marginals_by_blocks(const Mean<X>& mean, Batch<X> points, int threads, Index side, const Fn& fn) {
  Marginals out{Vector(count(points)), Vector(count(points)), 0};
  std::atomic<Index> clamped{0};
  const auto block = [&](Range r) {
    const Batch<X> p = slice(points, r);
    const Marginals m = fn(p);
    out.mean.segment(r.first, r.count) = m.mean + mean.known_at(p);
    out.variance.segment(r.first, r.count) = m.variance;
    clamped += m.clamped;
  };
  if (side == 0) internal::for_blocks(count(points), threads, block);
  for (Index i = 0; side > 0 && i < count(points); i += side) block({i, std::min(side, count(points) - i)});
  out.clamped = clamped;
  return out;
}

/// fn(observations at distinct inputs, observations), both less the known part of the mean, which is added again.
template <class X, class Fn>
LeaveOneOut leave_one_out_about(const Mean<X>& mean, Batch<X> x, internal::MergedRows merged, const Vector& y,
                                const Fn& fn) {
  const Vector known = mean.known_at(x);
  for (size_t g = 0; g < merged.rows.size(); ++g) merged.y[Index(g)] -= known[merged.rows[g]];
  LeaveOneOut out = fn(merged, Vector(y - known));
  out.mean += known;
  return out;
}

/// The coefficients beta (p) of the trend and a root of their covariance (p x ...), in the user's units.
template <class X>
TrendEstimate in_user_units(const Mean<X>& mean, Vector beta, Matrix half) {
  if (mean.to_user.size()) beta = (mean.to_user * beta).eval(), half = (mean.to_user * half).eval();
  return {beta, half * half.transpose()};
}

/// R^-1: (F'K^-1F)^-1 = R^-1 R^-T. p x p
inline Matrix inverse_of_upper(const Matrix& r) {
  return r.triangularView<Eigen::Upper>().solve(Matrix::Identity(r.rows(), r.rows()));
}

/// The same from the coefficients of the columns that were kept, of `all`, and R.
template <class X>
TrendEstimate trend_of_kept(const Mean<X>& mean, Index all, const std::vector<Index>& kept,
                            const Vector& beta, const Matrix& r) {
  Vector whole = Vector::Zero(all);
  Matrix half = Matrix::Zero(all, beta.size());
  const Matrix inverse = inverse_of_upper(r);
  for (size_t i = 0; i < kept.size(); ++i)
    whole[kept[i]] = beta[Index(i)], half.row(kept[i]) = inverse.row(Index(i));
  return in_user_units(mean, std::move(whole), std::move(half));
}

}  // namespace covary::internal
