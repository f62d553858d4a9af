// Components of a distribution by their numbers, and the checks that go with them.
#pragma once
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <vector>

#include "covary/error.h"
#include "covary/information.h"

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
void check_form(const Information& form);

/// The factor of a positive definite matrix; throws if it is not one.
inline Eigen::LLT<Matrix> positive(const Matrix& m, const char* what) {
  check_square(m, what);
  Eigen::LLT<Matrix> llt(m.rows());
  if (m.size() == 0) return llt;
  llt.compute(m);
  const Vector d = llt.matrixLLT().diagonal();
  if (llt.info() != Eigen::Success || !(d.minCoeff() > 0) || !m.allFinite())
    throw Error(Problem::numerical, fmt::format("{} is not positive definite", what));
  return llt;
}

}  // namespace covary
