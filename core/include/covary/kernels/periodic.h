// Functions that repeat: exp(-2 sum_k sin^2(pi (x_k - z_k)/period) / lengthscale_k^2).
#pragma once
#include "covary/kernels/stationary.h"

namespace covary {

/// The length-scale has no unit: it says how smooth one period is. NaN: period not given.
Kernel<Row> periodic(double period = std::numeric_limits<double>::quiet_NaN(),
                     Vector lengthscale = internal::not_given());

}  // namespace covary
