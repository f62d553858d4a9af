#include "algebra/blocked.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <vector>

#include "base/simd/simd.h"

namespace covary::blocked {
namespace {

constexpr Index nb = 48;  // columns of a block

simd::Strided rows_of(const ConstBlock& a, Op op) {
  return op == Op::plain ? simd::Strided{a.data(), 1, a.outerStride()}
                         : simd::Strided{a.data(), a.outerStride(), 1};
}
simd::Strided columns_of(const ConstBlock& b, Op op) {
  return rows_of(b, op == Op::plain ? Op::transposed : Op::plain);
}

/// B <- B L'^-1, column after column: m n^2 flops for n columns.
void solve_from_right(const ConstBlock& l, Block b) {
  for (Index j = 0; j < l.rows(); ++j) {
    for (Index k = 0; k < j; ++k) b.col(j) -= l(j, k) * b.col(k);
    b.col(j) /= l(j, j);
  }
}

/// C <- C T, T lower triangular: column block j needs the blocks from j on, so they are taken in order.
void times_lower(Block c, const ConstBlock& t) {
  const Index n = t.rows();
  for (Index j = 0; j < n; j += nb) {
    const Index w = std::min(nb, n - j), rest = n - j - w;
    const Matrix corner = t.block(j, j, w, w).triangularView<Eigen::Lower>();
    Matrix out = Matrix::Zero(c.rows(), w);
    add_product(1, c.middleCols(j, w), Op::plain, corner, Op::plain, out);
    if (rest) add_product(1, c.rightCols(rest), Op::plain, t.block(j + w, j, rest, w), Op::plain, out);
    c.middleCols(j, w) = out;
  }
}

/// C <- -T C, T lower triangular: row block i needs the blocks to i, so the last comes first.
void minus_lower_times(const ConstBlock& t, Block c) {
  const Index n = t.rows();
  for (Index i = (n - 1) / nb * nb; i >= 0; i -= nb) {
    const Index h = std::min(nb, n - i);
    const Matrix corner = t.block(i, i, h, h).triangularView<Eigen::Lower>();
    Matrix out = Matrix::Zero(h, c.cols());
    add_product(-1, corner, Op::plain, c.middleRows(i, h), Op::plain, out);
    if (i) add_product(-1, t.block(i, 0, h, i), Op::plain, c.topRows(i), Op::plain, out);
    c.middleRows(i, h) = out;
  }
}

}  // namespace

void add_product(double alpha, const ConstBlock& a, Op op_a, const ConstBlock& b, Op op_b, Block c,
                 bool lower) {
  const Index depth = op_a == Op::plain ? a.cols() : a.rows();
  if (c.size() == 0 || depth == 0 || alpha == 0) return;
  static thread_local std::vector<double> space(simd::product_space);
  simd::loops().add_product(c.rows(), c.cols(), depth, alpha, rows_of(a, op_a), columns_of(b, op_b), lower,
                            c.data(), c.outerStride(), space.data());
}

/// Left-looking: a block of columns is brought up to date with all before it, factorized, and solved for.
Index cholesky(Block a) {
  const Index n = a.rows();
  for (Index k = 0; k < n; k += nb) {
    const Index w = std::min(nb, n - k), rest = n - k - w;
    Block corner = a.block(k, k, w, w);
    const auto left = a.block(k, 0, w, k);
    add_product(-1, left, Op::plain, left, Op::transposed, corner, true);
    const Index failed = Eigen::internal::llt_inplace<double, Eigen::Lower>::unblocked(corner);
    if (failed >= 0) return k + failed + 1;
    if (rest == 0) break;
    Block below = a.block(k + w, k, rest, w);
    add_product(-1, a.block(k + w, 0, rest, k), Op::plain, left, Op::transposed, below);
    solve_from_right(corner, below);
  }
  return 0;
}

/// [A 0; C D]^-1 = [A^-1 0; -D^-1 C A^-1 D^-1].
void invert_lower(Block l) {
  const Index n = l.rows();
  if (n <= nb) {
    Matrix w = Matrix::Identity(n, n);
    l.triangularView<Eigen::Lower>().solveInPlace(w);
    l.triangularView<Eigen::Lower>() = w;
    return;
  }
  const Index half = (n / 2 + nb - 1) / nb * nb, rest = n - half;
  Block a = l.topLeftCorner(half, half), c = l.bottomLeftCorner(rest, half),
        d = l.bottomRightCorner(rest, rest);
  invert_lower(a);
  invert_lower(d);
  times_lower(c, a);
  minus_lower_times(d, c);
}

/// (W'W)_ij = sum_{p >= i} W_pi W_pj for i >= j, W = L^-1: no later block of rows needs those above it.
void inverse_from_cholesky(Block l) {
  invert_lower(l);
  const Index n = l.rows();
  for (Index i = 0; i < n; i += nb) {
    const Index h = std::min(nb, n - i), below = n - i - h;
    Matrix own = l.block(i, 0, h, i + h);
    own.rightCols(h).triangularView<Eigen::StrictlyUpper>().setZero();
    const Matrix corner = own.rightCols(h);
    Matrix out = Matrix::Zero(h, i + h);
    add_product(1, corner, Op::transposed, own, Op::plain, out);
    if (below)
      add_product(1, l.block(i + h, i, below, h), Op::transposed, l.block(i + h, 0, below, i + h), Op::plain,
                  out);
    l.block(i, 0, h, i) = out.leftCols(i);
    l.block(i, i, h, h).triangularView<Eigen::Lower>() = out.rightCols(h);
  }
}

void solve_lower(const ConstBlock& l, Block b) {
  const Index n = l.rows();
  for (Index k = 0; k < n; k += nb) {
    const Index h = std::min(nb, n - k);
    Block part = b.middleRows(k, h);
    add_product(-1, l.block(k, 0, h, k), Op::plain, b.topRows(k), Op::plain, part);
    l.block(k, k, h, h).triangularView<Eigen::Lower>().solveInPlace(part);
  }
}

void solve_lower_transposed(const ConstBlock& l, Block b) {
  const Index n = l.rows();
  for (Index k = (n - 1) / nb * nb; k >= 0 && n > 0; k -= nb) {
    const Index h = std::min(nb, n - k), below = n - k - h;
    Block part = b.middleRows(k, h);
    add_product(-1, l.block(k + h, k, below, h), Op::transposed, b.bottomRows(below), Op::plain, part);
    l.block(k, k, h, h).transpose().triangularView<Eigen::Upper>().solveInPlace(part);
  }
}

}  // namespace covary::blocked
