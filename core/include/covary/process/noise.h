// The Gaussian likelihood: y = f(x) + e, e independent and normal. An object of its own, never a kernel.
#pragma once
#include <string>
#include <vector>

#include "covary/base/types.h"

namespace covary {

/// The variance of e: one for all observations, given or to be learned, or a known one for each.
class Noise {
 public:
  static Noise none() { return {}; }
  static Noise of(double variance);  // throws unless 0 <= variance < infinity
  static Noise learn();              // from the data
  static Noise learn(double start);  // from the data, starting there
  static Noise rows(Vector sd);      // throws unless all are positive and finite

  bool is_given() const { return kind_ == Kind::given; }  // one variance, known
  bool is_exact() const { return is_given() && variance == 0; }
  bool is_learned() const { return kind_ == Kind::learned; }  // one variance, not known yet
  bool per_row() const { return kind_ == Kind::rows; }

  /// n: the variance of each observation. Throws if it is still to be learned, or if there are not n of them.
  Vector variances(Index n) const;
  /// That of some of the observations.
  Noise of_rows(const std::vector<Index>& rows) const;
  /// Of y / scale. One division after the other: the square of the scale may be too large for a number.
  Noise rescaled(double scale) const;
  /// "0", "0.01", "learn", "rows"
  std::string text() const;

  double variance = 0;  // of all; to be learned: a start, or NaN
  Vector sd;            // of each observation, where each has its own

 private:
  enum class Kind { given, learned, rows };
  Kind kind_ = Kind::given;
};

}  // namespace covary
