// The space of the neighbor search: coordinates in which near points have a large covariance.
#pragma once
#include "covary/algebra/pivoted_columns.h"
#include "covary/inference/vecchia_blocks.h"
#include "covary/kernels/kernel_gram.h"

namespace covary::internal {

/// L^-1 k(S, x) of rows S that explain most of the others' variance, in units of the prior's deviation: a distance
/// that the kernel makes.
template <class X>
struct PivotSpace {
  Points<X> pivots;
  Matrix lower;      // of k(S, S)
  double scale = 1;  // 1/sd
  Vector columns;    // over rows: 1/lengthscale, or 1/spread, of columns that join; may be empty
};

/// Lower triangle of k, whose diagonal is raised by rounding.
Matrix pivot_triangle(Matrix k);
Matrix pivot_solve(const Matrix& lower, const Matrix& b);

/// 1/lengthscale of each column, by the parameters that name one; 1/spread for the others.
Vector column_scales(const std::vector<Parameter>& parameters, const Rows& x);

template <class X>
class NeighborSpace {
 public:
  NeighborSpace() = default;
  NeighborSpace(const Kernel<X>& kernel, Batch<X> x, int threads);

  /// ... x n: a point is a column.
  Matrix at(const Kernel<X>& kernel, Batch<X> x) const;
  /// Whether near points are then compared by the kernel.
  bool by_kernel() const { return !fused; }
  /// True if neighbors found at the kernel of `now` would differ: a scale has changed by more than a factor of
  /// two beside the others, those of inputs that hardly count aside.
  bool moved(const Kernel<X>& now, Index columns) const;

  std::shared_ptr<const FusedKernel> fused;

 private:
  Vector scales_, spread_;  // of the coordinates of a fused kernel, or theta
  PivotSpace<X> pivots_;
};

/// How far apart the logarithms of two sets of scales are, up to a common factor.
double scale_change(const Vector& a, const Vector& b, const Vector& spread);

template <class X>
std::shared_ptr<const FusedKernel> fused_of(const Kernel<X>& kernel, Index columns) {
  if constexpr (std::same_as<X, Row>) return fused_or_none(kernel, columns);
  return nullptr;
}

template <class X>
NeighborSpace<X>::NeighborSpace(const Kernel<X>& kernel, Batch<X> x, int threads)
    : fused(fused_of<X>(kernel, dimensions(x))) {
  if constexpr (std::same_as<X, Row>)
    if (fused) {
      scales_ = fused_search_scales(*fused);
      const Matrix z = fused_coordinates(*fused, x);
      spread_ = z.rowwise().maxCoeff() - z.rowwise().minCoeff();
      return;
    }
  constexpr Index looked_at = 1000, most = 16;
  scales_ = kernel.theta();
  const Index n = count(x);
  const Points<X> some = pick(x, n > looked_at ? Random(1).subset(n, looked_at) : all_indices(n));
  const Batch<X> at(some);
  const Covariances k = covariances<X>(kernel, at);
  const PivotedColumns chosen = pivoted_columns({k.size, k.diagonal, k.block}, most, 1e-6, threads);
  pivots_.pivots = pick(at, chosen.rows);
  const Batch<X> s(pivots_.pivots);
  pivots_.lower = pivot_triangle(kernel.cross(s, s));
  const double variance = kernel.diag(at).mean();
  pivots_.scale = variance > 0 ? 1 / std::sqrt(variance) : 1;
  if constexpr (std::same_as<X, Row>)  // points that coincide for the pivots are separated by the columns
    if (chosen.remaining.mean() > 0.05 * variance) pivots_.columns = column_scales(kernel.parameters(), x);
}

template <class X>
Matrix NeighborSpace<X>::at(const Kernel<X>& kernel, Batch<X> x) const {
  if constexpr (std::same_as<X, Row>)
    if (fused) return scales_.asDiagonal() * fused_coordinates(*fused, x);
  constexpr Index run = 2048;
  Matrix out(pivots_.lower.rows() + pivots_.columns.size(), count(x));
  for (Index i = 0; i < count(x); i += run) {
    const Range r{i, std::min(run, count(x) - i)};
    out.block(0, i, pivots_.lower.rows(), r.count) =
        pivots_.scale * pivot_solve(pivots_.lower, kernel.cross(Batch<X>(pivots_.pivots), slice(x, r)));
  }
  if constexpr (std::same_as<X, Row>)
    if (pivots_.columns.size())
      out.bottomRows(pivots_.columns.size()) = pivots_.columns.asDiagonal() * x.transpose();
  return out;
}

template <class X>
bool NeighborSpace<X>::moved(const Kernel<X>& now, Index columns) const {
  constexpr double factor = 0.7;  // log 2, nearly
  const std::shared_ptr<const FusedKernel> other = fused_of<X>(now, columns);
  if (!other) return (now.theta() - scales_).cwiseAbs().maxCoeff() > factor;
  return scale_change(fused_search_scales(*other), scales_, spread_) > factor;
}

}  // namespace covary::internal
