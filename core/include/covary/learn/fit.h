// Learning: the parameters of kernel and noise that explain the data best.
//
//   auto [process, summary, scale] = fit(Model<Row>{parse<Row>("se() + linear()")}, x, y);
//
// By default the maximum a posteriori under a weak prior that keeps length-scales sensible for the number of
// columns; Prior::none gives plain maximum likelihood. Parameters stay in the user's units throughout.
#pragma once
#include "covary/learn/search.h"

namespace covary {

/// What is to be learned: a term of the kernel without a number in front gets a variance of its own to learn.
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

template <class X>
FitResult<X> fit(const Model<X>& model, Batch<X> x, const Vector& y, const FitOptions& options = {});

}  // namespace covary

#include "covary/learn/fit_impl.h"
