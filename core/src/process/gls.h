// Generalized least squares: the trend in the algebra of a process, from L^-1 F (n x p) and R (F'K^-1F = R'R).
#pragma once
#include <utility>
#include <vector>

#include "covary/base/types.h"

namespace covary {

/// a'b by the fast loops.
double dot(const Eigen::Ref<const Vector>& a, const Eigen::Ref<const Vector>& b);

/// R of the QR decomposition of L^-1 F over the rows of the proper columns; its diagonal is positive.
Matrix trend_triangle(const Matrix& half_basis, Index proper);

/// L^-1 (y - F beta) and beta, from half = L^-1 y, by generalized least squares. n p flops.
std::pair<Vector, Vector> trend_weights(const Matrix& half_basis, const Matrix& r, Index proper, Vector half);

/// R'^-1 u for the trend: u = f* - F'K^-1 k*, half = L^-1 k* (n x m); p x m. One column at a time, so that
/// the bits do not depend on m. `kept`: the columns of `basis` (m x ...) that F has.
Matrix trend_part(const Matrix& half_basis, const Matrix& r, const std::vector<Index>& kept,
                  const Matrix& half, const Matrix& basis);

/// The same from F'K^-1 k* (p x m).
Matrix trend_part_of(const Matrix& r, const std::vector<Index>& kept, const Matrix& projections,
                     const Matrix& basis);

/// prior - half'half + u'u: m x m, symmetric. n m^2 flops.
Matrix remaining_covariance(Matrix prior, const Matrix& half, const Matrix& u, int threads);

/// Its diagonal, from that of the prior.
Vector remaining_variance(Vector prior, const Matrix& half, const Matrix& u);

/// Of a variance from n observations, in units of the prior's.
double rounding_level(Index n);

/// Sets variances at the rounding level to 0 and counts them; one far below 0 is an error of the kernel.
Index clamp_variances(Vector& variance, const Vector& prior, Index n);

}  // namespace covary
