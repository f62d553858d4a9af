#include "covary/process/editable_solution.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "algebra/blas.h"
#include "covary/base/error.h"
#include "process/gls.h"

namespace covary {
using namespace internal;
namespace {

Matrix beside(const Matrix& a, const Matrix& b) {
  Matrix out(a.rows(), a.cols() + b.cols());
  out.leftCols(a.cols()) = a;
  out.rightCols(b.cols()) = b;
  return out;
}

Matrix over(const Matrix& a, const Matrix& b) {
  Matrix out(a.rows() + b.rows(), a.cols());
  out.topRows(a.rows()) = a;
  out.bottomRows(b.rows()) = b;
  return out;
}

}  // namespace

std::vector<Index> internal::all_but(Index n, Index i) {
  std::vector<Index> rows(static_cast<size_t>(n - 1));
  for (Index k = 0; k < n - 1; ++k) rows[static_cast<size_t>(k)] = k < i ? k : k + 1;
  return rows;
}

bool EditableSolution::add(const Matrix& b, const Matrix& s, const Vector& y, const Matrix& f,
                           const Matrix& pending, int threads) {
  Matrix all = over(basis, f);
  if (!factor.append(b, s, beside(beside(y, f), pending), threads)) return false;
  basis.swap(all);
  return true;
}

void EditableSolution::remove(Index i) {
  Matrix left = basis(all_but(measured(), i), Eigen::all);
  factor.remove(i);
  basis.swap(left);
}

void EditableSolution::pend(const Matrix& b, const Matrix& with_pending, const Matrix& s, const Matrix& f,
                            int threads) {
  Matrix covariance = over(beside(pending_covariance, with_pending), beside(with_pending.transpose(), s));
  Matrix all = over(pending_basis, f);
  factor.carry(b, threads);
  pending_covariance.swap(covariance);
  pending_basis.swap(all);
}

void EditableSolution::withdraw(Index j) {
  const std::vector<Index> left = all_but(pending(), j);
  Matrix covariance = pending_covariance(left, left), f = pending_basis(left, Eigen::all);
  factor.drop(1 + terms() + j);
  pending_covariance.swap(covariance);
  pending_basis.swap(f);
}

bool EditableSolution::tell(Index j, double y) {
  const std::vector<Index> left = all_but(pending(), j);
  Matrix covariance = pending_covariance(left, left), waiting = pending_basis(left, Eigen::all);
  const Matrix f = pending_basis.row(j), b = factor.halves().row(1 + terms() + j).transpose();
  const Matrix right = beside(beside(Matrix::Constant(1, 1, y), f), pending_covariance.row(j));
  Matrix all = over(basis, f);
  if (!factor.append_half(b, pending_covariance.block(j, j, 1, 1), right)) return false;
  factor.drop(1 + terms() + j);
  basis.swap(all);
  pending_covariance.swap(covariance);
  pending_basis.swap(waiting);
  return true;
}

EditableTrend internal::trend(const EditableSolution& s) {
  EditableTrend t;
  t.kept = independent_columns(s.basis);
  const Matrix f = s.half_basis()(Eigen::all, t.kept);
  const Matrix r = f.cols() ? trend_triangle(f, 0) : Matrix(0, 0);
  std::tie(t.half, t.beta) = trend_weights(f, r, 0, s.half_targets());
  t.log_evidence = -0.5 * (t.half.squaredNorm() + s.factor.log_determinant() +
                           double(s.measured()) * std::log(2 * std::numbers::pi));
  return t;
}

EditableSpread internal::spread(const EditableSolution& s) {
  EditableSpread out;
  out.pending_half = s.half_pending();
  out.corner = s.pending_covariance;
  if (s.pending()) {
    out.corner.noalias() -= out.pending_half.transpose() * out.pending_half;
    if (blas::cholesky(out.corner, 1) != 0 || is_singular(out.corner, s.pending_covariance.diagonal()))
      throw Error(
          Problem::numerical,
          "the covariance of the pending points is singular to rounding: some of them nearly coincide "
          "with each other or with measured ones; withdraw those, or give them noise");
  }
  out.kept = independent_columns(over(s.basis, s.pending_basis));
  const Matrix measured = s.half_basis()(Eigen::all, out.kept);
  Matrix pending = s.pending_basis(Eigen::all, out.kept) - out.pending_half.transpose() * measured;
  out.corner.triangularView<Eigen::Lower>().solveInPlace(pending);
  out.half_basis = over(measured, pending);
  if (out.half_basis.cols()) out.r = trend_triangle(out.half_basis, 0);
  return out;
}

Matrix internal::half(const EditableSolution& s, const EditableSpread& spread, const Matrix& k, int threads) {
  const Index n = s.measured(), q = s.pending();
  Matrix out(n + q, k.cols());
  out.topRows(n) = s.factor.half_solve(k.topRows(n), threads);
  if (q == 0) return out;
  Matrix rest = k.bottomRows(q) - spread.pending_half.transpose() * out.topRows(n);
  spread.corner.triangularView<Eigen::Lower>().solveInPlace(rest);
  out.bottomRows(q) = rest;
  return out;
}

std::pair<Vector, Index> internal::variance(const EditableSpread& s, const Matrix& half, const Vector& prior,
                                            const Matrix& basis) {
  Vector v = remaining_variance(prior, half, trend_part(s.half_basis, s.r, s.kept, half, basis));
  const Index clamped = clamp_variances(v, prior, half.rows());
  return {std::move(v), clamped};
}

Gaussian internal::joint(const EditableSpread& s, Vector mean, const Matrix& half, Matrix prior,
                         const Matrix& basis, const Vector& noise, int threads) {
  const double before = prior.size() ? prior.diagonal().cwiseAbs().maxCoeff() : 0;
  const Matrix u = trend_part(s.half_basis, s.r, s.kept, half, basis);
  return gaussian_difference(std::move(mean), remaining_covariance(std::move(prior), half, u, threads), noise,
                             half.rows() ? rounding_level(half.rows()) * before : 0);
}

Matrix internal::precision(const EditableSolution& s, int threads) {
  Matrix p = s.factor.inverse(threads);
  Matrix half = s.half_basis()(Eigen::all, independent_columns(s.basis));
  if (half.cols() == 0) return p;
  const Matrix r = trend_triangle(half, 0);
  r.triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(half);
  half = s.factor.half_solve_transposed(std::move(half), 1);
  p.noalias() -= half * half.transpose();
  return p;
}

double internal::residual(const EditableSolution& s, const std::vector<Index>& which, const Matrix& columns,
                          const Vector& diagonal, const Vector& y) {
  const Vector sd = diagonal.cwiseSqrt();
  const Matrix off = s.factor.columns(which) - columns;
  double worst = 0;
  for (Index k = 0; k < off.cols(); ++k)
    worst = std::max(worst,
                     off.col(k).cwiseQuotient(sd).cwiseAbs().maxCoeff() / sd[which[static_cast<size_t>(k)]]);
  const double size = s.half_targets().norm();
  const Vector missed = (s.factor.right(0) - y).cwiseQuotient(sd);
  return size > 0 ? std::max(worst, missed.cwiseAbs().maxCoeff() / size) : worst;
}

}  // namespace covary
