// The kernel of explicit features: a weighted sum of them, with independent normal weights.
#pragma once
#include "covary/basis/basis.h"
#include "covary/kernels/registry.h"

namespace covary::internal {

/// k(x, z) = variance sum_j variances_j phi_j(x) phi_j(z). `variances` has N entries, or none: all 1. What is
/// learned is `variance`, one for all (NaN: not given). As an expression: features("x, x^2", variance=2).
///
/// A block of n x m costs O((n + m) features + n m N); where N is smaller than the number of rows, regression
/// on the features themselves is the same process at less cost.
Kernel<Row> kernel_of(Features features, Vector variances = Vector(0), double variance = 1);

}  // namespace covary::internal
