// Common parts of several strategies.
#pragma once
#include "covary/select/strategy.h"

namespace covary::select {

/// In regression var f. In classification how little the best class leads, 1/(1 + lead); in units of its sd
/// it is the probability that the runner-up is the better one, Phi(-lead/sd).
Vector uncertainty(const StrategyInput& sight, bool in_sds);
/// The reason in one line.
std::string uncertainty_words(const StrategyInput& sight, const Vector& uncertainty, Index candidate,
                              bool in_sds);

/// Up to `most` of the candidates without a label, pending ones not among them, ascending: all of those if
/// there are no more. Where every candidate has a label, up to `most` of all.
std::vector<Index> unlabelled(const PoolPosterior& belief, Index most);

/// m: the mean correlation of a candidate with those that have no label (with up to `most` of them) under the
/// kernel; kept from call to call.
class Representativeness {
 public:
  explicit Representativeness(Index most) : most_(most) {}
  Vector of(const PoolPosterior& belief);

 private:
  void begin(const PoolPosterior& belief);
  Index most_, seen_ = 0, generation_ = -1, left_ = 0;
  std::vector<Index> some_;
  Vector sum_;
};

/// m: the squared distance to the nearest label or pending one, k(x, x) + k(z, z) - 2 k(x, z); kept from call
/// to call.
class Distances {
 public:
  const Vector& to_nearest(const PoolPosterior& belief);

 private:
  Index seen_ = 0, generation_ = -1;
  Vector nearest_;
};

/// values[candidate] / median of all values, the word for a score that people understand: "2.1 times the
/// median". Infinite if the median is 0.
double times_median(const Vector& values, Index candidate);

}  // namespace covary::select
