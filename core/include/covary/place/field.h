// The prior of a field at n places before new sensors are placed: variances, and covariances a few columns at
// a time. All that placement sees of kernels and points, so places may be of any type.
//
//   Field a = field_of(matern52<Row>(), places);     // a kernel
//   Field b = field_of(posterior, places);           // a fitted model, given its data
//   Field c = field_of(covariance);                  // a matrix: given, or from past readings (history.h)
#pragma once
#include <memory>

#include "covary/process/process.h"

namespace covary {

using Field = Covariances;

/// Of a covariance matrix. Throws Problem::data where it is not square, finite or symmetric to 1e-8 of its
/// variances, and Problem::numerical with the eigenvalue that shows it if it is not positive semi-definite.
Field field_of(Matrix covariance);

namespace internal {
/// Of the covariances that data left of a prior whose variance is `prior` on average: differences, whose
/// rounding goes with the variance of the prior, however small what is left. Where that rounding shows, it is
/// added to the diagonal.
Field field_left(Matrix covariance, double prior);

/// The same field with a nugget: `nugget` more variance at every place, no covariance.
Field with_nugget(Field field, double nugget);

/// The covariances of all places: n^2 doubles, or a limit Error.
Matrix covariance_of(const Field& field, int threads = 0);
}  // namespace internal

/// Under a kernel. The points are kept; columns are made when asked for, so n may be a million.
template <class X>
Field field_of(const Kernel<X>& kernel, Points<X> x) {
  internal::check_given(kernel.parameters());
  auto points = std::make_shared<const Points<X>>(std::move(x));
  const Batch<X> all(*points);
  internal::check_finite(all, "x");
  return covariances(kernel, all, points);
}

/// Under a process of y / scale, given what it was conditioned on: n^2 doubles.
template <class X>
Field field_of(const Process<X>& process, const Points<X>& x, int threads = 0, double scale = 1) {
  const double unit = scale * scale, prior = process.kernel().diag(Batch<X>(x)).mean();
  return internal::field_left(unit * process.joint(Batch<X>(x), Of::f, threads).covariance(), unit * prior);
}

}  // namespace covary
