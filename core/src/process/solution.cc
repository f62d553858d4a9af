#include "covary/process/solution.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "algebra/blas.h"
#include "base/constants.h"
#include "base/simd/simd.h"
#include "covary/algebra/remote.h"
#include "covary/base/error.h"
#include "covary/gaussian/univariate.h"
#include "covary/predictive/score.h"
#include "process/gls.h"

namespace covary {
using namespace internal;
std::vector<Index> internal::independent_columns(const Matrix& basis) {
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

Solution internal::solve(Factor factor, const Vector& y, const Matrix& basis, Index proper) {
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

double internal::level_gain(const Solution& s, double level) {
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

Vector internal::predict_mean(const Solution& s, const Matrix& k, const Matrix& basis) {
  Vector mean(k.cols());
  for (Index j = 0; j < k.cols(); ++j) {
    mean[j] = dot(k.col(j), s.alpha);
    for (size_t i = 0; i < s.kept.size(); ++i) mean[j] += basis(j, s.kept[i]) * s.beta[Index(i)];
  }
  return mean;
}

namespace {

/// Points whose variance may be near its rounding, by |w|^2 <= |L^-1 k|^2 |K^-1| for w = K^-1 k; `squares`: |L^-1 k|^2.
std::vector<Index> near_rounding(const Factor& factor, const Vector& squares, const Vector& variance) {
  constexpr double underestimated = 3;  // as the condition may be
  const Conditioning& c = factor.conditioning();
  const Vector pivots = factor.pivots();
  const double largest = pivots.maxCoeff();  // of diag K, at least
  const double inverse = std::max(1 / (c.reciprocal_condition * largest), 1 / pivots.minCoeff());
  std::vector<Index> out;
  for (Index j = 0; j < squares.size(); ++j) {
    const double w = underestimated * inverse * squares[j];
    if (!((4 * eps * largest + c.jitter) * (1 + w) <= 0.1 * variance[j])) out.push_back(j);
  }
  return out;
}

/// Whether x has the same value of f as a point i observed without noise: k(x, x_i) = k(x, x) = k(x_i, x_i).
bool is_observed(const Eigen::Ref<const Vector>& k, double prior, const Vector& diagonal, double jitter) {
  for (Index i = 0; i < k.size(); ++i)
    if (k[i] == prior && std::abs(diagonal[i] - jitter - prior) <= 8 * eps * prior) return true;
  return false;
}

/// An error dK of the covariances, or jitter on their diagonal, moves k(x,x) - k'K^-1 k by w'dK w, w = K^-1
/// k:
///   rounding = (4 eps max_i K_ii + jitter) (1 + |w|^2)
/// A variance below ten times that is counted, and none is left below it: but 0 where x was observed without
/// noise. Up to a power of two, so that the last bits of w do not show. Throws Problem::numerical for a
/// variance that is far below 0. n^2 flops for each point near its rounding.
Index settle_roundings(const Factor& factor, const Matrix& k, const Matrix& half, const Vector& prior,
                       Vector& variance) {
  const std::vector<Index> near = near_rounding(factor, half.colwise().squaredNorm(), variance);
  if (near.empty()) return 0;
  const Matrix w = factor.half_solve_transposed(half(Eigen::all, near));
  const Vector diagonal = factor.diagonal();
  const double jitter = factor.conditioning().jitter, unit = 4 * eps * diagonal.maxCoeff() + jitter;
  Index counted = 0;
  for (Index i = 0; i < w.cols(); ++i) {
    const Index j = near[static_cast<size_t>(i)];
    const double rounding = std::exp2(std::ceil(std::log2(unit * (1 + w.col(i).squaredNorm()))));
    if (rounding <= 0.1 * variance[j]) continue;
    if (variance[j] < -1e-2 * std::abs(prior[j]) - rounding)
      throw Error(Problem::numerical,
                  fmt::format("a predicted variance is {:.3g}: the kernel is not positive semi-definite",
                              variance[j]));
    const bool observed = is_observed(k.col(j), prior[j], diagonal, jitter);
    variance[j] = observed ? 0 : std::max(variance[j], rounding);
    ++counted;
  }
  return counted;
}

}  // namespace

Marginals internal::predict(const Solution& s, const Matrix& k, const Vector& prior, const Matrix& basis) {
  const Matrix half = s.factor.half_solve(k);
  const Matrix u = trend_part(s.half_basis, s.r, s.kept, half, basis);
  Marginals out{predict_mean(s, k, basis), remaining_variance(prior, half, u), 0};
  if (k.rows() > 0) out.clamped = settle_roundings(s.factor, k, half, prior, out.variance);
  return out;
}

/// beta'f* for the columns of the basis that are kept, m.
static Vector trend_at(const Solution& s, const Matrix& basis) {
  Vector out = Vector::Zero(basis.rows());
  for (size_t i = 0; i < s.kept.size(); ++i) out += basis.col(s.kept[i]) * s.beta[Index(i)];
  return out;
}

Marginals internal::predict_remote(const Solution& s, const Matrix& points, const Vector& prior,
                                   const Matrix& basis,
                                   const std::function<Matrix(const std::vector<Index>&)>& columns) {
  const HalfCross h = s.factor.remote()->half_cross(points, s.alpha, s.half_basis, false);
  const Matrix u = trend_part_of(s.r, s.kept, h.trend, basis);
  Marginals out{h.mean + trend_at(s, basis), prior - h.squares, 0};
  if (u.rows()) out.variance += u.colwise().squaredNorm().transpose();
  const std::vector<Index> near = near_rounding(s.factor, h.squares, out.variance);
  if (near.empty()) return out;
  const Marginals settled = predict(s, columns(near), prior(near), basis(near, Eigen::all));
  out.variance(near) = settled.variance;
  out.clamped = settled.clamped;
  return out;
}

Gaussian internal::predict_joint_remote(const Solution& s, const Matrix& points, Matrix prior,
                                        const Matrix& basis, const Vector& known) {
  const double before = prior.size() ? prior.diagonal().cwiseAbs().maxCoeff() : 0;
  const HalfCross h = s.factor.remote()->half_cross(points, s.alpha, s.half_basis, true);
  const Matrix u = trend_part_of(s.r, s.kept, h.trend, basis);
  prior -= h.gram;
  if (u.rows()) prior += u.transpose() * u;
  return gaussian_difference(h.mean + trend_at(s, basis) + known, 0.5 * (prior + prior.transpose()),
                             Vector::Zero(points.rows()), rounding_level(s.factor.size()) * before);
}

Gaussian internal::gaussian_difference(Vector mean, Matrix covariance, const Vector& noise, double rounding) {
  covariance.diagonal() += noise;
  return {std::move(mean), std::move(covariance), rounding};
}

Gaussian internal::predict_joint(const Solution& s, const Matrix& k, Matrix prior, const Matrix& basis,
                                 const Vector& known, int threads) {
  const double before = prior.size() ? prior.diagonal().cwiseAbs().maxCoeff() : 0;
  const Matrix half = s.factor.half_solve(k, threads);
  const Matrix u = trend_part(s.half_basis, s.r, s.kept, half, basis);
  return gaussian_difference(predict_mean(s, k, basis) + known,
                             remaining_covariance(std::move(prior), half, u, threads), Vector::Zero(k.cols()),
                             s.factor.size() ? rounding_level(k.rows()) * before : 0);
}

LeaveOneOut internal::scored(Vector mean, Vector variance, const Vector& y, double freedom) {
  LeaveOneOut out;
  const Eigen::ArrayXd off = (y - mean).array(), v = variance.array();
  out.rmse = root_mean_square(off);
  out.nlpd = 0.5 * ((2 * std::numbers::pi * v).log() + (off / v.sqrt()).square()).mean();
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

/// The entry that is a million times as large as all others, or -1.
static Index wildest(const Vector& y) {
  Index at = -1;
  const double most = y.size() > 1 ? y.cwiseAbs().maxCoeff(&at) : 0;
  for (Index i = 0; i < y.size(); ++i)
    if (i != at && !(1e6 * std::abs(y[i]) < most)) return -1;
  return at;
}

LeaveOneOut internal::leave_one_out(const Solution& s, const MergedRows& data, const Vector& y,
                                    const Vector& variances, int threads) {
  const auto [alpha, c] = project(s, data.y, threads);
  Vector means = data.y - (c.array() > 0).select(alpha.cwiseQuotient(c), 0);
  if (const Index g = wildest(data.y); g >= 0 && c[g] > 0) {
    Vector tame = data.y;  // it does not depend on y_g: once more from a y_g of its size, without cancelling
    tame[g] = means[g];
    means[g] -= s.weights(tame).first[g] / c[g];
  }
  return left_out(means, c, data, y, variances);
}

LeaveOneOut left_out(const Vector& means, const Vector& c, const MergedRows& data, const Vector& y,
                     const Vector& variances) {
  Vector mean(y.size()), variance(y.size());
  for (Index i = 0; i < y.size(); ++i) {
    const Index g = data.group[static_cast<size_t>(i)];
    const bool needed = c[g] <= 0;  // without it there is no trend
    const double unknown = std::numeric_limits<double>::infinity();
    const double group_variance = needed ? unknown : 1 / c[g];  // of the group from all other groups
    const double group_mean = means[g];
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
