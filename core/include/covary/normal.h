// The normal distribution of one number.
#pragma once

namespace covary {

/// z such that `percent` of N(0, 1) lies between -z and z: 95 -> 1.959963984540054. Full double precision.
/// Throws Problem::usage unless 0 < percent < 100.
double interval_quantile(double percent);

}  // namespace covary
