// The noise of observations: y = f(x) + e, e independent and normal. An object of its own, never a kernel.
#pragma once
#include <string>

#include "covary/base/types.h"

namespace covary {

struct Noise {
  enum class Kind { given, learned, rows };
  Kind kind = Kind::given;
  double variance = 0;  // given: the value (0: observations are exact); learned: a start, or NaN
  Vector sd;            // rows: a known standard deviation for each observation

  static Noise none() { return {}; }
  static Noise of(double variance);  // throws unless 0 <= variance < infinity
  static Noise learn();              // from the data
  static Noise learn(double start);  // from the data, starting there
  static Noise rows(Vector sd);      // throws unless all are positive and finite

  /// n: the variance of each observation. Throws if it is still to be learned, or if there are not n of them.
  Vector variances(Index n) const;
  /// "0", "0.01", "learn", "rows"
  std::string text() const;
};

}  // namespace covary
