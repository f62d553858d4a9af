// The stationary processes that states are made of: Matern ones in closed form, and rational approximations of se.
//
//   z' = F z + L w  in units of the length-scale: A(x) = exp(F x), Q(x) = P - A P A' = q int_0^x b b', b(u) = exp(F u) L
//
// All depend on x = rate * step alone. Q is never had as the difference: of a step of x = 1e-4 its smallest entry is
// 1e-20 of P for a Matern-5/2 kernel. Integrals of u^k exp(-2u) are summed as series of positive terms where x is small.
#pragma once
#include "inference/state_space/state_model.h"

namespace covary::internal {

/// x beyond which exp(-x) is 0 beside anything.
constexpr double farthest_step = 350;

/// P of all decays of a term together: the Kronecker product of theirs, d x d. The function is its first state.
Matrix stationary(const StateTerm& term);

/// A and Q (d x d, by column) of a term at m steps dt, one after the other.
void transitions(const StateTerm& term, const double* dt, Index m, double* a, double* q);

/// F of decay k of a term among all of its decays, times its rate: d x d.
Matrix drift(const StateTerm& term, size_t k);

/// The largest order of approximations of se, and how far such a one's correlations are off.
constexpr Index most_se_order = 10;
double se_error(Index order);

/// Weights of the harmonics 0, ..., most of a periodic kernel, and slopes of their logarithms in that of the length-scale.
Vector harmonic_weights(double lengthscale, Index most, Vector* slopes = nullptr);

}  // namespace covary::internal
