// The places that covary most with each place: all that a local criterion looks at [krause2008].
#pragma once
#include "covary/place/field.h"

namespace covary::placing {

struct Neighborhoods {
  std::vector<std::vector<Index>> of;  // n: ascending, itself left out
  /// n: the largest |covariance| with a place that was left out; 0 where all others are exactly 0.
  Vector left_out;
  /// n: the places that have it among theirs, ascending.
  std::vector<std::vector<Index>> holders() const;
};

/// The `most` places with the largest |covariance| with each, those of covariance 0 never; of equals the first.
/// n^2 covariances, 16 columns at a time.
Neighborhoods neighborhoods(const Field& field, Index most, int threads);

}  // namespace covary::placing
