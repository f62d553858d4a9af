#include "covary/kernels/mercer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "algebra/blas.h"
#include "covary/base/error.h"
#include "covary/base/parallel.h"
#include "covary/base/runtime.h"

namespace covary {
using namespace internal;
namespace {

constexpr double rounding = 1e-10;
constexpr Index columns_at_once = 128;

double asymmetry_of(const Matrix& k) { return (k - k.transpose()).cwiseAbs().maxCoeff(); }

void check_finite_values(const Matrix& k) {
  if (k.allFinite()) return;
  for (Index j = 0; j < k.cols(); ++j)
    for (Index i = 0; i < k.rows(); ++i)
      if (!std::isfinite(k(i, j)))
        throw Error(Problem::numerical,
                    fmt::format("the kernel of points {} and {} is {}: expected a finite number", i + 1,
                                j + 1, k(i, j)));
}

/// True if a Cholesky factor shows it: no eigenvalue is far below 0. A false says nothing.
bool clearly_positive(const Matrix& k, int threads) {
  const double least_largest = k.norm() / std::sqrt(double(k.rows()));  // at most the largest eigenvalue
  if (asymmetry_of(k) > 0.1 * rounding * least_largest) return false;
  Matrix shifted = k;
  shifted.diagonal().array() += 0.5 * rounding * least_largest;
  return blas::cholesky(shifted, threads) == 0;
}

}  // namespace

std::string Mercer::text() const {
  if (holds)
    return fmt::format("positive semi-definite: eigenvalues from {:.3g} to {:.3g} on {} points", smallest,
                       largest, n);
  if (asymmetry > tolerance)
    return fmt::format("not symmetric: k(x, z) and k(z, x) differ by up to {:.3g} on {} points", asymmetry,
                       n);
  return fmt::format("not positive semi-definite: smallest eigenvalue {:.3g} of largest {:.3g} on {} points",
                     smallest, largest, n);
}

Matrix internal::kernel_matrix(const Gram& gram, int threads) {
  const Index n = gram.size, side = (n + columns_at_once - 1) / columns_at_once;
  const auto part = [n](Index i) {
    return Range{i * columns_at_once, std::min(columns_at_once, n - i * columns_at_once)};
  };
  check_memory(8 * double(n) * double(n), fmt::format("the kernel matrix of {} points", n));
  Matrix k(n, n);
  parallel_for(side * side, threads_or_all(threads), [&](Index t) {
    const Range r = part(t % side), c = part(t / side);
    k.block(r.first, c.first, r.count, c.count) = gram.block(r, c);
  });
  check_finite_values(k);
  return k;
}

Mercer mercer_check(const Matrix& k, int threads) {
  if (k.rows() != k.cols() || k.rows() == 0)
    throw Error(
        Problem::usage,
        fmt::format("Mercer's condition: expected the square matrix of one point or more, found {} x {}",
                    k.rows(), k.cols()));
  check_finite_values(k);
  Mercer m;
  m.n = k.rows();
  m.asymmetry = asymmetry_of(k);
  Matrix symmetric = 0.5 * (k + k.transpose());
  const Vector values = blas::eigenvalues(symmetric, threads_or_all(threads));
  m.smallest = values[0], m.largest = values[m.n - 1];
  m.tolerance = rounding * std::max(std::abs(m.smallest), std::abs(m.largest));
  m.holds = m.smallest >= -m.tolerance && m.asymmetry <= m.tolerance;
  return m;
}

void internal::require_mercer(const Matrix& k, const std::string& name, int threads) {
  if (clearly_positive(k, threads_or_all(threads))) return;
  const Mercer m = mercer_check(k, threads);
  if (!m.holds) throw Error(Problem::numerical, fmt::format("kernel '{}' is {}", name, m.text()));
}

}  // namespace covary
