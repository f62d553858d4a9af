#include "covary/place/field.h"

#include <fmt/format.h>

#include <cmath>

#include "blas.h"
#include "covary/machine.h"
#include "covary/select/pool.h"
#include "parallel.h"

namespace covary {

namespace {

void check_symmetric(const Matrix& k) {
  const Index n = k.rows();
  if (k.cols() != n)
    throw Error(
        Problem::data,
        fmt::format("a covariance matrix is square, this one has {} rows and {} columns", n, k.cols()));
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) {
      if (!std::isfinite(k(i, j)))
        throw Error(Problem::data, fmt::format("the covariance in row {}, column {} is {}, expected a number",
                                               i + 1, j + 1, k(i, j)));
      const double scale = std::sqrt(std::abs(k(i, i) * k(j, j)));
      if (std::abs(k(i, j) - k(j, i)) > 1e-8 * scale)
        throw Error(
            Problem::data,
            fmt::format(
                "a covariance matrix is symmetric: row {}, column {} is {}, but row {}, column {} is {}",
                i + 1, j + 1, k(i, j), j + 1, i + 1, k(j, i)));
    }
}

/// Cholesky after the smallest raise of the diagonal that rounding can ask for.
void check_semidefinite(const Matrix& k) {
  for (Index i = 0; i < k.rows(); ++i)
    if (k(i, i) < 0)
      throw Error(Problem::data,
                  fmt::format("the variance in row {} is {}: it cannot be negative", i + 1, k(i, i)));
  const double raise = 1e-8 * k.diagonal().mean();
  Matrix l = k;
  l.diagonal().array() += raise;
  if (k.rows() == 0 || raise == 0 || blas::cholesky(l, threads_or_all(0)) == 0) return;
  Matrix copy = k;
  throw Error(
      Problem::numerical,
      fmt::format(
          "the covariance matrix is not positive semi-definite: its smallest eigenvalue is {:.3g}, its "
          "variances are {:.3g} on average",
          blas::eigenvalues(copy, threads_or_all(0))[0], k.diagonal().mean()));
}

}  // namespace

Field field_of(Matrix covariance) {
  check_symmetric(covariance);
  check_semidefinite(covariance);
  auto k = std::make_shared<const Matrix>(std::move(covariance));
  return {k->rows(), k->diagonal(), [k](Range r, const std::vector<Index>& c) -> Matrix {
            return (*k)(Eigen::seqN(r.first, r.count), c);
          }};
}

Field with_nugget(Field field, double nugget) {
  if (!(nugget >= 0) || !std::isfinite(nugget))
    throw Error(Problem::usage, fmt::format("the nugget is a variance, at least 0; it was {}", nugget));
  if (nugget == 0) return field;
  field.variance.array() += nugget;
  field.block = [inner = std::move(field.block), nugget](Range r, const std::vector<Index>& c) {
    Matrix out = inner(r, c);
    for (size_t j = 0; j < c.size(); ++j)
      if (c[j] >= r.first && c[j] < r.end()) out(c[j] - r.first, Index(j)) += nugget;
    return out;
  };
  return field;
}

Matrix covariance_of(const Field& field, int threads) {
  const Index n = field.size;
  check_memory(8.0 * double(n) * double(n), fmt::format("a covariance matrix of {} places", n));
  Matrix out(n, n);
  const std::vector<Index> all = everyone(n);
  for_runs(n, threads_or_all(threads),
           [&](Range r) { out.middleRows(r.first, r.count) = field.block(r, all); });
  return out;
}

}  // namespace covary
