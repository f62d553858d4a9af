// A kernel without hyper-parameters over points that are prepared as sparse vectors.
#pragma once
#include "covary/kernels/registry.h"
#include "kernels/sets/sparse_rows.h"

namespace covary::internal {

/// s_ij divided by sqrt(own_i own_j); two points that both have nothing count as equal: 1.
inline Matrix normalized_sums(Matrix s, const Vector& own_a, const Vector& own_b) {
  for (Index j = 0; j < s.cols(); ++j)
    for (Index i = 0; i < s.rows(); ++i) {
      const double size = std::sqrt(own_a[i] * own_b[j]);
      s(i, j) = size > 0 ? s(i, j) / size : own_a[i] == own_b[j] ? 1 : 0;
    }
  return s;
}

/// sum min/sum max = s/(t_a + t_b - s), s the sums of minima and t those of all weights; 1 for two points that both
/// have nothing.
inline Matrix shares(Matrix s, const Vector& ta, const Vector& tb) {
  for (Index j = 0; j < s.cols(); ++j)
    for (Index i = 0; i < s.rows(); ++i) {
      const double most = ta[i] + tb[j] - s(i, j);
      s(i, j) = most > 0 ? s(i, j) / most : 1;
    }
  return s;
}

/// The argument `measure`: product, unless it is minmax.
inline bool minmax_in(const Arguments& a) { return a.word("measure", {"product", "minmax"}) == "minmax"; }

/// The argument `normalized`, yes unless it is given, and back.
inline bool normalized_in(const Arguments& a) { return a.word("normalized", {"yes", "no"}) == "yes"; }
inline Argument normalized_argument(bool normalized) {
  return {"normalized", {}, false, {}, normalized ? "yes" : "no"};
}

/// Measure has rows(x), the sparse vectors of points, cross(a, b) and diag(a) of those, and node().
template <class X, class Measure>
struct SparseKernel {
  Measure measure;

  SparseRows prepare(Batch<X> x) const { return measure.rows(x); }
  Matrix cross(const SparseRows& a, const SparseRows& b) const { return measure.cross(a, b); }
  Vector diag(const SparseRows& a) const { return measure.diag(a); }
  Vector pullback(const SparseRows&, const SparseRows&, const Matrix&) const { return Vector(0); }
  Matrix cross(Batch<X> a, Batch<X> b) const { return cross(prepare(a), prepare(b)); }
  Vector diag(Batch<X> a) const { return diag(prepare(a)); }
  Vector pullback(Batch<X>, Batch<X>, const Matrix&) const { return Vector(0); }
  Matrix pullback_inputs(Batch<X> a, Batch<X> b, const Matrix& w) const requires std::same_as<X, Row> {
    return measure.pullback_inputs(a, b, w);
  }
  Vector theta() const { return Vector(0); }
  SparseKernel with(const Vector&) const { return *this; }
  std::vector<Parameter> parameters() const { return {}; }
  Expression node() const { return measure.node(); }
};

}  // namespace covary::internal
