#include "covary/solution.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "blas.h"
#include "covary/error.h"
#include "covary/normal.h"
#include "simd/simd.h"
#include "trend.h"

namespace covary {
namespace {

double dot(const Eigen::Ref<const Vector>& a, const Eigen::Ref<const Vector>& b) {
  return simd::loops().dot(a.data(), b.data(), a.size());
}

}  // namespace

std::vector<Index> independent_columns(const Matrix& basis) {
  std::vector<Index> kept;
  Matrix q(basis.rows(), 0);
  for (Index j = 0; j < basis.cols(); ++j) {
    Vector v = basis.col(j);
    const double size = v.norm();
    for (int twice = 0; twice < 2; ++twice) v -= q * (q.transpose() * v).eval();
    if (!(v.norm() > 1e-9 * size) || q.cols() == basis.rows()) continue;
    q.conservativeResize(Eigen::NoChange, q.cols() + 1);
    q.col(q.cols() - 1) = v.normalized();
    kept.push_back(j);
  }
  return kept;
}

Solution solve(Factor factor, const Vector& y, const Matrix& basis, Index proper) {
  Solution s;
  s.proper = proper;
  for (Index i = 0; i < proper; ++i) s.kept.push_back(i);
  for (const Index i : independent_columns(basis.rightCols(basis.cols() - proper)))
    s.kept.push_back(proper + i);
  s.basis = basis(Eigen::all, s.kept);
  s.half_basis = factor.half_solve(s.basis);
  if (s.half_basis.cols()) s.r = trend_triangle(s.half_basis, proper);
  s.factor = std::move(factor);
  std::tie(s.alpha, s.beta) = s.weights(y);
  const Vector residual = y - s.basis * s.beta;
  s.log_evidence = -0.5 * (residual.dot(s.alpha) + s.factor.log_determinant() +
                           double(y.size()) * std::log(2 * std::numbers::pi));
  if (proper)
    s.log_evidence -=
        0.5 * s.beta.head(proper).squaredNorm() + s.r.diagonal().head(proper).array().log().sum();
  return s;
}

double level_gain(const Solution& s, double level) {
  const double norm = (s.half_basis.col(0) + level * s.half_basis.col(1)).stableNorm();
  return std::log(s.r(0, 0)) - std::log(std::hypot(norm, 1.0));
}

std::pair<Vector, Vector> Solution::half_weights(const Vector& y) const {
  return trend_weights(half_basis, r, proper, factor.half_solve(y));
}

std::pair<Vector, Vector> Solution::weights(const Vector& y) const {
  auto [half, coefficients] = half_weights(y);
  return {factor.half_solve_transposed(half), std::move(coefficients)};
}

Vector predict_mean(const Solution& s, const Matrix& k, const Matrix& basis) {
  Vector mean(k.cols());
  for (Index j = 0; j < k.cols(); ++j) {
    mean[j] = dot(k.col(j), s.alpha);
    for (size_t i = 0; i < s.kept.size(); ++i) mean[j] += basis(j, s.kept[i]) * s.beta[Index(i)];
  }
  return mean;
}

Marginals predict(const Solution& s, const Matrix& k, const Vector& prior, const Matrix& basis) {
  const Matrix half = s.factor.half_solve(k);
  const Matrix u = trend_part(s.half_basis, s.r, s.kept, half, basis);
  Marginals out{predict_mean(s, k, basis), remaining_variance(prior, half, u), 0};
  out.clamped = clamp_variances(out.variance, prior, k.rows());
  return out;
}

Gaussian gaussian_difference(Vector mean, Matrix covariance, const Vector& noise, double rounding) {
  covariance.diagonal() += noise;
  return {std::move(mean), std::move(covariance), rounding};
}

Gaussian predict_joint(const Solution& s, const Matrix& k, Matrix prior, const Matrix& basis,
                       const Vector& known, const Vector& noise, int threads) {
  const double before = prior.size() ? prior.diagonal().cwiseAbs().maxCoeff() : 0;
  const Matrix half = s.factor.half_solve(k, threads);
  const Matrix u = trend_part(s.half_basis, s.r, s.kept, half, basis);
  return gaussian_difference(predict_mean(s, k, basis) + known,
                             remaining_covariance(std::move(prior), half, u, threads), noise,
                             s.factor.size() ? rounding_level(k.rows()) * before : 0);
}

LeaveOneOut scored(Vector mean, Vector variance, const Vector& y, double freedom) {
  LeaveOneOut out;
  const Eigen::ArrayXd off = (y - mean).array(), v = variance.array();
  out.rmse = std::sqrt(off.square().mean());
  out.nlpd = 0.5 * ((2 * std::numbers::pi * v).log() + off.square() / v).mean();
  if (!std::isinf(freedom))
    out.nlpd = (0.5 * v.log() - (off / v.sqrt()).unaryExpr([freedom](double t) {
                 return student_log_density(t, freedom);
               })).mean();
  out.freedom = freedom;
  out.mean = std::move(mean);
  out.variance = std::move(variance);
  return out;
}

namespace {

/// P y and diag P, as leave-one-out needs them: each entry to its own accuracy. 0 where the others cannot
/// tell the trend.
struct Projected {
  Vector alpha, c;
};

Projected project(const Solution& s, const Vector& y, int threads) {
  Projected out{s.alpha, s.factor.inverse_diagonal(threads)};
  const Index p = s.half_basis.cols();
  if (!p) return out;
  const Vector whole = out.c;  // diag P = diag K^-1 - squared rows of K^-1 F R^-1
  const Matrix w = s.factor.half_solve_transposed(s.half_basis);
  const Matrix q = s.r.transpose().triangularView<Eigen::Lower>().solve(w.transpose());
  out.c -= q.colwise().squaredNorm().transpose();
  const auto [half, beta] = s.half_weights(y);
  for (Index i = 0; i < out.c.size(); ++i) {
    if (out.c[i] > 1e-3 * whole[i]) continue;
    // Most of it cancels: P_ij is the product of the residuals of L^-1 e_i and L^-1 e_j, priors included.
    const auto [own, g] = s.half_weights(Vector::Unit(out.c.size(), i));
    out.c[i] = own.squaredNorm() + g.head(s.proper).squaredNorm();
    out.alpha[i] = own.dot(half) + g.head(s.proper).dot(beta.head(s.proper));
    if (p > s.proper && out.c[i] <= 1e-18 * whole[i]) out.c[i] = 0;
  }
  return out;
}

}  // namespace

LeaveOneOut leave_one_out(const Solution& s, const Merged& data, const Vector& y, const Vector& variances,
                          int threads) {
  const auto [alpha, c] = project(s, data.y, threads);
  Vector mean(y.size()), variance(y.size());
  for (Index i = 0; i < y.size(); ++i) {
    const Index g = data.group[static_cast<size_t>(i)];
    const bool needed = c[g] <= 0;  // without it there is no trend
    const double unknown = std::numeric_limits<double>::infinity();
    const double group_variance = needed ? unknown : 1 / c[g];  // of the group from all other groups
    const double group_mean = needed ? data.y[g] : data.y[g] - alpha[g] / c[g];
    const double v = variances[i], own = data.noise[g];
    if (data.repeats[g] == 1 ||
        own == 0) {  // repeats without noise are left out together: each tells the others
      mean[i] = needed ? std::numeric_limits<double>::quiet_NaN() : group_mean;
      variance[i] = group_variance + (own == 0 ? v : 0);
      continue;
    }
    // f here from the other groups, N(group_mean, spread), then from the rest of its own group
    const double spread = std::max(0.0, group_variance - own);
    const double rest_precision = 1 / own - 1 / v;
    const double rest_mean = (data.y[g] / own - y[i] / v) / rest_precision;
    const double gain = 1 / (1 + 1 / (rest_precision * spread));  // 1 if the others cannot tell
    mean[i] = group_mean + gain * (rest_mean - group_mean);
    variance[i] = gain / rest_precision + v;
  }
  return scored(std::move(mean), std::move(variance), y);
}

}  // namespace covary
