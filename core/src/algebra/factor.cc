#include "covary/algebra/factor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "algebra/blas.h"
#include "algebra/decompositions.h"
#include "algebra/solve_columns.h"
#include "algebra/tiles.h"
#include "covary/algebra/conditional_covariance.h"
#include "covary/base/error.h"
#include "covary/base/row_names.h"
#include "covary/base/runtime.h"

namespace covary {
using namespace internal;
namespace {

/// Sum of absolute values in the largest column of a symmetric matrix given by its lower triangle.
double one_norm(const Eigen::Ref<const Matrix>& lower) {
  Vector sums = Vector::Zero(lower.rows());
  for (Index j = 0; j < lower.cols(); ++j) {
    const auto below = lower.col(j).tail(lower.rows() - j - 1).cwiseAbs();
    sums[j] += std::abs(lower(j, j)) + below.sum();
    sums.tail(lower.rows() - j - 1) += below;
  }
  return sums.size() ? sums.maxCoeff() : 0;
}

/// How a factorization went: the row where it broke down, or -1.
struct Attempt {
  bool finite = true;
  Index row = -1;
};

/// K + diag(noise) + jitter I = L L' in the lower triangle of `out` (n x n): n^3/3 flops. With `accurate` a pivot
/// at the rounding level counts as broken down. `norm`: of the matrix, if it is wanted.
Attempt factorize_in_place(const Gram& gram, const Vector& noise, double jitter, bool accurate,
                           Eigen::Ref<Matrix> out, int threads, double* norm = nullptr) {
  fill_lower(gram, out, threads);
  out.diagonal() += noise;
  if (jitter > 0) out.diagonal().array() += jitter;
  const Vector diagonal = out.diagonal();
  if (!diagonal.allFinite()) return {false, 0};
  if (norm) *norm = one_norm(out);
  if (const Index failed = blas::cholesky(out, threads)) return {true, failed - 1};
  Attempt a;
  if (accurate && is_singular(out, diagonal))
    (out.diagonal().array().square() / diagonal.array()).minCoeff(&a.row);
  return a;
}

/// The row before `row` that is most like it, by correlation.
Index twin_of(const Gram& gram, Index row) {
  Index best = -1;
  double most = -1;
  const double own = gram.diagonal({row, 1})[0];
  for (Index i = 0; i < row; ++i) {
    const double c = gram.block({row, 1}, {i, 1})(0, 0) / std::sqrt(own * gram.diagonal({i, 1})[0]);
    if (c > most) most = c, best = i;
  }
  return best;
}

/// Throws: the matrix is indefinite, with the eigenvalue of a part of it that shows it, or just too singular.
[[noreturn]] void fail(const Gram& gram, const Vector& noise, Index pivot) {
  const Index last = std::min(gram.size, pivot + 1), n = std::min<Index>(last, 400);
  const Range rows{last - n, n};
  Matrix k = gram.block(rows, rows);
  k.diagonal() += noise.segment(rows.first, n);
  const Vector values = symmetric_eigen(k).values;
  throw Error(
      Problem::numerical,
      fmt::format("the covariance of rows {} to {} is not positive definite: an eigenvalue is {:.3g}, the "
                  "largest is {:.3g}; the kernel is not positive semi-definite or the noise is too small",
                  row_number(rows.first), row_number(last - 1), values.minCoeff(), values.maxCoeff()));
}

}  // namespace

bool internal::is_singular(const Eigen::Ref<const Matrix>& lower, const Vector& diagonal) {
  const double level = 4 * double(lower.rows()) * std::numeric_limits<double>::epsilon();
  return (lower.diagonal().array().square() < level * diagonal.array()).any();
}

Factor Factor::of(const Matrix& lower, double norm) {
  Factor f(lower.rows());
  f.storage_->topLeftCorner(f.n_, f.n_) = lower.triangularView<Eigen::Lower>();
  if (norm > 0)
    f.conditioning_.reciprocal_condition =
        blas::reciprocal_condition(f.storage_->topLeftCorner(f.n_, f.n_), norm);
  return f;
}

Factor::Factor(Index n) : n_(n) {
  const Index size = padded(n);
  check_memory(8.0 * double(size) * double(size), fmt::format("a covariance matrix of {} rows", n));
  storage_ = std::make_shared<Matrix>(size, size);
  storage_->bottomRows(size - n).setZero();
  storage_->rightCols(size - n).setZero();
  storage_->diagonal().tail(size - n).setOnes();
}

Eigen::Ref<const Matrix> Factor::lower() const { return storage_->topLeftCorner(n_, n_); }

Matrix Factor::lower_copy() const { return n_ ? Matrix(lower().triangularView<Eigen::Lower>()) : Matrix(); }

Vector Factor::pivots() const { return n_ ? Vector(lower().diagonal().cwiseAbs2()) : Vector(); }

/// K_ii = sum_j L_ij^2.
Vector Factor::diagonal() const {
  Vector out = Vector::Zero(n_);
  for (Index j = 0; j < n_; ++j) out.tail(n_ - j) += lower().col(j).tail(n_ - j).cwiseAbs2();
  return out;
}

Matrix Factor::half_inverse(int threads) const {
  Matrix w = lower_copy();
  blas::invert_lower(w, threads);
  return w;
}

double Factor::log_determinant() const { return n_ ? 2 * lower().diagonal().array().log().sum() : 0; }

Matrix Factor::half_solve(const Matrix& b, int threads) const {
  if (n_ == 0) return b;
  return solve_columns(*storage_, b, threads);
}

Matrix Factor::half_solve_transposed(const Matrix& b, int threads) const {
  if (n_ == 0) return b;
  Matrix x = Matrix::Zero(storage_->rows(), padded(b.cols(), 8));
  x.topLeftCorner(n_, b.cols()) = b;
  blas::solve_lower_transposed(*storage_, x, threads);
  return x.topLeftCorner(n_, b.cols());
}

Vector Factor::inverse_diagonal(int threads) const {  // |L^-1 e_j|^2; above row j there is nothing to solve
  Vector c(n_);
  constexpr Index wide = 256;
  for (Index j = 0; j < n_; j += wide) {
    const Index m = std::min(wide, n_ - j), rest = n_ - j;
    Matrix w = Matrix::Zero(rest, m);
    w.topRows(m).setIdentity();
    blas::solve_lower(lower().bottomRightCorner(rest, rest), w, threads);
    c.segment(j, m) = w.colwise().squaredNorm();
  }
  return c;
}

std::optional<Factor> Factor::grown(const Matrix& b, const Matrix& s, int threads) const {
  const Index q = s.rows();
  Factor out(n_ + q);
  out.conditioning_ = conditioning_;
  auto all = out.storage_->topLeftCorner(n_ + q, n_ + q);
  if (n_) all.topLeftCorner(n_, n_) = lower();
  const Matrix half = half_solve(b, threads);  // n x q
  Matrix corner = s;
  corner.diagonal().array() += conditioning_.jitter;
  const Vector diagonal = corner.diagonal();
  if (n_) blas::multiply_transposed(-1, half, half, 1, corner, threads);
  if (blas::cholesky(corner, threads) != 0 || is_singular(corner, diagonal)) return {};
  all.bottomLeftCorner(q, n_) = half.transpose();
  all.bottomRightCorner(q, q) = corner;
  return out;
}

void Factor::for_columns(const std::function<void(std::span<const double>)>& take) const {
  for (Index j = 0; j < n_; ++j)
    take({storage_->data() + j * storage_->rows() + j, static_cast<size_t>(n_ - j)});
}

Factor Factor::from_columns(Index n, const Conditioning& conditioning,
                            const std::function<void(std::span<double>)>& fill) {
  Factor f(n);
  f.conditioning_ = conditioning;
  for (Index j = 0; j < n; ++j)
    fill({f.storage_->data() + j * f.storage_->rows() + j, static_cast<size_t>(n - j)});
  return f;
}

Index Factor::take(const Gram& gram, const Vector& noise, double jitter, int threads, bool plain) {
  auto k = storage_->topLeftCorner(n_, n_);
  conditioning_.jitter = jitter;
  double norm = 0;
  const Attempt a = factorize_in_place(gram, noise, jitter, !plain, k, threads, &norm);
  if (!a.finite) throw Error(Problem::numerical, "the kernel gave a variance that is not finite");
  if (a.row < 0) conditioning_.reciprocal_condition = n_ ? blas::reciprocal_condition(k, norm) : 1;
  return a.row;
}

bool FactorScratch::factorize(const Gram& gram, const Vector& noise, bool accurate, int threads) {
  const Index n = gram.size;
  if (k_.rows() != n) {
    check_memory(8.0 * double(n) * double(n), fmt::format("the covariance matrix of {} rows", n));
    k_.resize(n, n);
  }
  const Attempt a = factorize_in_place(gram, noise, 0, accurate, k_, threads);
  return a.finite && a.row < 0;
}

double FactorScratch::log_determinant() const { return 2 * k_.diagonal().array().log().sum(); }

void FactorScratch::half_solve(Matrix& b, int threads) const { blas::solve_lower(k_, b, threads); }

void FactorScratch::half_solve_transposed(Matrix& b, int threads) const {
  blas::solve_lower_transposed(k_, b, threads);
}

void FactorScratch::invert(int threads) { blas::inverse_from_cholesky(k_, threads); }

void FactorScratch::subtract_from_inverse(const Matrix& q, int threads) {
  blas::rank_update(-1, q, 1, k_, threads);
}

Matrix FactorScratch::inverse_tile(Range r, Range c) const { return symmetric_tile(k_, r, c); }

Factor factorize(const Gram& gram, const Vector& noise, int threads) {
  Factor f(gram.size);
  Index pivot = 0, last = 0;  // the rows where the first and the latest attempt broke down
  const double mean = f.n_ ? gram.diagonal({0, f.n_}).mean() : 0;
  for (double relative = 0; relative <= 1.0001e-6; relative = relative == 0 ? 1e-12 : 10 * relative) {
    last = f.take(gram, noise, relative * mean, threads);
    if (relative == 0) pivot = last;
    if (last >= 0) continue;
    if (f.conditioning_.jitter > 0) f.conditioning_.row = pivot, f.conditioning_.twin = twin_of(gram, pivot);
    return f;
  }
  fail(gram, noise, last);
}

std::optional<Factor> internal::factorize_regular(const Gram& gram, const Vector& noise, int threads) {
  Factor f(gram.size);
  if (f.take(gram, noise, 0, threads) >= 0) return {};
  return f;
}

std::optional<Factor> internal::factorize_plain(const Gram& gram, const Vector& noise, int threads) {
  Factor f(gram.size);
  if (f.take(gram, noise, 0, threads, true) >= 0) return {};
  return f;
}

Matrix internal::root(const Matrix& a, double rounding) {
  const Index m = a.rows();
  Matrix out = a;
  const Vector diagonal = a.diagonal();
  if (blas::cholesky(out, 1) == 0 && !is_singular(out, diagonal) &&
      (out.diagonal().array().square() > rounding).all())
    return out.triangularView<Eigen::Lower>();
  // Pivoted: the largest remaining variance first, until what remains is rounding.
  const double level =
      std::max(rounding, double(m) * std::numeric_limits<double>::epsilon() * diagonal.maxCoeff());
  out.setZero();
  ConditionalCovariance given(covariances_of(a));
  for (Index i = 0; given.count() < m && given.remaining().maxCoeff(&i) > level;) {
    given.condition_on(i, 0);
    out.col(i) = given.column(given.count() - 1);
  }
  return out;
}

}  // namespace covary
