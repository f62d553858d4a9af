// Shared by weights.cc (conditioning on rows) and weight_posterior.cc (posterior quantities).
#pragma once
#include <mutex>

#include "covary/linear/weights.h"

namespace covary {
using namespace internal;

/// The triangle, solved.
struct Weights::Answer {
  std::once_flag once;
  Index rank = 0;
  Vector mean;             // N
  Triangle triangle{0};    // in weight space
  Factor factor;           // of R'R, if the rank is full
  Matrix half, nothing;    // else N x rank: (R'R)^+ = half half'; and N x (N - rank): free directions,
  Vector lengths;          // in units of the columns of R, 1 for one that is 0
  double unexplained = 0;  // |R w - z|^2, then

  void solve_deficient(Undetermined undetermined);
};

/// The prior as rows of a least-squares problem whose unit is the noise.
Triangle as_rows(const WeightPrior& prior, const NoisePrior& noise);

/// Whether these columns are independent.
bool full_rank(Matrix columns);

}  // namespace covary
