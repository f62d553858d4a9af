// A kernel some of whose parameters are kept or have a range of their own:
//
//   periodic(period=fixed(365.25))   se(lengthscale=0.1..10)   se(lengthscale=[fixed(1), 2 in 0.5..4])
#pragma once
#include "covary/kernels/registry.h"

namespace covary {

/// What the arguments of a call say about the parameters of the kernel that it made; `inner` itself if they
/// say nothing. Throws a usage Error for a range of something that is not learned.
Kernel<Row> restricted(const Kernel<Row>& inner, const Arguments& arguments);

}  // namespace covary
