// A ridge problem in the directions along which its penalty acts one by one.
//
//   Phi w = Phi_0 w_0 + A v,  v = scale w:  w_0 is not penalized
//   Phi_0 = Q_0 R_0,  A less its part in Phi_0 = U S V',  c = U'y
//   v = V (s c / (s^2 + penalty)),  w_0 = R_0^-1 (z_0 - R_0A v)
#pragma once
#include <optional>

#include "covary/algebra/qr_triangle.h"
#include "linear/left_out.h"

namespace covary {
using namespace internal;

struct RidgeDirections {
  Index rows = 0, columns = 0;         // n, N
  std::vector<Index> free, penalized;  // columns of Phi: q that are not penalized and independent; P
  Index dropped = 0;                   // columns not penalized that depend on the others of these
  Vector shrink;                       // P: 1 / scale
  Matrix r0, r0a;                      // q x q upper, q x P: Q_0'A
  Vector z0;                           // q: Q_0'y
  Vector s, c;                         // k, s descending, 0 where it is rounding
  Matrix v;                            // P x k
  double rest = 0;                     // squares of y that no weights explain
  std::optional<LeftOut> held;         // for n <= N: U in full, for leave-one-out

  /// N x L.
  Matrix weights(const Vector& penalties) const;
  /// L: root mean squared errors of rows left out; for n > N in one pass over them: 2 n N^2 + 4 n N L flops.
  /// `uncounted`: rows that cannot be left out.
  Vector left_out(const RowBlocks& phi, const Vector& y, const Vector& penalties, int threads,
                  Index& uncounted) const;
};

/// Throws Problem::data unless there are rows and residuals of y to determine the penalized weights by, and,
/// where it is `chosen`, to choose a penalty by.
void check_left(const RidgeDirections& d, bool chosen);

/// `scale`: N. Throws Problem::data naming the row and column of a value that is not finite.
RidgeDirections ridge_directions(const RowBlocks& phi, const Vector& y, const Vector& scale, int threads);
/// From the triangle of n rows [Phi y]; nothing can be left out of it.
RidgeDirections ridge_directions(const Triangle& t, Index rows, const Vector& scale, int threads);

}  // namespace covary
