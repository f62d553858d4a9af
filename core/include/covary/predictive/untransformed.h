// Predictions of y from those of g(y), for a monotone g (transform.h).
#pragma once
#include "covary/predictive/prediction.h"
#include "covary/predictive/transform.h"

namespace covary::internal {

/// F(y) = F_g(g(y)), quantiles are g^-1 of those of g(y), and log p(y) = log p_g(g(y)) + log g'(y). Mean, sd and
/// CRPS are those of y where g(y) is normal: a t through exp has none. `of_g` itself if g is the identity.
Prediction untransformed(const Prediction& of_g, const Transform& g);

}  // namespace covary::internal
