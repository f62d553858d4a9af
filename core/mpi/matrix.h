// A covariance matrix in tiles on a grid of ranks, by ScaLAPACK: 8 n^2/P bytes on each.
#pragma once
#include <memory>

#include "covary/algebra/remote.h"
#include "grid.h"

namespace covary::internal {

/// On the present group of ranks. All of them call the same verbs in the same order.
std::shared_ptr<RemoteMatrix> cluster_matrix(World& world, Index n);

}  // namespace covary::internal
