// Matrices on a GPU, by the functions of a CUDA module.
#pragma once
#include "algebra/remote/cuda_module.h"
#include "covary/algebra/remote.h"

namespace covary::internal {

/// A device of a module. `module` outlives it.
std::shared_ptr<const Place> cuda_place(const CudaModule& module, int device);

}  // namespace covary::internal
