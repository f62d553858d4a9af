#include "linear/ridge_directions.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "algebra/blas.h"
#include "algebra/decompositions.h"
#include "covary/base/error.h"
#include "covary/base/parallel.h"
#include "covary/process/solution.h"

namespace covary {
using namespace internal;
namespace {

void check_block(const Matrix& block, Range r, Index columns) {
  if (block.rows() != r.count || block.cols() != columns)
    throw Error(Problem::usage, fmt::format("phi: expected {} x {} for rows {} to {}, found {} x {}", r.count,
                                            columns, r.first + 1, r.end(), block.rows(), block.cols()));
  if ((block.array() * 0.0).sum() == 0) return;  // vectorized, unlike allFinite
  for (Index i = 0; i < r.count; ++i)
    for (Index j = 0; j < columns; ++j)
      if (!std::isfinite(block(i, j)))
        throw Error(Problem::data, fmt::format("phi: row {}, column {}: expected a finite number, found {}",
                                               r.first + i + 1, j + 1, block(i, j)));
}

/// Each block checked as it passes.
RowBlocks checked(const RowBlocks& phi) {
  return {phi.rows, phi.columns, [&phi](Range r) -> Matrix {
            Matrix block = phi.at(r);
            check_block(block, r, phi.columns);
            return block;
          }};
}

/// The columns that are not penalized first, then the others divided by their scales.
Matrix ordered(const Rows& phi, const RidgeDirections& d) {
  Matrix out(phi.rows(), std::ssize(d.free) + d.shrink.size());
  out.leftCols(std::ssize(d.free)) = phi(Eigen::all, d.free);
  out.rightCols(d.shrink.size()) = phi(Eigen::all, d.penalized) * d.shrink.asDiagonal();
  return out;
}

/// The triangle of columns so ordered. O(N^3), if their order is another one.
Triangle ordered(const Triangle& t, const RidgeDirections& d) {
  const Matrix r = ordered(t.r, d);
  Triangle out(r.cols());
  if (r.cols() == t.columns() && r.isUpperTriangular(0))
    out.r = r, out.z = t.z;
  else
    out = out.with(r, t.z);
  out.rest += t.rest;
  return out;
}

/// Keeps of the q columns that are not penalized those that do not depend on others of them.
std::vector<Index> keep_independent(const Matrix& q_columns, RidgeDirections& d) {
  std::vector<Index> kept = independent_columns(q_columns);
  d.dropped = q_columns.cols() - std::ssize(kept);
  std::vector<Index> free;
  free.reserve(kept.size());
  for (const Index j : kept) free.push_back(d.free[static_cast<size_t>(j)]);
  d.free = free;
  return kept;
}

/// Singular values at the rounding of the largest are 0.
Vector without_rounding(const Vector& s, Index largest_side) {
  if (s.size() == 0) return s;
  const double level = double(largest_side) * std::numeric_limits<double>::epsilon() * s[0];
  return (s.array() > level).select(s, 0.0);
}

/// n > N, or the rows are not wanted again.
void decompose_triangle(const Triangle& of, int threads, RidgeDirections& d) {
  const Index all_free = std::ssize(d.free), p = std::ssize(d.penalized);
  Triangle t = ordered(of, d);
  const Index q = std::ssize(keep_independent(t.r.leftCols(all_free), d));
  if (q < all_free) t = ordered(of, d);
  d.r0 = t.r.topLeftCorner(q, q), d.r0a = t.r.topRightCorner(q, p), d.z0 = t.z.head(q);
  Matrix below = t.r.bottomRightCorner(p, p);
  blas::Singular svd = blas::singular(below, threads);
  d.s = without_rounding(svd.s, std::max(d.rows, d.columns));
  d.c = svd.u.transpose() * t.z.tail(p);
  d.v = std::move(svd.v);
  d.rest = t.rest;
}

/// n <= N: all rows at once, and U is kept.
void decompose_wide(const RowBlocks& phi, const Vector& y, int threads, RidgeDirections& d) {
  const Index n = phi.rows, all_free = std::ssize(d.free), p = std::ssize(d.penalized);
  const Matrix all = ordered(checked(phi).at({0, n}), d);
  const std::vector<Index> kept = keep_independent(all.leftCols(all_free), d);
  const Index q = std::ssize(kept), m = n - q;
  Matrix a = Matrix::Zero(n, std::max(p, m));  // as wide as tall, so that U is square
  a.leftCols(p) = all.rightCols(p);
  Vector z = y;
  const Reflections qr(all(Eigen::all, kept));
  qr.turn(a);
  qr.turn(z);
  d.r0 = qr.r();
  d.r0a = a.topLeftCorner(q, p), d.z0 = z.head(q);
  Matrix below = a.bottomRows(m);
  blas::Singular svd = blas::singular(below, threads);
  d.s = without_rounding(svd.s, phi.columns);
  d.c = svd.u.transpose() * z.tail(m);
  d.v = svd.v.topRows(p);
  Matrix basis = Matrix::Zero(n, m);
  basis.bottomRows(m) = svd.u;
  qr.turn_back(basis);
  d.held = LeftOut(std::move(basis), d.s.cwiseAbs2(), d.c);
}

/// N x (q + k): Phi times it is [Q_0, U S] of the rows.
Matrix rotation(const RidgeDirections& d, Index k) {
  const Index q = std::ssize(d.free);
  Matrix m = Matrix::Zero(d.columns, q + k);
  const Matrix v = d.v.leftCols(k);
  Matrix top(q, q + k);
  top.leftCols(q).setIdentity();
  top.rightCols(k) = -d.r0a * v;
  if (q > 0) d.r0.triangularView<Eigen::Upper>().solveInPlace(top);
  m(d.free, Eigen::all) = top;
  m(d.penalized, Eigen::lastN(k)) = d.shrink.asDiagonal() * v;
  return m;
}

/// What a pass over rows needs for every penalty.
struct Pass {
  Index q = 0, k = 0;
  Matrix rotation;          // N x (q + k)
  Matrix inverse, weights;  // k x L: 1/(s^2 + penalty), and c s times it
};

Pass pass_of(const RidgeDirections& d, const Vector& penalties) {
  Pass p;
  p.q = std::ssize(d.free), p.k = (d.s.array() > 0).count();
  p.rotation = rotation(d, p.k);
  const Eigen::ArrayXd s = d.s.head(p.k).array();
  p.inverse.resize(p.k, penalties.size());
  for (Index l = 0; l < penalties.size(); ++l) p.inverse.col(l) = (s.square() + penalties[l]).inverse();
  p.weights = (s * d.c.head(p.k).array()).matrix().asDiagonal() * p.inverse;
  return p;
}

/// The sum of squared errors of these rows left out for every penalty (L), and after it the rows that count.
Vector sums_of(const Pass& p, const Matrix& block, const Vector& y, const Vector& z0) {
  const Index n = block.rows(), count = p.inverse.cols();
  Matrix turned(n, p.q + p.k), leverage(n, count), off(n, count);
  blas::multiply(1, block, p.rotation, 0, turned, 1);
  const Vector left = 1 - turned.leftCols(p.q).rowwise().squaredNorm().array();
  leverage = left.replicate(1, count);
  off = (y - turned.leftCols(p.q) * z0).replicate(1, count);
  auto along = turned.rightCols(p.k);
  blas::multiply(-1, along, p.weights, 1, off, 1);
  along = along.cwiseAbs2().eval();
  blas::multiply(-1, along, p.inverse, 1, leverage, 1);
  const Eigen::ArrayXd counted = (left.array() > least_freedom).cast<double>();
  Vector out(count + 1);
  for (Index l = 0; l < count; ++l)
    out[l] = (counted > 0).select((off.col(l).array() / leverage.col(l).array()).square(), 0.0).sum();
  out[count] = counted.sum();
  return out;
}

}  // namespace

/// With one direction left, or nothing of y, every penalty is as good as any other.
void check_left(const RidgeDirections& d, bool chosen) {
  const Index q = std::ssize(d.free), least = q + (chosen ? 2 : 1);
  if (d.rows < least)
    throw Error(Problem::data, fmt::format("ridge with {} unpenalized columns{} needs {} rows, found {}", q,
                                           chosen ? " and a penalty to choose" : "", least, d.rows));
  const double left = d.rest + d.c.squaredNorm(), all = left + d.z0.squaredNorm();  // |y|^2
  if (chosen && std::sqrt(left) <= 1e-13 * std::sqrt(all))
    throw Error(Problem::data,
                fmt::format("y: the unpenalized columns explain all {} rows exactly: no residuals "
                            "to choose a penalty by; give one",
                            d.rows));
}

static RidgeDirections undecomposed(Index rows, const Vector& scale) {
  RidgeDirections d;
  d.rows = rows, d.columns = scale.size();
  for (Index j = 0; j < d.columns; ++j) (scale[j] == 0 ? d.free : d.penalized).push_back(j);
  d.shrink = scale(d.penalized).cwiseInverse();
  return d;
}

RidgeDirections ridge_directions(const Triangle& t, Index rows, const Vector& scale, int threads) {
  RidgeDirections d = undecomposed(rows, scale);
  decompose_triangle(t, threads, d);
  return d;
}

RidgeDirections ridge_directions(const RowBlocks& phi, const Vector& y, const Vector& scale, int threads) {
  if (phi.rows > phi.columns)
    return ridge_directions(triangle(checked(phi), y, Triangle(phi.columns), threads), phi.rows, scale,
                            threads);
  RidgeDirections d = undecomposed(phi.rows, scale);
  decompose_wide(phi, y, threads, d);
  return d;
}

Matrix RidgeDirections::weights(const Vector& penalties) const {
  Matrix along(s.size(), penalties.size());
  for (Index l = 0; l < penalties.size(); ++l)
    along.col(l) = s.array() * c.array() / (s.array().square() + penalties[l]);
  const Matrix scaled = v * along;
  Matrix out = Matrix::Zero(columns, penalties.size());
  out(penalized, Eigen::all) = shrink.asDiagonal() * scaled;
  if (free.empty()) return out;
  Matrix level = -r0a * scaled;
  level.colwise() += z0;
  r0.triangularView<Eigen::Upper>().solveInPlace(level);
  out(free, Eigen::all) = level;
  return out;
}

Vector RidgeDirections::left_out(const RowBlocks& phi, const Vector& y, const Vector& penalties, int threads,
                                 Index& uncounted) const {
  if (held) {
    uncounted = held->uncounted();
    return held->rmse(penalties, threads);
  }
  constexpr Index tall = 1024;
  const Index blocks = (rows + tall - 1) / tall;
  const Pass pass = pass_of(*this, penalties);
  Matrix parts(penalties.size() + 1, blocks);
  parallel_for(blocks, threads, [&](Index b) {
    const Range r{b * tall, std::min(tall, rows - b * tall)};
    parts.col(b) = sums_of(pass, phi.at(r), y.segment(r.first, r.count), z0);
  });
  const Vector sums = parts.rowwise().sum();
  const double counted = sums[penalties.size()];
  uncounted = rows - Index(counted);
  return (sums.head(penalties.size()) / std::max(1.0, counted)).cwiseSqrt();
}

}  // namespace covary
