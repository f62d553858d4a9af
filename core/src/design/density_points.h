// Points over ranges of parameters, and the volumes that they stand for.
#pragma once
#include <functional>

#include "covary/base/random.h"
#include "covary/design/parameter_prior.h"

namespace covary::design {

/// Points (m x d) and the log of the volume that each stands for (m).
struct WeightedPoints {
  Matrix points;
  Vector log_volume;
  Vector step = Vector(0);  // d: of a grid
};

/// Points `first`, ..., first + count - 1 of a Halton sequence over the ranges, shifted at random (modulo 1) by the
/// seed; from the 20th parameter on they are uniform [halton1960].
Matrix halton(const std::vector<ParameterPrior>& prior, Index first, Index count, std::uint64_t seed);

/// The trapezoidal rule: counts of points along each parameter.
WeightedPoints grid(const std::vector<ParameterPrior>& prior, const std::vector<Index>& count);

/// `count` points by adaptive importance sampling (population Monte Carlo [cappe2004]) of exp(log_density). Rounds of
/// a tenth of the points, the first a Halton sequence, the others drawn from a mixture q of normals of three widths
/// around points of the round before, resampled by their weights exp(log_density)/q, with a tenth of uniform ones.
/// Weights are tempered, w^beta, while few points have any, so that a density that is narrow in its ranges is found step
/// by step. The points are drawn from the last mixture alone: each stands for 1/(count q(x)), and none has moved q.
WeightedPoints importance(const std::vector<ParameterPrior>& prior, Index count, std::uint64_t seed,
                          const std::function<Vector(const Rows&)>& log_density);

/// log sum_i exp(v_i); -infinity of none.
double log_sum_exp(const Vector& v);

/// `count` places drawn with probabilities p by systematic resampling, ascending.
std::vector<Index> systematic(const Vector& p, Index count, Random& rng);

}  // namespace covary::design
