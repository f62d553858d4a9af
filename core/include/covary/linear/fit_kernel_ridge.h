// Learning kernel ridge regression: the penalty, and what the kernel leaves open.
#pragma once
#include "covary/learn/fit.h"
#include "covary/linear/kernel_ridge.h"

namespace covary {

/// What the kernel leaves open (all but fixed(...)) is learned by leave-one-out predictive density; then the
/// penalty as `ridge` says, for the kernel as it is printed. What comes back is the process whose mean the
/// ridge regression is (process_of).
FitResult<Row> fit_kernel_ridge(const Model<Row>& model, const Rows& x, const Vector& y,
                                const KernelRidgeOptions& ridge = {}, const FitOptions& options = {});

}  // namespace covary
