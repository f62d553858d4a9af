// The Gaussian likelihood: y = f(x) + e, e independent and normal. An object of its own, never a kernel.
//
//   log p(y | f) = -1/2 log(2 pi v) - (y - f)^2 / 2v,   y ~ N(m, s^2 + v) where f ~ N(m, s^2)
#pragma once
#include "covary/process/likelihood.h"

namespace covary {

/// The variance v of e: one for all observations, given or to be learned, or a known one for each.
class Noise {
 public:
  static Noise none() { return {}; }
  static Noise of(double variance);  // throws unless 0 <= variance < infinity
  static Noise learn();              // from the data
  static Noise learn(double start);  // from the data, starting there
  static Noise rows(Vector sd);      // throws unless all are positive and finite
  /// "0.01", "learn", "learn(0.5)". Throws Problem::usage for anything else.
  static Noise parse(const std::string& text);

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
  /// With nothing left to learn.
  Noise known() const { return is_learned() ? of(variance) : *this; }

  // The verbs of a likelihood. theta is the logarithm of a variance that is to be learned, or empty. The variance
  // may be learned, but must have a value.
  Vector log_density(const Vector& y, const Vector& f) const;  // n
  Vector slopes(const Vector& y, const Vector& f) const;       // n: (y - f) / v
  Vector curvatures(const Vector& y, const Vector& f) const;   // n: -1 / v
  Marginals observed(Marginals f) const;
  Prediction predictive(const Marginals& f) const;
  Vector theta() const;
  Noise with(const Vector& theta) const;
  Vector start(double variance) const;  // a hundredth of that of y
  std::vector<Parameter> parameters() const;
  /// "0", "0.01", "learn", "learn(0.5)", "rows"
  std::string text() const;

  double variance = 0;  // of all; to be learned: a start, or NaN
  Vector sd;            // of each observation, where each has its own

 private:
  enum class Kind { given, learned, rows };
  Kind kind_ = Kind::given;
};

}  // namespace covary
