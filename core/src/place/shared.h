// Common parts of several criteria.
#pragma once
#include "covary/algebra/gram.h"
#include "covary/base/parallel.h"
#include "covary/place/criterion.h"

namespace covary::placing {
using namespace internal;

/// n: of a sensor at each place.
Vector noise_of(const PlacementProblem& problem);

/// The field given the existing sensors.
Conditioned standing(const PlacementProblem& problem, const Field& field, int threads);

/// Mutual information with the targets of the problem, which hold no sensors: n |T| numbers.
std::unique_ptr<Criterion> about_targets(const PlacementProblem& problem, const Field& field, int threads);

/// The field's covariances for factorizing.
Gram gram_of(const Field& field);

/// The same number for 1, ..., allowed.left() sensors.
Vector all_of(const Allowed& allowed, double value);
/// fn(i) for i = 0, ..., n - 1, each of about `flops`, across threads where that pays.
void for_each_column(Index n, Index flops, int threads, const std::function<void(Index)>& fn);

}  // namespace covary::placing
