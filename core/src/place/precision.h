// The inverse of a covariance matrix, a column when one is asked for.
#pragma once
#include <mutex>
#include <unordered_map>

#include "covary/place/field.h"

namespace covary::placing {

/// K = L L' is factored once and W = L^-1 kept: 2 n^3/3 flops, n^2 doubles. A column is W' W e_y: n^2 flops
/// at most, kept from then on.
class Precision {
 public:
  /// Of the field with `own` (n) added to its variances. If that is singular to rounding all are raised, as
  /// factorize() does it.
  Precision(const Field& field, const Vector& own, int threads);
  double raised() const { return raised_; }
  Vector diagonal() const;
  /// n: column y. Calls may come from several threads.
  const Vector& column(Index y) const;

 private:
  Matrix w_;  // lower triangle
  double raised_ = 0;
  int threads_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<Index, Vector> known_;
};

}  // namespace covary::placing
