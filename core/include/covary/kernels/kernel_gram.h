// The covariances of points under a kernel: as tiles to be factored, and as columns.
#pragma once
#include <memory>

#include "covary/algebra/covariances.h"
#include "covary/algebra/gram.h"
#include "covary/kernels/kernel.h"

namespace covary {

template <class X>
Gram gram(Kernel<X> kernel, Batch<X> x) {
  return {count(x), [kernel, x](Range r, Range c) { return kernel.cross(slice(x, r), slice(x, c)); },
          [kernel, x](Range r) { return kernel.diag(slice(x, r)); },
          [kernel, x](Range r, Range c, const Matrix& w) {
            return kernel.pullback(slice(x, r), slice(x, c), w);
          }};
}

/// Borrows the points, unless `owner` keeps them.
template <class X>
Covariances covariances(const Kernel<X>& k, Batch<X> x, const std::shared_ptr<const void>& owner = {}) {
  return {count(x), k.diag(x),
          [k, x, owner](Range r, const std::vector<Index>& c) {
            return k.cross(slice(x, r), Batch<X>(pick(x, c)));
          },
          [k, x, owner](const std::vector<Index>& r, const std::vector<Index>& c) {
            return k.cross(Batch<X>(pick(x, r)), Batch<X>(pick(x, c)));
          }};
}

}  // namespace covary
