#include "covary/algebra/factor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "algebra/blas.h"
#include "algebra/decompositions.h"
#include "algebra/solve_columns.h"
#include "algebra/tiles.h"
#include "covary/algebra/conditional_covariance.h"
#include "covary/algebra/remote.h"
#include "covary/base/error.h"
#include "covary/base/row_names.h"
#include "covary/base/runtime.h"

namespace covary {
using namespace internal;
namespace {

/// Pivots L_ii^2 of n rows at the rounding level of the diagonal.
bool at_rounding(const Vector& pivots, const Vector& diagonal, Index n) {
  const double level = 4 * double(n) * std::numeric_limits<double>::epsilon();
  return (pivots.array() < level * diagonal.array()).any();
}

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

/// Outcome of a factorization: the row where it broke down, or -1.
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
  return at_rounding(lower.diagonal().cwiseAbs2(), diagonal, lower.rows());
}

Factor Factor::of(const Matrix& lower, double norm) {
  Factor f(lower.rows());
  f.storage_->topLeftCorner(f.n_, f.n_) = lower.triangularView<Eigen::Lower>();
  if (norm > 0)
    f.conditioning_.reciprocal_condition =
        blas::reciprocal_condition(f.storage_->topLeftCorner(f.n_, f.n_), norm);
  return f;
}

/// Where the Gram says.
Factor Factor::for_gram(const Gram& gram) {
  if (!gram.place || gram.size < gram.place->smallest()) return Factor(gram.size);
  Factor f;
  f.n_ = gram.size;
  f.remote_ = gram.place->matrix(gram.size);
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

Matrix Factor::lower_copy() const {
  if (remote_) return lower_of(*remote_);
  return n_ ? Matrix(lower().triangularView<Eigen::Lower>()) : Matrix();
}

Vector Factor::pivots() const {
  if (remote_) return pivots_;
  return n_ ? Vector(lower().diagonal().cwiseAbs2()) : Vector();
}

/// K_ii = sum_j L_ij^2.
Vector Factor::diagonal() const {
  if (remote_) return diagonal_;
  Vector out = Vector::Zero(n_);
  for (Index j = 0; j < n_; ++j) out.tail(n_ - j) += lower().col(j).tail(n_ - j).cwiseAbs2();
  return out;
}

Matrix Factor::half_inverse(int threads) const {
  Matrix w = lower_copy();
  blas::invert_lower(w, threads);
  return w;
}

double Factor::log_determinant() const {
  if (remote_) return pivots_.array().log().sum();
  return n_ ? 2 * lower().diagonal().array().log().sum() : 0;
}

Matrix Factor::half_solve(const Matrix& b, int threads) const {
  if (n_ == 0) return b;
  if (remote_) {
    Matrix x = b;
    remote_->solve(x, false);
    return x;
  }
  return solve_columns(*storage_, b, threads);
}

Matrix Factor::half_solve_transposed(const Matrix& b, int threads) const {
  if (n_ == 0) return b;
  if (remote_) {
    Matrix x = b;
    remote_->solve(x, true);
    return x;
  }
  Matrix x = Matrix::Zero(storage_->rows(), padded(b.cols(), 8));
  x.topLeftCorner(n_, b.cols()) = b;
  blas::solve_lower_transposed(*storage_, x, threads);
  return x.topLeftCorner(n_, b.cols());
}

Vector Factor::inverse_diagonal(int threads) const {  // |L^-1 e_j|^2; above row j there is nothing to solve
  if (remote_) return remote_->inverse_diagonal();
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
  if (remote_) return {};  // made anew in less time than it takes to bring it here
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
  constexpr Index at_once = 256;
  for (Index j = 0; remote_ && j < n_; j += at_once) {
    const Matrix some = remote_->columns({j, std::min(at_once, n_ - j)});
    for (Index i = 0; i < some.cols(); ++i)
      take({some.data() + i * some.rows() + i, static_cast<size_t>(some.rows() - i)});
  }
  for (Index j = 0; !remote_ && j < n_; ++j)
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
  if (remote_) return take_remote(gram, noise, jitter, threads, plain);
  auto k = storage_->topLeftCorner(n_, n_);
  conditioning_.jitter = jitter;
  double norm = 0;
  const Attempt a = factorize_in_place(gram, noise, jitter, !plain, k, threads, &norm);
  if (!a.finite) throw Error(Problem::numerical, "the kernel gave a variance that is not finite");
  if (a.row < 0) conditioning_.reciprocal_condition = n_ ? blas::reciprocal_condition(k, norm) : 1;
  return a.row;
}

/// As take() where the factor is elsewhere.
Index Factor::take_remote(const Gram& gram, const Vector& noise, double jitter, int threads, bool plain) {
  conditioning_.jitter = jitter;
  remote_->fill(gram, noise.array() + jitter, threads);
  diagonal_ = remote_->diagonal();
  if (!diagonal_.allFinite())
    throw Error(Problem::numerical, "the kernel gave a variance that is not finite");
  const double norm = remote_->norm();
  if (const Index failed = remote_->factorize()) return failed - 1;
  pivots_ = remote_->diagonal().cwiseAbs2();
  if (!plain && at_rounding(pivots_, diagonal_, n_)) {
    Index row = 0;
    (pivots_.array() / diagonal_.array()).minCoeff(&row);
    return row;
  }
  conditioning_.reciprocal_condition = reciprocal_condition(*remote_, norm);
  return -1;
}

bool FactorScratch::factorize(const Gram& gram, const Vector& noise, bool accurate, int threads) {
  const Index n = gram.size;
  if (gram.place && n >= gram.place->smallest()) {
    if (!remote_ || remote_->size() != n) remote_ = gram.place->matrix(n);
    remote_->fill(gram, noise, threads);
    const Vector diagonal = remote_->diagonal();
    if (!diagonal.allFinite() || remote_->factorize()) return false;
    diagonal_ = remote_->diagonal();
    return !(accurate && at_rounding(diagonal_.cwiseAbs2(), diagonal, n));
  }
  remote_.reset();
  if (k_.rows() != n) {
    check_memory(8.0 * double(n) * double(n), fmt::format("the covariance matrix of {} rows", n));
    k_.resize(n, n);
  }
  const Attempt a = factorize_in_place(gram, noise, 0, accurate, k_, threads);
  return a.finite && a.row < 0;
}

double FactorScratch::log_determinant() const {
  return 2 * (remote_ ? diagonal_ : Vector(k_.diagonal())).array().log().sum();
}

void FactorScratch::half_solve(Matrix& b, int threads) const {
  if (remote_) return remote_->solve(b, false);
  blas::solve_lower(k_, b, threads);
}

void FactorScratch::half_solve_transposed(Matrix& b, int threads) const {
  if (remote_) return remote_->solve(b, true);
  blas::solve_lower_transposed(k_, b, threads);
}

void FactorScratch::invert(int threads) {
  if (!remote_) return blas::inverse_from_cholesky(k_, threads);
  remote_->invert();
  diagonal_ = remote_->diagonal();
}

void FactorScratch::subtract_from_inverse(const Matrix& q, int threads) {
  if (!remote_) return blas::rank_update(-1, q, 1, k_, threads);
  remote_->downdate(q);
  diagonal_ = remote_->diagonal();
}

Vector FactorScratch::inverse_diagonal() const { return remote_ ? diagonal_ : Vector(k_.diagonal()); }

Matrix FactorScratch::inverse() const {
  if (!remote_) return k_.selfadjointView<Eigen::Lower>();
  Matrix all = lower_of(*remote_);
  all.triangularView<Eigen::StrictlyUpper>() = all.transpose();
  return all;
}

Vector FactorScratch::contract(const Gram& gram, const Matrix& a, double m, int threads) const {
  if (remote_) return remote_->contract(gram, a, m, threads);
  return pullback_lower(
      gram,
      [&](Range r, Range c) -> Matrix {  // a tile of G
        Matrix g = symmetric_tile(k_, r, c);
        g = 0.5 * (a.middleRows(r.first, r.count) * a.middleRows(c.first, c.count).transpose() - m * g);
        return g;
      },
      threads);
}

Factor factorize(const Gram& gram, const Vector& noise, int threads) {
  Factor f = Factor::for_gram(gram);
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
  Factor f = Factor::for_gram(gram);
  if (f.take(gram, noise, 0, threads) >= 0) return {};
  return f;
}

std::optional<Factor> internal::factorize_plain(const Gram& gram, const Vector& noise, int threads) {
  Factor f = Factor::for_gram(gram);
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
