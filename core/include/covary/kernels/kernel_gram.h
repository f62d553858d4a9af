// The covariances of points under a kernel: as tiles to be factored, and as columns.
#pragma once
#include <memory>

#include "covary/algebra/covariances.h"
#include "covary/algebra/gram.h"
#include "covary/kernels/kernel.h"

namespace covary {

/// Borrows what the points borrow.
template <class X>
internal::Gram gram(const Prepared<X>& x) {
  return {x.count(), [x](Range r, Range c) { return slice(x, r).cross(slice(x, c)); },
          [x](Range r) { return slice(x, r).diag(); },
          [x](Range r, Range c, const Matrix& w) { return slice(x, r).pullback(slice(x, c), w); }};
}
template <class X>
internal::Gram gram(const Kernel<X>& kernel, Batch<X> x) {
  return gram(kernel.prepare(x));
}

/// Borrows the points, unless `owner` keeps them.
template <class X>
Covariances covariances(const Kernel<X>& k, Batch<X> x, const std::shared_ptr<const void>& owner = {}) {
  const Prepared<X> all = k.prepare(x, owner);
  const auto some = [k, x](const std::vector<Index>& rows) {
    const auto points = std::make_shared<const Points<X>>(pick(x, rows));
    return k.prepare(Batch<X>(*points), points);
  };
  return {count(x), all.diag(),
          [all, some](Range r, const std::vector<Index>& c) { return slice(all, r).cross(some(c)); },
          [some, owner](const std::vector<Index>& r, const std::vector<Index>& c) {
            return some(r).cross(some(c));
          }};
}

}  // namespace covary
