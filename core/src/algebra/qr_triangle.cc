#include "covary/algebra/qr_triangle.h"

#include <cassert>
#include <cmath>

#include "algebra/blas.h"
#include "covary/base/parallel.h"

namespace covary {
using namespace internal;
namespace {

/// Rows of a block: few enough to stay in a cache, enough that stacking a triangle on them costs little.
Index block_rows(Index columns) { return std::max<Index>(1024, 8 * columns); }

Triangle taken_from(const Matrix& decomposed, Index columns) {
  Triangle t(columns);
  const Index filled = std::min(decomposed.rows(), columns);
  t.r.topRows(filled) = decomposed.topLeftCorner(filled, columns);
  t.r = t.r.triangularView<Eigen::Upper>().toDenseMatrix().eval();
  t.z.head(filled) = decomposed.col(columns).head(filled);
  if (decomposed.rows() > columns) t.rest = decomposed(columns, columns) * decomposed(columns, columns);
  for (Index i = 0; i < filled; ++i)
    if (t.r(i, i) < 0) t.r.row(i) *= -1, t.z[i] *= -1;
  return t;
}

/// By reflections of [R z; A b].
Triangle reflected(const Triangle& t, const Rows& a, const Eigen::Ref<const Vector>& b) {
  const Index n = t.columns(), above = t.r.isZero(0) && t.z.isZero(0) ? 0 : n;
  Matrix stacked(above + a.rows(), n + 1);
  if (above) stacked.topRows(n) << t.r, t.z;
  stacked.bottomRows(a.rows()) << a, b;
  blas::reduce(stacked, 1);
  Triangle out = taken_from(stacked, n);
  out.rest += t.rest;
  return out;
}

/// One row by plane rotations: O(N^2).
void rotate_in(Triangle& t, Eigen::RowVectorXd a, double b) {
  for (Index i = 0; i < t.columns(); ++i) {
    if (a[i] == 0) continue;
    const double length = std::hypot(t.r(i, i), a[i]), c = t.r(i, i) / length, s = a[i] / length;
    const Index right = t.columns() - i;
    const Eigen::RowVectorXd above = t.r.row(i).tail(right);
    t.r.row(i).tail(right) = c * above + s * a.tail(right);
    a.tail(right) = c * a.tail(right) - s * above;
    const double z = t.z[i];
    t.z[i] = c * z + s * b;
    b = c * b - s * z;
  }
  t.rest += b * b;
}

Triangle joined(const Triangle& a, const Triangle& b) {
  Triangle t = reflected(a, b.r, b.z);
  t.rest += b.rest;
  return t;
}

}  // namespace

RowBlocks internal::row_blocks(const Rows& a) {
  const double* data = a.data();
  const Index rows = a.rows(), stride = a.outerStride(), columns = a.cols();
  return {rows, columns, [=](Range r) -> Matrix {
            return Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>(data + r.first, r.count, columns,
                                                                     Eigen::OuterStride<>(stride));
          }};
}

void internal::for_row_blocks(const RowBlocks& a, int threads,
                              const std::function<void(Range, const Matrix&)>& fn) {
  const Index size = block_rows(a.columns), blocks = (a.rows + size - 1) / size;
  parallel_for(blocks, threads_or_all(threads), [&](Index i) {
    const Range r{i * size, std::min(size, a.rows - i * size)};
    fn(r, a.at(r));
  });
}

Triangle Triangle::with(const Rows& a, const Vector& b) const {
  assert(a.cols() == columns() && a.rows() == b.size());
  if (4 * a.rows() > columns()) return reflected(*this, a, b);
  Triangle t = *this;
  for (Index i = 0; i < a.rows(); ++i) rotate_in(t, a.row(i), b[i]);
  return t;
}

Triangle Triangle::scaled(double factor) const {
  Triangle t = *this;
  t.r *= factor, t.z *= factor, t.rest *= factor * factor;
  return t;
}

Triangle internal::triangle(const RowBlocks& a, const Vector& b, const Triangle& start, int threads) {
  assert(a.columns == start.columns() && a.rows == b.size());
  const Index size = block_rows(a.columns);
  // Runs of blocks go side by side, each as long as the others; how many does not depend on the threads, and
  // joining them costs little.
  const Index runs = std::clamp<Index>(a.rows / (2 * size), 1, 16);
  const Index each = (a.rows + runs * size - 1) / (runs * size), blocks = runs * each;
  const auto first = [&](Index block) { return block * a.rows / blocks; };
  std::vector<Triangle> parts(static_cast<size_t>(runs), Triangle(a.columns));
  parallel_for(runs, threads_or_all(threads), [&](Index k) {
    Triangle& part = parts[static_cast<size_t>(k)];
    for (Index i = k * each; i < (k + 1) * each; ++i) {
      const Range r{first(i), first(i + 1) - first(i)};
      part = reflected(part, a.at(r), b.segment(r.first, r.count));
    }
  });
  Triangle all = start;
  for (const Triangle& part : parts) all = joined(all, part);
  return all;
}

}  // namespace covary
