#include "covary/place/history_kernel.h"

#include <cmath>
#include <numbers>

#include "blas.h"
#include "covary/machine.h"

namespace covary {
namespace {

/// T/2 (K^-1 S K^-1 - K^-1), both triangles, from K^-1.
Matrix weights(const Matrix& inverse, const Matrix& covariance, double times, int threads) {
  Matrix half(inverse.rows(), inverse.cols()), out = inverse;
  blas::multiply(1, inverse, covariance, 0, half, threads);
  blas::multiply(0.5 * times, half, inverse, -0.5 * times, out, threads);
  return out;
}

}  // namespace

Evaluation scatter_evidence(const Gram& gram, const Matrix& covariance, double times, double nugget,
                            bool gradient, Matrix& work, int threads) {
  const Index n = gram.size;
  if (work.rows() != n) {
    check_memory(40.0 * double(n) * double(n), "the covariance matrix of " + std::to_string(n) + " places");
    work.resize(n, n);
  }
  fill_lower(gram, work, threads);
  work.diagonal().array() += nugget;
  const Vector diagonal = work.diagonal();
  Evaluation out;
  if (!diagonal.allFinite() || blas::cholesky(work, threads) != 0 || is_singular(work, diagonal)) return out;
  const double log_determinant = 2 * work.diagonal().array().log().sum();
  blas::inverse_from_cholesky(work, threads);
  const Matrix inverse = work.selfadjointView<Eigen::Lower>();
  const double misfit = inverse.cwiseProduct(covariance).sum();
  out.value = -0.5 * times * (log_determinant + misfit + double(n) * std::log(2 * std::numbers::pi));
  if (!std::isfinite(out.value)) return {};
  if (!gradient) return out;
  const Matrix g = weights(inverse, covariance, times, threads);
  const Vector kernel = pullback_lower(
      gram, [&](Range r, Range c) -> Matrix { return g.block(r.first, c.first, r.count, c.count); }, threads);
  out.gradient = concat(kernel, Vector::Constant(1, nugget * g.trace()));
  return out.gradient.allFinite() ? out : Evaluation{};
}

}  // namespace covary
