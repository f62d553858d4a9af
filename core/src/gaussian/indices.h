// Components of a distribution by their numbers, and the checks that go with them.
#pragma once
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "algebra/blas.h"
#include "covary/base/error.h"
#include "covary/gaussian/canonical_form.h"

namespace covary {

/// Those of 0, ..., n - 1 that are not in `some`. Throws for one that is out of range or named twice.
inline std::vector<Index> others(Index n, const std::vector<Index>& some) {
  std::vector<char> taken(static_cast<size_t>(n), 0);
  for (const Index i : some) {
    if (i < 0 || i >= n) throw Error(Problem::usage, fmt::format("component {}: expected 0 to {}", i, n - 1));
    if (taken[static_cast<size_t>(i)]++)
      throw Error(Problem::usage, fmt::format("component {} is named twice", i));
  }
  std::vector<Index> rest;
  for (Index i = 0; i < n; ++i)
    if (!taken[static_cast<size_t>(i)]) rest.push_back(i);
  return rest;
}

/// Those that are left when `known` have these values. Throws unless some are, and the values fit.
inline std::vector<Index> left_of(Index n, const std::vector<Index>& known, const Vector& values) {
  std::vector<Index> rest = others(n, known);
  if (rest.empty()) throw Error(Problem::usage, "every component is known: nothing is left");
  if (values.size() != std::ssize(known) || !values.allFinite())
    throw Error(Problem::usage,
                fmt::format("expected {} finite values, found {}", known.size(), values.size()));
  return rest;
}

inline Matrix symmetric(const Matrix& m) { return 0.5 * (m + m.transpose()); }

inline void check_square(const Matrix& m, const char* what) {
  if (m.rows() != m.cols())
    throw Error(Problem::usage, fmt::format("{} must be square, found {} x {}", what, m.rows(), m.cols()));
}

/// Throws unless sizes fit.
void check_form(const CanonicalForm& form);

/// The lower factor L of a positive definite matrix; throws if it is not one.
inline Matrix positive(Matrix m, const char* what) {
  check_square(m, what);
  if (!m.allFinite() || (m.size() && blas::cholesky(m, 1) != 0))
    throw Error(Problem::numerical, fmt::format("{} is not positive definite", what));
  return m;
}

/// L^-1 b and L'^-1 b.
inline Matrix half_solved(const Matrix& l, Matrix b) {
  if (b.size()) blas::solve_lower(l, b, 1);
  return b;
}
inline Matrix half_solved_transposed(const Matrix& l, Matrix b) {
  if (b.size()) blas::solve_lower_transposed(l, b, 1);
  return b;
}

/// (L L')^-1 b.
inline Matrix solved(const Matrix& l, Matrix b) {
  return half_solved_transposed(l, half_solved(l, std::move(b)));
}

}  // namespace covary
