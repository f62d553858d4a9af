// LIBSVM's solution of a max-margin problem: only a start for the exact solver.
//
// LIBSVM keeps kernel values in single precision and stops at 1e-3, so it cannot tell points apart that
// nearly coincide; and a large penalty can keep it busy without end, so it gets at most 100 (the answer to a
// smaller penalty is feasible for a larger one).
#pragma once
#include "covary/base/types.h"

namespace covary {

/// m: the weights y_i alpha_i for a centered k (m x m) of mean diagonal about 1, both signs among y (m). Zeros
/// where Covary was built without LIBSVM.
Vector libsvm_start(const Matrix& k, const Vector& y, double penalty);

/// Whether Covary was built with it.
bool has_libsvm();

}  // namespace covary
