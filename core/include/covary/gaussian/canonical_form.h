// The precision form of a normal distribution, and the block algebra of symmetric matrices behind it.
//
// Covariances are marginalized by choosing rows and conditioned by a Schur complement; precisions the other way
// round.
#pragma once
#include <vector>

#include "covary/base/types.h"

namespace covary {

/// Density proportional to exp(-x'Jx/2 + h'x): J = covariance^-1, h = J mean. J may be singular: no information
/// about some direction. A Gaussian needs a J that is not.
struct CanonicalForm {
  Vector h;  // n
  Matrix j;  // n x n

  /// The marginal of the components `which`, in that order: J_aa - J_ab J_bb^-1 J_ba, h_a - J_ab J_bb^-1 h_b, b
  /// the others. Throws Problem::numerical if J_bb is not positive definite: there is nothing to integrate out.
  CanonicalForm marginal(const std::vector<Index>& which) const;
  /// The conditional of the other components, in their order, given these values of those in `known`:
  /// J_bb, h_b - J_ba x.
  CanonicalForm conditional(const std::vector<Index>& known, const Vector& values) const;
};

/// M_bb - M_ba M_aa^-1 M_ab for the rows `eliminate` (a) of a symmetric matrix; b are the others, in their
/// order. Throws Problem::numerical if M_aa is not positive definite.
Matrix schur_complement(const Matrix& m, const std::vector<Index>& eliminate);

namespace internal {
/// The inverse of a symmetric positive definite matrix by blocks of the rows `first` and the others.
Matrix block_inverse(const Matrix& m, const std::vector<Index>& first);
}  // namespace internal

}  // namespace covary
