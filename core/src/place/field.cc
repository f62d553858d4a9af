#include "covary/place/field.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "algebra/blas.h"
#include "covary/base/parallel.h"
#include "covary/base/row_names.h"
#include "covary/base/runtime.h"

namespace covary {
using namespace internal;

namespace {

/// Of variances no smaller than `least`.
void check_symmetric(const Matrix& k, double least) {
  const Index n = k.rows();
  if (k.cols() != n)
    throw Error(
        Problem::data,
        fmt::format("a covariance matrix is square, this one has {} rows and {} columns", n, k.cols()));
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) {
      if (!std::isfinite(k(i, j)))
        throw Error(Problem::data, fmt::format("the covariance in {}, column {} is {}, expected a number",
                                               row_words(i), row_number(j), k(i, j)));
      const double scale = std::max(least, std::sqrt(std::abs(k(i, i) * k(j, j))));
      if (std::abs(k(i, j) - k(j, i)) > 1e-8 * scale)
        throw Error(
            Problem::data,
            fmt::format("a covariance matrix is symmetric: {}, column {} is {}, but {}, column {} is {}",
                        row_words(i), row_number(j), k(i, j), row_words(j), row_number(i), k(j, i)));
    }
}

void check_variances(const Matrix& k) {
  for (Index i = 0; i < k.rows(); ++i)
    if (k(i, i) < 0)
      throw Error(Problem::data,
                  fmt::format("the variance in {} is {}: it cannot be negative", row_words(i), k(i, i)));
}

bool definite(const Matrix& k, double raise) {
  Matrix l = k;
  l.diagonal().array() += raise;
  return blas::cholesky(l, threads_or_all(0)) == 0;
}

[[noreturn]] void not_semidefinite(Matrix k) {
  const double mean = k.diagonal().mean();
  throw Error(
      Problem::numerical,
      fmt::format(
          "the covariance matrix is not positive semi-definite: its smallest eigenvalue is {:.3g}, its "
          "variances are {:.3g} on average",
          blas::eigenvalues(k, threads_or_all(0))[0], mean));
}

/// What the diagonal lacks by rounding, which goes with `unit`: at most 1e-8 of it, or it throws. 0 if 1e-8
/// of the variances is enough, which those who factor the matrix allow for.
double lacking(const Matrix& k, double unit) {
  const double own = 1e-8 * k.diagonal().mean(), most = std::max(own, 1e-8 * unit);
  if (k.rows() == 0 || own == 0 || definite(k, own)) return 0;
  for (double raise = own; raise < most;) {
    raise = std::min(most, std::max(10 * raise, 1e-16 * unit));
    if (definite(k, raise)) return 2 * raise;
  }
  not_semidefinite(k);
}

}  // namespace

Field field_of(Matrix covariance) {
  check_symmetric(covariance, 0);
  check_variances(covariance);
  (void)lacking(covariance, 0);
  return covariances_of(std::move(covariance));
}

Field internal::field_left(Matrix covariance, double prior) {
  check_symmetric(covariance, prior);
  covariance.diagonal() = covariance.diagonal().cwiseMax(0);  // what is known exactly, to rounding
  covariance.diagonal().array() += lacking(covariance, prior);
  return covariances_of(std::move(covariance));
}

Field internal::with_nugget(Field field, double nugget) {
  if (!(nugget >= 0) || !std::isfinite(nugget))
    throw Error(Problem::usage,
                fmt::format("the nugget is a variance: expected 0 or more, found {}", nugget));
  if (nugget == 0) return field;
  field.diagonal.array() += nugget;
  field.own += nugget;
  field.among = [inner = std::make_shared<const Field>(field), nugget](const std::vector<Index>& r,
                                                                       const std::vector<Index>& c) {
    Matrix out = among(*inner, r, c);
    for (size_t j = 0; j < c.size(); ++j)
      for (size_t i = 0; i < r.size(); ++i)
        if (r[i] == c[j]) out(Index(i), Index(j)) += nugget;
    return out;
  };
  field.block = [inner = std::move(field.block), nugget](Range r, const std::vector<Index>& c) {
    Matrix out = inner(r, c);
    for (size_t j = 0; j < c.size(); ++j)
      if (c[j] >= r.first && c[j] < r.end()) out(c[j] - r.first, Index(j)) += nugget;
    return out;
  };
  return field;
}

Matrix internal::covariance_of(const Field& field, int threads) {
  const Index n = field.size;
  check_memory(8.0 * double(n) * double(n), fmt::format("a covariance matrix of {} places", n));
  Matrix out(n, n);
  const std::vector<Index> all = all_indices(n);
  for_runs(n, threads_or_all(threads),
           [&](Range r) { out.middleRows(r.first, r.count) = field.block(r, all); });
  return out;
}

}  // namespace covary
