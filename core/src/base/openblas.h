// OpenBLAS, where that is the BLAS in use: the kernels it chose, overriding a wrong choice, threads.
#pragma once
#include "covary/base/runtime.h"

namespace covary::openblas {
using namespace internal;

/// Looks at the BLAS once and repairs it; must come before the first BLAS call, so every one calls it. Throws
/// Problem::limit if there is no address space for its buffers (ulimit -v), for which it would search forever.
const Machine& prepare();

/// How many threads may call it at a time.
int most_threads();

/// How many threads the next calls use; nothing where the BLAS is another.
void set_threads(int threads);

}  // namespace covary::openblas
