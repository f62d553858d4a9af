// Explicit features of a kernel of low rank over a pool: a linear kernel of d inputs has d.
//
//   k(x, z) - k(x, o) - k(o, z) + k(o, o) = phi(x)'phi(z),   phi(x) = L^-1 kc(S, x),   L L' = kc(S, S)
//
// S are r candidates that determine the others (pivoted columns), o is the first candidate. m r^2 flops.
#pragma once
#include <optional>

#include "covary/algebra/covariances.h"

namespace covary::internal {

struct ExplicitFeatures {
  Matrix x;                 // m x r: phi
  std::vector<Index> rows;  // r: S
  Matrix lower;             // r x r: L
};

/// Without `centered` k itself is phi'phi. None if k over the pool has a rank of more than `most`, to rounding.
std::optional<ExplicitFeatures> explicit_features(const Covariances& k, Index most, bool centered = true,
                                                  int threads = 1);

/// k centered at the first candidate.
Covariances centered_on_first(const Covariances& k);

}  // namespace covary::internal
