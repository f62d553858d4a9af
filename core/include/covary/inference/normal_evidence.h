// The log density of independent normal columns that share a covariance matrix, and its gradient: the marginal
// likelihood of every dense model.
//
//   log p(R) = -1/2 (|Z|_F^2 + m log|K| + m n log 2 pi),   K = k(X, X) + diag(noise) = L L'
//   Z = (I - Q Q') L^-1 R                  Q: an orthonormal basis of L^-1 F, the trend at its estimate
//   d log p = sum_ij G_ij dK_ij            G = 1/2 (A A' - m K^-1),  A = L'^-1 Z
//
// n^3/3 flops for the value, n^3 with the slopes. The one n x n matrix is kept between calls.
#pragma once
#include <limits>

#include "covary/algebra/factor.h"

namespace covary::internal {

class NormalEvidence {
 public:
  /// What is observed; borrowed.
  struct Data {
    const Matrix& r;       // n x c
    double columns = 1;    // m: how many columns r r' is the sum of; c unless r is a root of it
    const Matrix& basis;   // n x p: F
    bool accurate = true;  // reject a K that is singular to rounding
  };
  /// Value and slopes of log p, or of the sum of the leave-one-out log densities.
  struct Slopes {
    double value = -std::numeric_limits<double>::infinity();
    double misfit = 0;  // |Z|_F^2
    Vector kernel;      // sum_ij G_ij dK_ij/dtheta of the kernel's theta
    Vector diagonal;    // n: diag G, the slopes in the noise of each row
  };

  /// The value is -infinity where K is not positive definite. Throws a limit Error before it allocates more
  /// than there is.
  Slopes at(const Gram& gram, const Vector& noise, const Data& data, bool slopes, int threads);

  /// Of one column, each row predicted from the others.
  Slopes leave_one_out(const Gram& gram, const Vector& noise, const Data& data, bool slopes, int threads);

 private:
  FactorScratch k_;
};

}  // namespace covary::internal
