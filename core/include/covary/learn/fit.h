// Fitting: the hyper-parameters of kernel and noise that explain the data best.
//
//   auto [process, summary, scale] = fit(Model<Row>{parse<Row>("se() + linear()")}, x, y);
//
// By default the maximum a posteriori under a weak prior that keeps length-scales sensible for the number of
// columns; Prior::none gives plain maximum likelihood. Parameters stay in the user's units throughout.
#pragma once
#include "covary/learn/model.h"

namespace covary {

template <class X>
FitResult<X> fit(const Model<X>& model, Batch<X> x, const Vector& y, const FitOptions& options = {});

}  // namespace covary

#include "covary/learn/fit_impl.h"
