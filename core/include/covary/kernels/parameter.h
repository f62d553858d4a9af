// A parameter of a kernel: its name, what it does, its value and its range.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "covary/base/types.h"

namespace covary {

/// What a parameter does; learning chooses its bounds and prior by this. `noise` is the variance of
/// observations, which belongs to the likelihood and to no kernel.
enum class Role { lengthscale, variance, period, shape, scale, noise, other };

/// How an unconstrained theta stands for a value: positive (log), any number (identity), from 0 to 1 (logit).
enum class Scale { log, identity, logit };
namespace internal {
double to_theta(Scale scale, double value);
double from_theta(Scale scale, double theta);
}  // namespace internal

/// One parameter of a kernel, by its place in the expression: "lengthscale", "1.lengthscale", "2.1.period".
struct Parameter {
  std::string path;
  Role role = Role::other;
  double value = std::numeric_limits<double>::quiet_NaN();  // in the user's units; NaN: not given
  Index column = -1;                                        // the input column it belongs to, or -1
  bool fixed = false;                                       // fixed ones are not part of theta
  double lower = std::numeric_limits<double>::quiet_NaN();  // the range it was given; NaN: chosen by its role
  double upper = std::numeric_limits<double>::quiet_NaN();
  std::vector<Index> reads = {};  // the input columns its kernel reads; empty: all
  Scale scale = Scale::log;       // of its theta
  Index item = -1;                // its place in a list that is not one for each column, or -1
};

/// "1.lengthscale.temp": the path, with the name of its column (or its number, from 1) where it has one;
/// "spacing.3": with its place in a list, from 1.
std::string full_name(const Parameter& p, const std::vector<std::string>& columns = {});

namespace internal {
/// Throws a usage Error naming the first parameter that was not given.
void check_given(const std::vector<Parameter>& parameters);
}  // namespace internal

}  // namespace covary
