// Least squares to full accuracy: iterative refinement with residuals of twice the precision.
#pragma once
#include "covary/base/types.h"

namespace covary {

struct LeastSquares {
  Vector w;         // N
  double rest = 0;  // |b - A w|^2
};

/// The w with the least |b - A w| for an A (n x N) of full rank. By the augmented system
///   r + A w = b,  A'r = 0                                                    [bjorck1967]
/// solved with one QR decomposition, its residuals in twice the precision: right to nearly the last digit
/// while the condition number of the scaled A is below 1/eps. 2 n N^2 flops.
LeastSquares refined_least_squares(const Rows& a, const Vector& b);

}  // namespace covary
