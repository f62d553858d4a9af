#include "process/gls.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "algebra/blas.h"
#include "algebra/decompositions.h"
#include "base/simd/simd.h"
#include "covary/base/error.h"

namespace covary {

double dot(const Eigen::Ref<const Vector>& a, const Eigen::Ref<const Vector>& b) {
  return simd::loops().dot(a.data(), b.data(), a.size());
}

Matrix trend_triangle(const Matrix& half_basis, Index proper) {
  const Index n = half_basis.rows(), p = half_basis.cols();
  Matrix rows = Matrix::Zero(n + proper, p);
  rows.topRows(n) = half_basis;
  rows.bottomLeftCorner(proper, proper).setIdentity();
  Matrix r = Reflections(rows).r();
  for (Index i = 0; i < p; ++i)
    if (r(i, i) < 0) r.row(i) *= -1;
  return r;
}

std::pair<Vector, Vector> trend_weights(const Matrix& half_basis, const Matrix& r, Index proper,
                                        Vector half) {
  Vector coefficients(0);
  if (half_basis.cols()) {  // semi-normal equations, with one step of refinement
    const auto upper = r.triangularView<Eigen::Upper>();
    const auto gls = [&](const Vector& h, const Vector& prior) -> Vector {
      Vector g = half_basis.transpose() * h;
      g.head(proper) += prior;
      return upper.solve(r.transpose().triangularView<Eigen::Lower>().solve(g));
    };
    coefficients = gls(half, Vector::Zero(proper));
    coefficients += gls(half - half_basis * coefficients, -coefficients.head(proper));
    half -= half_basis * coefficients;
  }
  return {std::move(half), std::move(coefficients)};
}

Matrix trend_part(const Matrix& half_basis, const Matrix& r, const std::vector<Index>& kept,
                  const Matrix& half, const Matrix& basis) {
  const Index p = half_basis.cols();
  Matrix u(p, half.cols());
  for (Index j = 0; j < half.cols(); ++j)
    for (Index i = 0; i < p; ++i) {
      double v = basis(j, kept[static_cast<size_t>(i)]) - dot(half_basis.col(i), half.col(j));
      for (Index k = 0; k < i; ++k) v -= r(k, i) * u(k, j);
      u(i, j) = v / r(i, i);
    }
  return u;
}

Matrix trend_part_of(const Matrix& r, const std::vector<Index>& kept, const Matrix& projections,
                     const Matrix& basis) {
  if (kept.empty()) return Matrix(0, projections.cols());
  const Matrix off = basis(Eigen::all, kept).transpose() - projections;
  return r.transpose().triangularView<Eigen::Lower>().solve(off);
}

Matrix remaining_covariance(Matrix prior, const Matrix& half, const Matrix& u, int threads) {
  if (half.rows()) blas::multiply_transposed(-1, half, half, 1, prior, threads);
  if (u.rows()) prior += u.transpose() * u;
  return 0.5 * (prior + prior.transpose());
}

Vector remaining_variance(Vector prior, const Matrix& half, const Matrix& u) {
  for (Index j = 0; j < half.cols(); ++j) {
    prior[j] -= dot(half.col(j), half.col(j));
    for (Index i = 0; i < u.rows(); ++i) prior[j] += u(i, j) * u(i, j);
  }
  return prior;
}

double rounding_level(Index n) { return 8 * double(n + 8) * std::numeric_limits<double>::epsilon(); }

Index clamp_variances(Vector& variance, const Vector& prior, Index n) {
  const double level = rounding_level(n);
  Index clamped = 0;
  for (Index i = 0; i < variance.size(); ++i) {
    if (variance[i] > level * prior[i]) continue;
    if (variance[i] < -1e-2 * std::abs(prior[i]))
      throw Error(Problem::numerical,
                  fmt::format("a predicted variance is {:.3g}: the kernel is not positive semi-definite",
                              variance[i]));
    variance[i] = 0;
    ++clamped;
  }
  return clamped;
}

}  // namespace covary
