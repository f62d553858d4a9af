#include "algebra/solve_columns.h"

#include <algorithm>
#include <cassert>

#include "base/simd/simd.h"
#include "covary/base/parallel.h"

namespace covary {
using namespace internal;

Matrix solve_columns(const Eigen::Ref<const Matrix>& l, const Matrix& b, int threads) {
  const Index n = b.rows(), m = b.cols(), rows = padded(n);
  assert(l.rows() == rows && l.cols() == rows);
  Matrix x(rows, m);
  x.topRows(n) = b;
  x.bottomRows(rows - n).setZero();
  constexpr Index most = 258;  // columns that stay near while L passes by; whole tiles of six
  const Index share = padded((m + threads - 1) / std::max(1, threads), 6),
              each = std::clamp<Index>(share, 1, most);
  parallel_for((m + each - 1) / each, threads, [&](Index i) {
    const Index first = i * each, count = std::min(each, m - first);
    Vector space(count > 4 ? simd::solve_space(count) : 0);
    simd::loops().solve_lower(l.data(), l.outerStride(), rows, x.col(first).data(), rows, count,
                              space.data());
  });
  if (rows > n) x.conservativeResize(n, Eigen::NoChange);
  return x;
}

}  // namespace covary
