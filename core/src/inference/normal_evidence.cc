#include "covary/inference/normal_evidence.h"

#include <cmath>
#include <numbers>

#include "algebra/blas.h"
#include "algebra/decompositions.h"
#include "algebra/tiles.h"
#include "base/constants.h"
#include "covary/algebra/factor.h"
#include "covary/base/runtime.h"
#include "covary/process/solution.h"

namespace covary {
namespace {

/// Z and Q from the factor: n^2 (c + p) flops.
struct Whitened {
  Matrix residual;  // n x c: Z
  Matrix trend;     // n x p: Q
};

Whitened whiten(const Matrix& l, const NormalEvidence::Data& data, int threads) {
  const Matrix f = data.basis(Eigen::all, independent_columns(data.basis));
  Matrix both(l.rows(), data.r.cols() + f.cols());
  both << data.r, f;
  blas::solve_lower(l, both, threads);
  Whitened w{both.leftCols(data.r.cols()), {}};
  if (f.cols()) {
    w.trend = Reflections(both.rightCols(f.cols())).q();
    for (int twice = 0; twice < 2; ++twice)  // the second takes off what rounding left
      for (auto column : w.residual.colwise()) column -= w.trend * (w.trend.transpose() * column).eval();
  }
  return w;
}

}  // namespace

/// K = L L' in k_; false if it is not positive definite. n^3/3 flops.
bool NormalEvidence::factorize(const Gram& gram, const Vector& noise, bool accurate, int threads) {
  const Index n = gram.size;
  if (k_.rows() != n) {
    check_memory(8.0 * double(n) * double(n), "the covariance matrix of " + std::to_string(n) + " rows");
    k_.resize(n, n);
  }
  fill_lower(gram, k_, threads);
  k_.diagonal() += noise;
  const Vector diagonal = k_.diagonal();
  return diagonal.allFinite() && blas::cholesky(k_, threads) == 0 && !(accurate && is_singular(k_, diagonal));
}

NormalEvidence::Slopes NormalEvidence::at(const Gram& gram, const Vector& noise, const Data& data,
                                          bool slopes, int threads) {
  Slopes out;
  if (!factorize(gram, noise, data.accurate, threads)) return out;
  const double m = data.columns, log_determinant = 2 * k_.diagonal().array().log().sum();
  Matrix a = whiten(k_, data, threads).residual;
  out.misfit = a.squaredNorm();
  out.value = -0.5 * (out.misfit + m * log_determinant + m * double(gram.size) * log_two_pi);
  if (!slopes) return out;
  blas::solve_lower_transposed(k_, a, threads);
  blas::inverse_from_cholesky(k_, threads);
  out.diagonal = 0.5 * (a.rowwise().squaredNorm() - m * k_.diagonal());
  out.kernel = pullback_lower(
      gram,
      [&](Range r, Range c) -> Matrix {  // a tile of G
        Matrix g = symmetric_tile(k_, r, c);
        g = 0.5 * (a.middleRows(r.first, r.count) * a.middleRows(c.first, c.count).transpose() - m * g);
        return g;
      },
      threads);
  return out;
}

/// With P = K^-1 - L'^-1 Q Q' L^-1, alpha = P r and c = diag P:
///
///   L_loo = sum_i 1/2 log c_i - 1/2 alpha_i^2/c_i - 1/2 log 2 pi
///   G = (alpha v' + v alpha')/2 - P D P,  v = P (alpha/c),  D = diag((1/c + alpha^2/c^2)/2)
NormalEvidence::Slopes NormalEvidence::leave_one_out(const Gram& gram, const Vector& noise, const Data& data,
                                                     bool slopes, int threads) {
  Slopes out;
  if (!factorize(gram, noise, data.accurate, threads)) return out;
  auto [residual, q] = whiten(k_, data, threads);
  blas::solve_lower_transposed(k_, residual, threads);
  const Vector alpha = residual.col(0);
  if (q.cols()) blas::solve_lower_transposed(k_, q, threads);
  blas::inverse_from_cholesky(k_, threads);
  if (q.cols()) blas::rank_update(-1, q, 1, k_, threads);  // lower triangle of P
  const Eigen::ArrayXd c = k_.diagonal().array(), a = alpha.array();
  if (!(c > 0).all()) return out;
  out.value = 0.5 * (c.log() - a.square() / c - log_two_pi).sum();
  if (!slopes) return out;
  const Matrix full = k_.selfadjointView<Eigen::Lower>();
  const Vector v = full * (a / c).matrix();
  const Vector root = (0.5 * (1 / c + a.square() / c.square())).sqrt();
  Matrix pdp(k_.rows(), k_.rows());
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
