// Kernels of the inner product: linear and polynomial functions.
#pragma once
#include "covary/kernels/stationary.h"

namespace covary {

/// sum_k x_k z_k / lengthscale_k^2: straight lines through the origin.
Kernel<Row> linear(Vector lengthscale = internal::not_given());

/// (offset + x.z)^degree; offset NaN: not given.
Kernel<Row> polynomial(int degree = 2, double offset = std::numeric_limits<double>::quiet_NaN());

}  // namespace covary
