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
  std::vector<Index> order_;
  Vector nearest_;
};

/// The share of the open candidates that a score exceeds is what people understand: "2.1 times the median".
double times_median(const Vector& values, Index candidate);

}  // namespace covary::select
