// A model whose hyper-parameters are to be fitted, and the result of a fit.
#pragma once
#include "covary/learn/search.h"

namespace covary {

/// The model to fit: a term of the kernel without a number in front gets a variance of its own to learn.
template <class X>
struct Model {
  Kernel<X> kernel;
  Mean<X> mean = constant_mean<X>();
  Noise noise = Noise::learn();
};

template <class X>
struct FitResult {
  Process<X> process;  // of y / scale
  Summary summary;
  double scale = 1;  // 1 unless squares of y would overflow or vanish: a power of two
};

}  // namespace covary
