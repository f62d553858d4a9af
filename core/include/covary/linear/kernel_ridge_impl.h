// Definitions of the templates of kernel_ridge.h.
#pragma once
#include "covary/linear/kernel_ridge.h"

namespace covary {

template <class X>
Vector KernelRidge<X>::operator()(Batch<X> at, int threads) const {
  internal::check_finite(at, "x");
  const Prepared<X> from = kernel.prepare(Batch<X>(x));
  Vector out(count(at));
  internal::for_blocks(count(at), internal::threads_or_all(threads), [&](Range r) {
    const Batch<X> p = slice(at, r);
    const Prepared<X> prepared = kernel.prepare(p);
    const Matrix k = internal::tall_block(
        coefficients.size(), [&](Range rows) { return slice(from, rows).cross(prepared); }, r.count);
    out.segment(r.first, r.count) =
        mean.known_at(p) + mean.basis_at(p) * basis_coefficients + k.transpose() * coefficients;
  });
  return out;
}

template <class X>
Vector KernelRidge<X>::trend_coefficients() const {
  return mean.to_user.size() ? Vector(mean.to_user * basis_coefficients) : basis_coefficients;
}

template <class X>
KernelRidge<X> kernel_ridge(const Kernel<X>& kernel, Batch<X> x, const Vector& y,
                            const KernelRidgeOptions& options, const Mean<X>& mean) {
  internal::check(options);
  internal::check_given(kernel.parameters());
  internal::check_sizes(count(x), y.size());
  internal::check_finite(x, "x");
  internal::check_finite(y, "y");
  Matrix k = internal::kernel_matrix(gram<X>(kernel, x), options.threads);
  internal::require_mercer(k, kernel.text(), options.threads);
  const Mean<X> trend = mean.centered_on(x);
  return {kernel_ridge(std::move(k), y - trend.known_at(x), trend.basis_at(x), options), kernel, trend,
          Points<X>(join(x, slice(x, {0, 0}))), y};
}

namespace internal {
template <class X>
Process<X> process_of(const KernelRidge<X>& ridge, int threads) {
  check_scale(ridge);
  const Process<X> prior(ridge.variance * ridge.kernel, ridge.mean,
                         Noise::of(ridge.variance * ridge.penalty));
  return prior.condition(Batch<X>(ridge.x), ridge.y, threads);
}
}  // namespace internal

}  // namespace covary
