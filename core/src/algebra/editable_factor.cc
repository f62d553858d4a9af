#include "covary/algebra/editable_factor.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "algebra/blas.h"
#include "algebra/solve_columns.h"
#include "base/simd/simd.h"
#include "covary/base/runtime.h"

namespace covary {
using namespace internal;
namespace {

/// (a, w) -> (r, 0) by a' = c a + s w, w' = c w - s a.
struct Turn {
  double c = 1, s = 0;
  static Turn onto(double a, double w, double& r) {
    r = std::hypot(a, w);
    return {a / r, w / r};
  }
  void operator()(double& a, double& w) const {
    const double u = c * w - s * a;
    a = c * a + s * w;
    w = u;
  }
  void rows(Eigen::Ref<Vector> z, Vector& t) const {
    for (Index k = 0; k < t.size(); ++k) (*this)(z[k], t[k]);
  }
};

void rotate_two(double* a, double* b, double* w, Index n, Turn ta, Turn tb) {
  const double turns[] = {ta.c, ta.s, tb.c, tb.s};
  simd::loops().rotate_two(a, b, w, n, turns);
}

constexpr double least_left = 1e-5;

}  // namespace

EditableFactor::EditableFactor(const Factor& factor, const Matrix& right)
    : c_(right.cols()), z_(right.cols(), 0) {
  reserve(factor.size());
  n_ = factor.size();
  l_.topLeftCorner(n_, n_) = factor.lower_copy();
  for (Index c = 0; c < right.cols(); ++c) z_.row(c).head(n_) = half_solve(right.col(c)).transpose();
}

/// Room for n rows: at least half as much again as there was. What is beyond n is the identity.
void EditableFactor::reserve(Index n) {
  if (n <= room()) return;
  const Index more = padded(std::max({n, room() + room() / 2, Index{64}})), rows = more + 16;
  check_memory(8.0 * double(rows) * double(more), "a covariance matrix that grows");
  Matrix l = Matrix::Identity(rows, more), z(c_, more);
  l.topLeftCorner(n_, n_) = lower();
  z.topLeftCorner(c_, n_) = halves();
  l_.swap(l);
  z_.swap(z);
}

double EditableFactor::log_determinant() const { return n_ ? 2 * lower().diagonal().array().log().sum() : 0; }

void EditableFactor::forward(Index first, double* x) const {
  Index j = first;
  const auto divide = [&](Index end) {  // within a few columns
    for (Index k = j; k < end; ++k) {
      for (Index m = j; m < k; ++m) x[k] -= column(m)[k] * x[m];
      x[k] /= column(k)[k];
    }
  };
  for (; j + 4 <= n_; j += 4) {
    divide(j + 4);
    simd::loops().subtract_four(column(j) + j + 4, l_.rows(), x + j, x + j + 4, n_ - j - 4);
  }
  divide(n_);
}

Vector EditableFactor::half_solve(Vector b) const {
  assert(b.size() == n_);
  forward(0, b.data());
  return b;
}

Vector EditableFactor::half_solve_transposed(Vector b) const {
  assert(b.size() == n_);
  double* const x = b.data();
  const auto divide = [&](Index from, Index end) {  // within a few columns
    for (Index k = end - 1; k >= from; --k) {
      for (Index m = k + 1; m < end; ++m) x[k] -= column(k)[m] * x[m];
      x[k] /= column(k)[k];
    }
  };
  Index end = n_;
  for (; end >= 4; end -= 4) {
    double sums[4];
    simd::loops().dot_four(column(end - 4) + end, l_.rows(), x + end, n_ - end, sums);
    for (Index k = 0; k < 4; ++k) x[end - 4 + k] -= sums[k];
    divide(end - 4, end);
  }
  for (Index k = 0; k < end; ++k) x[k] -= simd::loops().dot(column(k) + end, x + end, n_ - end);
  divide(0, end);
  return b;
}

Matrix EditableFactor::half_solve(const Matrix& b, int threads) const {
  if (n_ == 0) return b;
  const Index rows = padded(n_);
  return solve_columns(l_.topLeftCorner(rows, rows), b, threads);
}

Matrix EditableFactor::half_solve_transposed(Matrix b, int threads) const {
  blas::solve_lower_transposed(lower(), b, threads);
  return b;
}

Matrix EditableFactor::inverse(int threads) const {
  Matrix p = lower();
  blas::inverse_from_cholesky(p, threads);
  p.triangularView<Eigen::StrictlyUpper>() = p.transpose();
  return p;
}

bool EditableFactor::append(const Matrix& b, const Matrix& s, const Matrix& right, int threads) {
  if (b.cols() > 2) return append_half(half_solve(b, threads), s, right);
  Matrix half = b;
  for (Index j = 0; j < b.cols(); ++j) forward(0, half.col(j).data());
  return append_half(half, s, right);
}

bool EditableFactor::append_half(const Matrix& half, const Matrix& s, const Matrix& right) {
  const Index q = s.rows();
  assert(half.rows() == n_ && half.cols() == q && right.rows() == q && right.cols() == carried());
  Matrix corner = s;
  if (n_) corner.noalias() -= half.transpose() * half;
  if (blas::cholesky(corner, 1) != 0 || is_singular(corner, s.diagonal())) return false;
  Matrix z = right;  // innovations: what the rows before do not say of the new ones
  if (n_) z.noalias() -= half.transpose() * halves().transpose();
  corner.triangularView<Eigen::Lower>().solveInPlace(z);
  reserve(n_ + q);
  l_.block(0, n_, n_, q).setZero();
  l_.block(n_, 0, q, n_) = half.transpose();
  l_.block(n_, n_, q, q) = corner.triangularView<Eigen::Lower>();
  z_.block(0, n_, c_, q) = z.transpose();
  n_ += q;
  return true;
}

void EditableFactor::absorb(Index first, Vector& w, Vector& t) {
  Index j = first;
  for (; j + 2 <= n_; j += 2) {
    double *const a = column(j), *const b = column(j + 1);
    const Turn ta = Turn::onto(a[j], w[j], a[j]);
    ta(a[j + 1], w[j + 1]);
    const Turn tb = Turn::onto(b[j + 1], w[j + 1], b[j + 1]);
    rotate_two(a + j + 2, b + j + 2, w.data() + j + 2, n_ - j - 2, ta, tb);
    ta.rows(z_.col(j).head(c_), t);
    tb.rows(z_.col(j + 1).head(c_), t);
  }
  if (j < n_) Turn::onto(column(j)[j], w[j], column(j)[j]).rows(z_.col(j).head(c_), t);
}

void EditableFactor::remove(Index i) {
  assert(0 <= i && i < n_);
  Vector w = Vector::Zero(n_), t = z_.col(i).head(c_);
  w.tail(n_ - i - 1) = l_.col(i).segment(i + 1, n_ - i - 1);
  absorb(i + 1, w, t);
  for (Index j = 0; j < i; ++j) std::copy(column(j) + i + 1, column(j) + n_, column(j) + i);
  for (Index j = i + 1; j < n_; ++j) {
    std::copy(column(j) + j, column(j) + n_, column(j - 1) + j - 1);
    z_.col(j - 1) = z_.col(j);
  }
  --n_;
  l_.row(n_).head(n_).setZero();
  l_(n_, n_) = 1;
}

bool EditableFactor::add_to_diagonal(Index i, double v) {
  assert(0 <= i && i < n_);
  if (v == 0) return true;
  Vector x = Vector::Zero(n_);
  x[i] = std::sqrt(std::abs(v));
  if (v > 0) {
    Vector t = Vector::Zero(carried());
    absorb(i, x, t);
    return true;
  }
  forward(i, x.data());
  const double left = 1 - x.tail(n_ - i).squaredNorm();
  if (!(left > least_left)) return false;
  release(i, x, std::sqrt(left));
  return true;
}

void EditableFactor::release(Index first, const Vector& a, double rest) {
  Vector x = Vector::Zero(n_), t = Vector::Zero(carried());
  // The last of Q'[z; t] must be 0, so that L' z' is R: t = -a'z / rest.
  if (carried()) t = z_.block(0, first, c_, n_ - first) * a.tail(n_ - first) / -rest;
  const auto turn = [&](Index j) {
    const Turn back = Turn::onto(rest, a[j], rest);
    return Turn{back.c, -back.s};
  };
  Index j = n_ - 1;
  for (; j > first; j -= 2) {
    double *const p = column(j), *const q = column(j - 1);
    const Turn tp = turn(j), tq = turn(j - 1);
    rotate_two(p + j, q + j, x.data() + j, n_ - j, tp, tq);
    tq(q[j - 1], x[j - 1]);
    tp.rows(z_.col(j).head(c_), t);
    tq.rows(z_.col(j - 1).head(c_), t);
  }
  if (j < first) return;
  const Turn last = turn(j);
  for (Index k = j; k < n_; ++k) last(column(j)[k], x[k]);
  last.rows(z_.col(j).head(c_), t);
}

void EditableFactor::add_to_right(Index i, Index c, double v) {
  assert(0 <= i && i < n_ && 0 <= c && c < carried());
  Vector x = Vector::Zero(n_);
  x[i] = v;
  forward(i, x.data());
  z_.row(c).segment(i, n_ - i) += x.tail(n_ - i).transpose();
}

void EditableFactor::replace_right(Index c, const Vector& right) {
  z_.row(c).head(n_) = half_solve(right).transpose();
}

void EditableFactor::carry(const Matrix& right, int threads) {
  assert(right.rows() == n_);
  const Matrix half = half_solve(right, threads);
  Matrix z(c_ + right.cols(), room());
  z.topLeftCorner(c_, n_) = halves();
  z.block(c_, 0, right.cols(), n_) = half.transpose();
  z_.swap(z);
  c_ += right.cols();
}

void EditableFactor::drop(Index c) noexcept {
  assert(0 <= c && c < carried());
  for (Index k = c; k + 1 < c_; ++k) z_.row(k).head(n_) = z_.row(k + 1).head(n_);
  --c_;
}

Matrix EditableFactor::columns(const std::vector<Index>& which) const {
  const Matrix rows = lower()(which, Eigen::all).transpose();  // n x k
  Matrix out = Matrix::Zero(n_, rows.cols());
  for (Index j = 0; j < n_; ++j)
    for (Index k = 0; k < rows.cols(); ++k)
      if (rows(j, k) != 0) out.col(k).tail(n_ - j) += rows(j, k) * l_.col(j).segment(j, n_ - j);
  return out;
}

/// Largest column sum of |K|, estimated from products with K [hager1984]: exact if no entry is negative.
static double one_norm_of_factor(const Eigen::Ref<const Matrix>& lower) {
  const auto times = [&](const Vector& x) -> Vector {
    const Vector half = lower.transpose().triangularView<Eigen::Upper>() * x;
    return lower.triangularView<Eigen::Lower>() * half;
  };
  Vector x = Vector::Constant(lower.rows(), 1 / double(lower.rows()));
  double best = 0;
  for (int step = 0; step < 5; ++step) {
    const Vector y = times(x);
    if (y.lpNorm<1>() <= best) break;
    best = y.lpNorm<1>();
    const Vector z = times(y.unaryExpr([](double v) { return v < 0 ? -1.0 : 1.0; }));
    Index j = 0;
    if (z.cwiseAbs().maxCoeff(&j) <= z.dot(x)) break;
    x = Vector::Unit(x.size(), j);
  }
  return best;
}

Factor EditableFactor::factor() const { return Factor::of(lower(), n_ ? one_norm_of_factor(lower()) : 0); }

Vector EditableFactor::right(Index c) const {
  return lower().triangularView<Eigen::Lower>() * z_.row(c).head(n_).transpose();
}

}  // namespace covary
