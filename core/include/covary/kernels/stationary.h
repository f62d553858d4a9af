// Stationary kernels of a scaled distance: se, matern12, matern32, matern52, rational_quadratic, wendland.
//
//   k(x, z) = f(s),  s = sum_k ((x_k - z_k) / lengthscale_k)^2
//
// with one length-scale for all columns or one for each. A new one is a profile: f, its slope, a name.
#pragma once
#include "covary/kernels/kernel.h"

namespace covary {

namespace internal {
/// An empty vector: length-scales not given; one for each column once data is seen.
inline Vector not_given() { return Vector(0); }
}  // namespace internal

Kernel<Row> se(Vector lengthscale = internal::not_given());        // exp(-s/2)
Kernel<Row> matern12(Vector lengthscale = internal::not_given());  // exp(-r), r = sqrt(s)
Kernel<Row> matern32(Vector lengthscale = internal::not_given());  // (1 + sqrt3 r) exp(-sqrt3 r)
Kernel<Row> matern52(Vector lengthscale = internal::not_given());  // (1 + sqrt5 r + 5 s/3) exp(-sqrt5 r)
/// (1 + s/(2 alpha))^-alpha; alpha NaN: not given.
Kernel<Row> rational_quadratic(Vector lengthscale = internal::not_given(),
                               double alpha = std::numeric_limits<double>::quiet_NaN());
/// p(r) (1 - r)^e, exactly 0 from r = 1 on; `smoothness` (1 or 2) derivatives in mean square.
Kernel<Row> wendland(Vector lengthscale = internal::not_given(), int smoothness = 2);

/// One length-scale for all columns.
inline Kernel<Row> se(double lengthscale) { return se(Vector::Constant(1, lengthscale)); }
inline Kernel<Row> matern12(double lengthscale) { return matern12(Vector::Constant(1, lengthscale)); }
inline Kernel<Row> matern32(double lengthscale) { return matern32(Vector::Constant(1, lengthscale)); }
inline Kernel<Row> matern52(double lengthscale) { return matern52(Vector::Constant(1, lengthscale)); }

}  // namespace covary
