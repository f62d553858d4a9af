// The Gram matrix of a kernel at points.
#pragma once
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

}  // namespace covary
