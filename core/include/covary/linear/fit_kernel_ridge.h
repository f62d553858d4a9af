// Fitting kernel ridge regression: the penalty, and the free parameters of the kernel.
#pragma once
#include "covary/learn/fit.h"
#include "covary/linear/kernel_ridge.h"

namespace covary {

/// The free parameters of the kernel (all but fixed(...)) maximize the leave-one-out predictive density; then the
/// penalty is chosen as `ridge` says, for the kernel as it is printed. Returns the process whose mean is the ridge
/// regression (process_of).
FitResult<Row> fit_kernel_ridge(const Model<Row>& model, const Rows& x, const Vector& y,
                                const KernelRidgeOptions& ridge = {}, const FitOptions& options = {});

}  // namespace covary
