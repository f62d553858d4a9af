// What several strategies are made of.
#pragma once
#include "covary/select/strategy.h"

namespace covary::select {

/// In regression var f. In classification how little the best class leads, 1/(1 + lead); in units of its sd
/// it is the probability that the runner-up is the better one, Phi(-lead/sd).
Vector uncertainty(const Sight& sight, bool in_sds);
/// One line on it.
std::string uncertainty_words(const Sight& sight, const Vector& uncertainty, Index candidate, bool in_sds);

/// m: the mean correlation of a candidate with the pool (with up to `most` of it) under the kernel.
Vector representativeness(const Pool& pool, Index most, int threads);

/// m: the squared distance to the nearest label or pending one, k(x, x) + k(z, z) - 2 k(x, z); kept from call
/// to call.
class Distances {
 public:
  const Vector& to_nearest(const Belief& belief);

 private:
  Index seen_ = 0, generation_ = -1;
  Vector nearest_;
};

/// values[candidate] / median of all values, the word for a score that people understand: "2.1 times the
/// median". Infinite if the median is 0.
double times_median(const Vector& values, Index candidate);

}  // namespace covary::select
