#include "covary/evidence.h"

#include <cmath>
#include <numbers>

#include "blas.h"
#include "covary/machine.h"
#include "decompositions.h"
#include "tiles.h"

namespace covary {
namespace {

/// What is known once K is factored: L in `work`, the trend's part of L^-1, and the weights.
struct Solved {
  Vector alpha;       // K^-1 (y - F beta)
  Matrix half_basis;  // L^-1 F, orthonormal columns: P = K^-1 - L'^-1 Q Q' L^-1
  double misfit = 0;  // (y - F beta)' alpha
};

Solved solve_weights(const Matrix& l, const Target& t, int threads) {
  const Matrix f = t.basis(Eigen::all, independent_columns(t.basis));
  Matrix both(l.rows(), 1 + f.cols());
  both << t.data.y, f;
  blas::solve_lower(l, both, threads);
  Solved w;
  Vector half = both.col(0);
  if (f.cols()) {
    w.half_basis = Reflections(both.rightCols(f.cols())).q();
    for (int twice = 0; twice < 2; ++twice) half -= w.half_basis * (w.half_basis.transpose() * half).eval();
  }
  w.misfit = half.squaredNorm();
  blas::solve_lower_transposed(l, half, threads);
  w.alpha = std::move(half);
  return w;
}

/// Gradient for a symmetric G: the kernel's parameters by tiles, then log noise if it is learned.
Vector contract(const Gram& gram, const std::function<Matrix(Range, Range)>& weights, const Vector& diagonal,
                const Vector& noise, bool learn_noise, int threads) {
  const Vector kernel = pullback_lower(gram, weights, threads);
  return learn_noise ? concat(kernel, Vector::Constant(1, diagonal.dot(noise))) : kernel;
}

void evidence_gradient(Evaluation& out, const Gram& gram, const Target& t, double variance,
                       const Vector& noise, const Solved& w, Matrix& work, int threads) {
  blas::inverse_from_cholesky(work, threads);
  const Vector diagonal = 0.5 * (w.alpha.array().square() - work.diagonal().array());
  out.gradient = contract(
      gram,
      [&](Range r, Range c) -> Matrix {
        Matrix g = symmetric_tile(work, r, c);
        g = 0.5 * (w.alpha.segment(r.first, r.count) * w.alpha.segment(c.first, c.count).transpose() - g);
        return g;
      },
      diagonal, noise, t.learn_noise, threads);
  if (t.learn_noise)
    out.gradient.tail(1).array() += 0.5 * (t.data.within / variance - double(t.data.merged()));
}

/// L_loo = sum 1/2 log c_i - 1/2 alpha_i^2/c_i - 1/2 log 2 pi, c = diag P. Gradient: (alpha v' + v alpha')/2
/// - P D P, v = P (alpha/c), D = diag((1/c + alpha^2/c^2)/2).
void leave_one_out(Evaluation& out, const Gram& gram, const Target& t, const Vector& noise, const Solved& w,
                   bool gradient, Matrix& work, int threads) {
  Matrix q = w.half_basis;
  if (q.cols()) blas::solve_lower_transposed(work, q, threads);
  blas::inverse_from_cholesky(work, threads);
  if (q.cols()) blas::rank_update(-1, q, 1, work, threads);  // lower triangle of P
  const Eigen::ArrayXd c = work.diagonal().array(), a = w.alpha.array();
  if (!(c > 0).all()) return;
  out.value = 0.5 * (c.log() - a.square() / c - std::log(2 * std::numbers::pi)).sum();
  if (!gradient) return;
  const Matrix full = work.selfadjointView<Eigen::Lower>();
  const Vector v = full * (a / c).matrix();
  const Vector root = (0.5 * (1 / c + a.square() / c.square())).sqrt();
  Matrix pdp(work.rows(), work.rows());
  blas::rank_update(1, full * root.asDiagonal(), 0, pdp, threads);
  out.gradient = contract(
      gram,
      [&](Range r, Range k) -> Matrix {
        const auto ar = w.alpha.segment(r.first, r.count), ak = w.alpha.segment(k.first, k.count);
        const auto vr = v.segment(r.first, r.count), vk = v.segment(k.first, k.count);
        return 0.5 * (ar * vk.transpose() + vr * ak.transpose()) - symmetric_tile(pdp, r, k);
      },
      w.alpha.cwiseProduct(v) - pdp.diagonal(), noise, t.learn_noise, threads);
}

}  // namespace

Evaluation evaluate(const Gram& gram, const Target& t, double variance, Objective objective, bool gradient,
                    Matrix& work, int threads) {
  const Index n = gram.size;
  if (work.rows() != n) {
    check_memory(8.0 * double(n) * double(n), "the covariance matrix of " + std::to_string(n) + " rows");
    work.resize(n, n);
  }
  fill_lower(gram, work, threads);
  const Vector noise = t.learn_noise ? Vector(variance * t.data.noise) : t.data.noise;
  work.diagonal() += noise;
  const Vector diagonal = work.diagonal();
  Evaluation out;
  if (!diagonal.allFinite() || blas::cholesky(work, threads) != 0 || is_singular(work, diagonal)) return out;
  const double log_determinant = 2 * work.diagonal().array().log().sum();
  const Solved w = solve_weights(work, t, threads);
  if (objective == Objective::leave_one_out) {
    leave_one_out(out, gram, t, noise, w, gradient, work, threads);
  } else {
    out.value = -0.5 * (w.misfit + log_determinant + double(n) * std::log(2 * std::numbers::pi)) +
                (t.learn_noise ? t.data.constant_at(variance) : t.data.constant);
    out.misfit = w.misfit + (t.learn_noise ? t.data.within / variance : 0);
    if (gradient) evidence_gradient(out, gram, t, variance, noise, w, work, threads);
  }
  if (!std::isfinite(out.value) || !out.gradient.allFinite()) out = {};
  return out;
}

template class Evidence<Row>;

}  // namespace covary
