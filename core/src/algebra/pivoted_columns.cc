#include "covary/algebra/pivoted_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "algebra/blas.h"
#include "covary/base/parallel.h"
#include "covary/base/random.h"
#include "covary/base/runtime.h"

namespace covary {
namespace {

constexpr Index most_together = 64;  // candidates between two updates of everything

/// Rows drawn with chances in proportion to what remains of their variance, in the order they were drawn;
/// the same one may come again.
std::vector<Index> drawn_rows(const Vector& remaining, Index count, Random& rng) {
  Vector sums(remaining.size());
  double sum = 0;
  for (Index i = 0; i < sums.size(); ++i) sums[i] = sum += remaining[i];
  std::vector<Index> rows;
  for (Index k = 0; k < count; ++k) {
    const double at = rng.uniform() * sum;
    rows.push_back(std::upper_bound(sums.begin(), sums.end() - 1, at) - sums.begin());
  }
  return rows;
}

/// Which of them to take, given what remains of their covariance (c x c): one after the other, each with the
/// chance that what those before it left bears to what it was drawn with [epperly2024].
std::vector<Index> accepted(Matrix c, Index most, double least, Random& rng) {
  const Vector before = c.diagonal();
  std::vector<Index> out;
  for (Index i = 0; i < c.rows() && std::ssize(out) < most; ++i) {
    const double v = c(i, i);
    if (!(v > least) || rng.uniform() * before[i] > v) continue;
    out.push_back(i);
    const Vector g = c.col(i) / std::sqrt(v);
    c -= g * g.transpose();
  }
  return out;
}

}  // namespace

PivotedColumns pivoted_columns(const Covariances& k, Index most, double tolerance, int threads) {
  const Index n = k.size;
  most = std::min(most, n);
  PivotedColumns out{{}, k.diagonal};
  const double least = tolerance * (n ? k.diagonal.maxCoeff() : 0);
  check_memory(8.0 * double(n) * double(most), fmt::format("{} columns of {} rows", most, n));
  Matrix g(n, most);  // the columns so far
  Index r = 0;
  Random rng(1);
  while (r < most && out.remaining.maxCoeff() > least) {
    const std::vector<Index> near = drawn_rows(out.remaining, std::min(most_together, 2 * (most - r)), rng);
    Matrix c(std::ssize(near), std::ssize(near));  // what remains of their covariance
    const Matrix own = g(near, Eigen::seqN(0, r));
    for (Index i = 0; i < c.rows(); ++i) c.row(i) = k.block({near[static_cast<size_t>(i)], 1}, near);
    c -= own * own.transpose();
    std::vector<Index> rows;
    for (const Index i : accepted(c, most - r, least, rng)) rows.push_back(near[static_cast<size_t>(i)]);
    if (rows.empty()) {  // what remains of these is rounding
      for (const Index i : near) out.remaining[i] = 0;
      continue;
    }
    const Index b = std::ssize(rows);
    const Matrix before = g(rows, Eigen::seqN(0, r));  // b x r
    Matrix corner(b, b);                               // what remains of K_rows,rows
    for (Index i = 0; i < b; ++i) corner.row(i) = k.block({rows[static_cast<size_t>(i)], 1}, rows);
    corner -= before * before.transpose();
    if (blas::cholesky(corner, 1) != 0) break;  // only rounding remains
    for_runs(n, threads, [&](Range run) {       // new columns: (K_:rows - G G_rows') corner^-T
      Matrix fresh = k.block(run, rows);
      if (r) {
        const Matrix left = g.block(run.first, 0, run.count, r);
        blas::multiply(-1, left, before.transpose().eval(), 1, fresh, 1);
      }
      Matrix half = fresh.transpose();
      blas::solve_lower(corner, half, 1);
      g.block(run.first, r, run.count, b) = half.transpose();
      for (Index i = 0; i < run.count; ++i) {
        double& v = out.remaining[run.first + i];
        v = std::max(0.0, v - half.col(i).squaredNorm());
      }
    });
    for (const Index i : rows) out.remaining[i] = 0;
    out.rows.insert(out.rows.end(), rows.begin(), rows.end());
    r += b;
  }
  return out;
}

}  // namespace covary
