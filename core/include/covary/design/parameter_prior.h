// The prior of the parameters of an expensive likelihood: independent, each on a range of its own.
//
//   std::vector<ParameterPrior> prior{{"rate", 0, 5}, {"shift", -4, 4, 0, 1}};
//
//   uniform: p(x) = 1/(high - low)      normal: p(x) ~ N(x; mean, sd^2), normalized over the range
//
// Outside of its range a parameter has density 0. One whose range is a single value is held there: the posterior is
// conditional on it, and it has no prior.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "covary/base/types.h"

namespace covary {

struct ParameterPrior {
  std::string name;
  double low = 0, high = 1;                                       // the range
  double mean = 0, sd = std::numeric_limits<double>::infinity();  // infinite: uniform
  bool held() const { return low == high; }
  bool uniform() const { return sd == std::numeric_limits<double>::infinity(); }
};

namespace internal {
/// Throws Problem::usage, naming the parameter, unless every range and sd can be used and one range at least is more
/// than a point.
void check(const std::vector<ParameterPrior>& prior);

/// The prior as it is typed, "x=normal(0, 2), y=uniform": mean and sd of those that are named. Throws Problem::usage
/// for what cannot be read or names no parameter.
void read_prior(const std::string& text, std::vector<ParameterPrior>& prior);

/// m: the sum of the log densities of the parameters x (m x d); -infinity outside the ranges.
Vector log_prior_density(const std::vector<ParameterPrior>& prior, const Rows& x);
}  // namespace internal

}  // namespace covary
