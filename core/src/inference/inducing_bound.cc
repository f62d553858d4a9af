#include "covary/inference/inducing_bound.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "algebra/blas.h"
#include "base/constants.h"
#include "covary/base/error.h"
#include "covary/base/parallel.h"
#include "covary/base/runtime.h"
#include "process/gls.h"

namespace covary::internal {
using namespace internal;
namespace {

constexpr Index block_rows = 512;       // of the data at a time: k(Z, X_r) stays near the processor
constexpr double usual_jitter = 1e-10;  // of the mean variance of the inducing points

/// fn(run, block) for blocks of rows, run after run across threads. How many runs there are depends on n
/// alone, so that sums by run have the same bits whatever the threads.
Index runs_of(Index n) { return std::clamp<Index>(n / (4 * block_rows), 1, 8); }
void for_row_blocks(Index n, int threads, const std::function<void(Index, Range)>& fn) {
  const Index runs = runs_of(n), blocks = (n + block_rows - 1) / block_rows;
  parallel_for(runs, threads, [&](Index k) {
    for (Index i = k * blocks / runs; i < (k + 1) * blocks / runs; ++i)
      fn(k, {i * block_rows, std::min(block_rows, n - i * block_rows)});
  });
}

/// K + jitter = L L', with as little jitter as makes it positive definite. False if 1e-6 is not enough.
bool factor_inducing(const Matrix& k, Matrix& l, double& relative) {
  if (k.rows() == 0 || !k.allFinite()) return false;
  const double mean = k.diagonal().mean();
  for (relative = usual_jitter; relative <= 1.0001e-6; relative *= 10) {
    l = k;
    l.diagonal().array() += relative * mean;
    if (blas::cholesky(l, 1) == 0) return true;
  }
  return false;
}

/// What a pass over the rows adds up, with A~ = A S^-1/2 and T~ = S^-1/2 [y F]:
struct Sums {
  Matrix b;        // m x m lower: A~ A~'
  Matrix targets;  // m x (1 + p): A~ T~
  Matrix squares;  // (1 + p)^2: T~'T~
  double shortfall = 0, log_noise = 0;
};

Sums summed(const LowRank& k, const Matrix& l, const Vector& y, const Vector& noise, const Matrix& f,
            int threads) {
  const Index m = k.points, c = 1 + f.cols();
  const Sums zero{Matrix::Zero(m, m), Matrix::Zero(m, c), Matrix::Zero(c, c)};
  std::vector<Sums> run(static_cast<size_t>(runs_of(k.size)), zero);
  for_row_blocks(k.size, threads, [&](Index which, Range r) {
    Sums& sum = run[static_cast<size_t>(which)];
    const Vector s = noise.segment(r.first, r.count), weight = s.cwiseSqrt().cwiseInverse();
    Matrix a = k.cross(r), t(r.count, c);
    blas::solve_lower(l, a, 1);
    a *= weight.asDiagonal();
    t << y.segment(r.first, r.count), f.middleRows(r.first, r.count);
    t = (weight.asDiagonal() * t).eval();
    sum.shortfall += (k.diagonal(r).array() / s.array()).sum() - a.squaredNorm();
    sum.log_noise += s.array().log().sum();
    blas::rank_update(1, a, 1, sum.b, 1);
    blas::multiply(1, a, t, 1, sum.targets, 1);
    sum.squares += t.transpose() * t;
  });
  Sums out = std::move(run[0]);
  for (size_t i = 1; i < run.size(); ++i) {
    out.b += run[i].b, out.targets += run[i].targets, out.squares += run[i].squares;
    out.shortfall += run[i].shortfall, out.log_noise += run[i].log_noise;
  }
  return out;
}

Matrix solved_lower(const Rows& l, Matrix b) {
  blas::solve_lower(l, b, 1);
  return b;
}
Matrix solved_upper(const Rows& l, Matrix b) {
  blas::solve_lower_transposed(l, b, 1);
  return b;
}

}  // namespace

std::optional<InducingSolution> solve_inducing(const LowRank& k, const Vector& y, const Vector& noise,
                                               const Matrix& basis, int threads) {
  InducingSolution out;
  out.kept = independent_columns(basis);
  const Index m = k.points, p = std::ssize(out.kept);
  check_memory(8.0 * double(m) * (double(runs_of(k.size) + 4) * double(m) + 2.0 * block_rows),
               fmt::format("{} inducing points", m));
  double relative = 0;
  const Matrix kmm = k.inducing();
  Matrix l;
  if (!factor_inducing(kmm, l, relative)) return {};
  out.jitter = relative > usual_jitter ? relative * kmm.diagonal().mean() : 0;
  Sums s = summed(k, l, y, noise, basis(Eigen::all, out.kept), threads);
  Matrix& lb = s.b;
  lb.diagonal().array() += 1;
  if (!lb.diagonal().allFinite() || blas::cholesky(lb, 1) != 0) return {};
  // Generalized least squares under Q + S, whose inverse is S^-1 - S^-1 A'B^-1 A S^-1 (Woodbury).
  const Matrix half = solved_lower(lb, s.targets);
  out.half_targets = half.col(0), out.half_basis = half.rightCols(p);
  const Matrix left = s.squares - half.transpose() * half;
  out.r = left.bottomRightCorner(p, p);
  if (p && blas::cholesky(out.r, 1) != 0) return {};
  out.r = Matrix(out.r.triangularView<Eigen::Lower>()).transpose();
  Vector rhs = left.col(0).tail(p);
  if (p) out.r.transpose().triangularView<Eigen::Lower>().solveInPlace(rhs);
  out.misfit = left(0, 0) - rhs.squaredNorm();
  out.beta = rhs;
  if (p) out.r.triangularView<Eigen::Upper>().solveInPlace(out.beta);
  out.w = solved_upper(lb, out.half_targets - out.half_basis * out.beta);
  out.alpha = solved_upper(l, out.w);
  out.shortfall = s.shortfall;
  const double log_determinant = 2 * lb.diagonal().array().log().sum() + s.log_noise;
  out.bound = -0.5 * (out.misfit + log_determinant + double(k.size) * log_two_pi + out.shortfall);
  out.of_inducing = Factor::of(l), out.of_rows = Factor::of(lb);
  return out;
}

/// With v = (Q + S)^-1 (y - F beta), h = L'^-1 w and T the trace of the shortfall:
///
///   dL/dk(Z, X) = h v' + L'^-1 (I - B^-1) L^-1 k(Z, X) S^-1              m x n
///   dL/dk(Z, Z) = -1/2 L'^-1 (w w' + B - 2 I + B^-1) L^-1                m x m
///   dL/dk_ii    = -1/2 / s_i
///   dL/dlog s   = 1/2 (v'S v - n + m - tr B^-1 + T)                      s a common factor of the noise
///
/// and through these the slopes in theta and in Z. 2 n m^2 flops for the value, as many again for the slopes.
BoundSlopes inducing_bound(const LowRank& k, const Vector& y, const Vector& noise, const Matrix& basis,
                           bool slopes, int threads) {
  BoundSlopes out;
  const std::optional<InducingSolution> s = solve_inducing(k, y, noise, basis, threads);
  if (!s || !std::isfinite(s->bound)) return out;
  out.value = s->bound, out.misfit = s->misfit;
  if (!slopes) return out;
  const Index m = k.points, n = k.size;
  const Vector residual = y - basis(Eigen::all, s->kept) * s->beta, h = s->alpha;
  Matrix inverse = s->of_rows.lower_copy();  // B^-1
  blas::inverse_from_cholesky(inverse, 1);
  inverse.triangularView<Eigen::StrictlyUpper>() = inverse.transpose();
  const Matrix l_inverse = s->of_inducing.half_inverse();
  const auto between = [&](const Matrix& c) -> Matrix {  // L'^-1 C L^-1
    Matrix half(m, m), all(m, m);
    blas::multiply(1, c, l_inverse, 0, half, 1);
    blas::multiply_transposed(1, l_inverse, half, 0, all, 1);
    return all;
  };
  const Matrix weights = between(Matrix::Identity(m, m) - inverse);

  struct Part {
    Vector kernel;
    Matrix inputs;
    double squares = 0;
  };
  const auto add = [](auto& sum, auto term) {
    if (sum.size())
      sum += term;
    else
      sum = std::move(term);
  };
  std::vector<Part> run(static_cast<size_t>(runs_of(n)));
  for_row_blocks(n, threads, [&](Index which, Range r) {
    Part& part = run[static_cast<size_t>(which)];
    const Vector reciprocal = noise.segment(r.first, r.count).cwiseInverse();
    const Matrix u = k.cross(r);
    const Vector v = reciprocal.cwiseProduct(residual.segment(r.first, r.count) - u.transpose() * h);
    Matrix w(m, r.count);
    blas::multiply(1, weights, u, 0, w, 1);
    w *= reciprocal.asDiagonal();
    w += h * v.transpose();
    add(part.kernel, Vector(k.pullback_cross(r, w) + k.pullback_diagonal(r, -0.5 * reciprocal)));
    if (k.inputs_cross) add(part.inputs, k.inputs_cross(r, w));
    part.squares += (v.array().square() / reciprocal.array()).sum();
  });
  double squares = 0;
  for (const Part& part : run) {
    add(out.kernel, part.kernel);
    add(out.inputs, part.inputs);
    squares += part.squares;
  }
  Matrix b(m, m);  // B, from its factor
  b.setZero();
  const Matrix lower = s->of_rows.lower_copy();
  blas::multiply(1, lower, lower.transpose().eval(), 0, b, 1);
  Matrix c = s->w * s->w.transpose() + b + inverse;
  c.diagonal().array() -= 2;
  Matrix of_inducing = -0.5 * between(c);
  const double jitter = s->jitter > 0 ? s->jitter / k.inducing().diagonal().mean() : usual_jitter;
  of_inducing.diagonal().array() += jitter * of_inducing.trace() / double(m);
  out.kernel += k.pullback_inducing(of_inducing);
  if (k.inputs_inducing) out.inputs += k.inputs_inducing(of_inducing);
  out.log_noise = 0.5 * (squares - double(n) + double(m) - inverse.trace() + s->shortfall);
  return out;
}

Vector predict_mean(const InducingSolution& s, const Matrix& cross, const Matrix& basis) {
  Vector mean(cross.cols());  // one column at a time: the bits do not depend on how many there are
  for (Index j = 0; j < cross.cols(); ++j) {
    mean[j] = dot(cross.col(j), s.alpha);
    for (size_t i = 0; i < s.kept.size(); ++i) mean[j] += basis(j, s.kept[i]) * s.beta[Index(i)];
  }
  return mean;
}

namespace {

/// What is known at some points: a = L^-1 k(Z, at), and what adds to the variance again, c = L_B^-1 a over
/// u of the trend: (m + p) x q.
struct Projections {
  Matrix a, c;
};

Projections projected(const InducingSolution& s, const Matrix& cross, const Matrix& basis, int threads = 1) {
  Matrix a = s.of_inducing.half_solve(cross, threads), c = s.of_rows.half_solve(a, threads);
  const Matrix u = trend_part(s.half_basis, s.r, s.kept, c, basis);
  Matrix both(c.rows() + u.rows(), c.cols());
  both << c, u;
  return {std::move(a), std::move(both)};
}

}  // namespace

Marginals predict(const InducingSolution& s, const Matrix& cross, const Vector& prior, const Matrix& basis) {
  const auto [a, c] = projected(s, cross, basis);
  Marginals out{predict_mean(s, cross, basis), remaining_variance(prior, a, c), 0};
  for (Index i = 0; i < prior.size(); ++i)
    if (out.variance[i] < usual_jitter * prior[i]) out.variance[i] = usual_jitter * prior[i], ++out.clamped;
  return out;
}

Gaussian predict_joint(const InducingSolution& s, const Matrix& cross, Matrix prior, const Matrix& basis,
                       const Vector& known, int threads) {
  const double before = prior.size() ? prior.diagonal().cwiseAbs().maxCoeff() : 0;
  const auto [a, c] = projected(s, cross, basis, threads);
  return gaussian_difference(predict_mean(s, cross, basis) + known,
                             remaining_covariance(std::move(prior), a, c, threads),
                             Vector::Zero(known.size()), usual_jitter * before);
}

/// (Q + S)^-1 less what the trend takes has the diagonal (1 - (|c_i|^2 + |u_i|^2)/s_i)/s_i, with
/// u_i = R'^-1 (f_i - half_basis' c_i); what Q misses of the variance there is added.
LeaveOneOut leave_one_out(const InducingSolution& s, const LowRank& k, const MergedRows& merged,
                          const Matrix& basis, const Vector& y, const Vector& variances, int threads) {
  const Index n = k.size;
  Vector means(n), precision(n), missing(n);
  for_blocks(n, threads, [&](Range r) {
    const Matrix cross = k.cross(r), f = basis.middleRows(r.first, r.count);
    const auto [a, c] = projected(s, cross, f);
    const Vector y_here = merged.y.segment(r.first, r.count), noise = merged.noise.segment(r.first, r.count);
    const Vector share = 1 - c.colwise().squaredNorm().transpose().array() / noise.array();
    precision.segment(r.first, r.count) = share.cwiseQuotient(noise);
    means.segment(r.first, r.count) = y_here - (y_here - predict_mean(s, cross, f)).cwiseQuotient(share);
    missing.segment(r.first, r.count) = (k.diagonal(r) - a.colwise().squaredNorm().transpose()).cwiseMax(0);
  });
  LeaveOneOut out = left_out(means, precision, merged, y, variances);
  for (Index i = 0; i < y.size(); ++i) out.variance[i] += missing[merged.group[static_cast<size_t>(i)]];
  return scored(std::move(out.mean), std::move(out.variance), y);
}

void check_inducing_noise(const Vector& variances) {
  if ((variances.array() > 0).all()) return;
  throw Error(
      Problem::usage,
      "inference inducing: the noise must be above 0 for every row; use exact() for noise-free observations");
}

void inducing_failed(Index points) {
  throw Error(Problem::numerical,
              fmt::format("the covariance of the {} inducing points has no factor: the kernel gives values "
                          "that are not finite, or is not positive semi-definite",
                          points));
}

}  // namespace covary::internal
