// Dense factorizations from LAPACK, or from Eigen where there is none. All on lower triangles, column-major.
//
// threads = 1 runs beside other calls; more threads have BLAS to themselves while they run, because a
// threaded OpenBLAS must not be entered twice at once. So these calls never nest.
#pragma once
#include "covary/base/types.h"

namespace covary::blas {

using Block = Eigen::Ref<Matrix>;
using ConstBlock = Eigen::Ref<const Matrix>;

/// A = L L' in place; 0, or the number (from 1) of the pivot that was not positive. n^3/3 flops.
Index cholesky(Block a, int threads);

/// L -> lower triangle of (L L')^-1, in place. 2n^3/3 flops.
void inverse_from_cholesky(Block l, int threads);

/// L -> L^-1, in place. n^3/3 flops.
void invert_lower(Block l, int threads);

/// B <- L^-1 B, or L'^-1 B. n^2 m flops.
void solve_lower(ConstBlock l, Block b, int threads);
void solve_lower_transposed(ConstBlock l, Block b, int threads);

/// C <- beta C + alpha A B and C <- beta C + alpha A' B.
void multiply(double alpha, ConstBlock a, ConstBlock b, double beta, Block c, int threads);
void multiply_transposed(double alpha, ConstBlock a, ConstBlock b, double beta, Block c, int threads);

/// Lower triangle of C <- beta C + alpha A A'.
void rank_update(double alpha, ConstBlock a, double beta, Block c, int threads);
/// ... + alpha A'A.
void rank_update_transposed(double alpha, ConstBlock a, double beta, Block c, int threads);

/// A = Q R: R in the upper triangle, reflections below it and in what is returned. 2 m n^2 - 2 n^3/3 flops
/// for m x n.
Vector reflect(Block a, int threads);
/// ... then the reflections -> Q (m x n, m >= n), in place. As many flops again.
void form_orthogonal(Block a, const Vector& reflections, int threads);
/// A = Q R, where only R is wanted: in the upper triangle, and what stands below is of no use. The same
/// flops, sooner.
void reduce(Block a, int threads);

/// The eigenvalues of a symmetric A, ascending; A is lost. 4n^3/3 flops.
Vector eigenvalues(Block a, int threads);
/// The same, and A <- its eigenvectors, in columns. About 9n^3 flops.
Vector eigenvectors(Block a, int threads);

/// A = U diag(s) V', s descending, with k = min(m, n) columns in U (m x k) and V (n x k); A is lost.
struct Singular {
  Matrix u;
  Vector s;
  Matrix v;
};
Singular singular(Block a, int threads);

/// Estimate of 1 / condition number (1-norm) of the matrix with factor L and 1-norm `norm`.
double reciprocal_condition(ConstBlock l, double norm);

}  // namespace covary::blas
