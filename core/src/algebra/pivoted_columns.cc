#include "covary/algebra/pivoted_columns.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "algebra/blas.h"
#include "covary/base/parallel.h"

namespace covary {
namespace {

constexpr Index block_size = 32;  // rows chosen between two updates of everything
constexpr Index contest = 4;      // candidates for each of them

/// The rows of largest remaining variance, the largest first.
std::vector<Index> largest(const Vector& remaining, Index count) {
  std::vector<Index> rows = all_indices(remaining.size());
  const auto end = rows.begin() + std::min<Index>(count, remaining.size());
  std::partial_sort(rows.begin(), end, rows.end(), [&](Index a, Index b) {
    return remaining[a] != remaining[b] ? remaining[a] > remaining[b] : a < b;
  });
  rows.erase(end, rows.end());
  return rows;
}

/// Which of the candidates to take, given what remains of their covariance (c x c): the largest variance
/// first, as long as that is more than half of the least it may be outside (`outside`), and above `least`.
std::vector<Index> chosen_of(Matrix c, Index most, double outside, double least) {
  std::vector<Index> out;
  while (std::ssize(out) < most) {
    Index i = 0;
    const double v = c.diagonal().maxCoeff(&i);
    if (!(v > least) || (!out.empty() && v < 0.5 * outside)) break;
    out.push_back(i);
    const Vector g = c.col(i) / std::sqrt(v);
    c -= g * g.transpose();
    c.diagonal()[i] = 0;
  }
  return out;
}

}  // namespace

PivotedColumns pivoted_columns(const Covariances& k, Index most, double tolerance, int threads) {
  const Index n = k.size;
  most = std::min(most, n);
  PivotedColumns out{{}, k.diagonal};
  const double least = tolerance * (n ? k.diagonal.maxCoeff() : 0);
  Matrix g(n, most);  // the columns so far
  Index r = 0;
  while (r < most) {
    const std::vector<Index> near = largest(out.remaining, contest * block_size + 1);
    const double outside = std::ssize(near) > contest * block_size ? out.remaining[near.back()] : 0;
    Matrix c(std::ssize(near), std::ssize(near));  // what remains of their covariance
    {
      const Matrix own = g(near, Eigen::seqN(0, r));
      for (Index i = 0; i < c.rows(); ++i) c.row(i) = k.block({near[static_cast<size_t>(i)], 1}, near);
      c -= own * own.transpose();
    }
    std::vector<Index> rows;
    for (const Index i : chosen_of(c, std::min(block_size, most - r), outside, least))
      rows.push_back(near[static_cast<size_t>(i)]);
    if (rows.empty()) break;
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
