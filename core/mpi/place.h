// The ranks of a run as a place for covariance matrices (algebra/remote.h).
#pragma once
#include <memory>
#include <optional>

#include "covary/algebra/remote.h"
#include "world.h"

namespace covary::internal {

/// `smallest`: rows from which a matrix is in tiles; if not given, as many as pay, and never on one rank.
std::shared_ptr<const Place> cluster_place_of(World& world, std::optional<Index> smallest = {});

}  // namespace covary::internal
