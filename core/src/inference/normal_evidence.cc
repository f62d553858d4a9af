#include "covary/inference/normal_evidence.h"

#include <cmath>
#include <numbers>

#include "algebra/blas.h"
#include "algebra/decompositions.h"
#include "algebra/tiles.h"
#include "base/constants.h"
#include "covary/process/solution.h"

namespace covary {
using namespace internal;
namespace {

/// Z and Q from the factor: n^2 (c + p) flops.
struct Whitened {
  Matrix residual;  // n x c: Z
  Matrix trend;     // n x p: Q
};

Whitened whiten(const FactorScratch& l, const NormalEvidence::Data& data, int threads) {
  const Matrix f = data.basis(Eigen::all, independent_columns(data.basis));
  Matrix both(f.rows(), data.r.cols() + f.cols());
  both << data.r, f;
  l.half_solve(both, threads);
  Whitened w{both.leftCols(data.r.cols()), {}};
  if (f.cols()) {
    w.trend = Reflections(both.rightCols(f.cols())).q();
    for (int twice = 0; twice < 2; ++twice)  // the second takes off what rounding left
      for (auto column : w.residual.colwise()) column -= w.trend * (w.trend.transpose() * column).eval();
  }
  return w;
}

}  // namespace

NormalEvidence::Slopes NormalEvidence::at(const Gram& gram, const Vector& noise, const Data& data,
                                          bool slopes, int threads) {
  Slopes out;
  if (!k_.factorize(gram, noise, data.accurate, threads)) return out;
  const double m = data.columns, log_determinant = k_.log_determinant();
  Matrix a = whiten(k_, data, threads).residual;
  out.misfit = a.squaredNorm();
  out.value = -0.5 * (out.misfit + m * log_determinant + m * double(gram.size) * log_two_pi);
  if (!slopes) return out;
  k_.half_solve_transposed(a, threads);
  k_.invert(threads);
  out.diagonal = 0.5 * (a.rowwise().squaredNorm() - m * k_.inverse_diagonal());
  out.kernel = k_.contract(gram, a, m, threads);
  return out;
}

/// With P = K^-1 - L'^-1 Q Q' L^-1, alpha = P r and c = diag P:
///
///   L_loo = sum_i 1/2 log c_i - 1/2 alpha_i^2/c_i - 1/2 log 2 pi
///   G = (alpha v' + v alpha')/2 - P D P,  v = P (alpha/c),  D = diag((1/c + alpha^2/c^2)/2)
NormalEvidence::Slopes NormalEvidence::leave_one_out(const Gram& gram, const Vector& noise, const Data& data,
                                                     bool slopes, int threads) {
  Slopes out;
  if (!k_.factorize(gram, noise, data.accurate, threads)) return out;
  auto [residual, q] = whiten(k_, data, threads);
  k_.half_solve_transposed(residual, threads);
  const Vector alpha = residual.col(0);
  if (q.cols()) k_.half_solve_transposed(q, threads);
  k_.invert(threads);
  if (q.cols()) k_.subtract_from_inverse(q, threads);  // P
  const Eigen::ArrayXd c = k_.inverse_diagonal().array(), a = alpha.array();
  if (!(c > 0).all()) return out;
  out.value = 0.5 * (c.log() - a.square() / c - log_two_pi).sum();
  if (!slopes) return out;
  const Matrix full = k_.inverse();
  const Vector v = full * (a / c).matrix();
  const Vector root = (0.5 * (1 / c + a.square() / c.square())).sqrt();
  Matrix pdp(full.rows(), full.rows());
  blas::rank_update(1, full * root.asDiagonal(), 0, pdp, threads);
  out.diagonal = alpha.cwiseProduct(v) - pdp.diagonal();
  out.kernel = pullback_lower(
      gram,
      [&](Range r, Range k) -> Matrix {
        const auto ar = alpha.segment(r.first, r.count), ak = alpha.segment(k.first, k.count);
        const auto vr = v.segment(r.first, r.count), vk = v.segment(k.first, k.count);
        return 0.5 * (ar * vk.transpose() + vr * ak.transpose()) - symmetric_tile(pdp, r, k);
      },
      threads);
  return out;
}

}  // namespace covary
