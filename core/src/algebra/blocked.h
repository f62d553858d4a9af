// Dense factorizations by blocks, on our own loops (simd/product.cc): what LAPACK and BLAS do elsewhere. One thread,
// lower triangles, column-major.
#pragma once
#include "covary/base/types.h"

namespace covary::blocked {

using Block = Eigen::Ref<Matrix>;
using ConstBlock = Eigen::Ref<const Matrix>;

enum class Op { plain, transposed };

/// C <- C + alpha op(A) op(B); lower: only its lower triangle. 2 m n k flops, or half.
void add_product(double alpha, const ConstBlock& a, Op op_a, const ConstBlock& b, Op op_b, Block c,
                 bool lower = false);

/// A = L L' in place; 0, or the number (from 1) of the pivot that was not positive. n^3/3 flops.
Index cholesky(Block a);
/// L -> L^-1, in place. n^3/3 flops.
void invert_lower(Block l);
/// L -> lower triangle of (L L')^-1, in place. 2n^3/3 flops.
void inverse_from_cholesky(Block l);
/// B <- L^-1 B, or L'^-1 B. n^2 m flops.
void solve_lower(const ConstBlock& l, Block b);
void solve_lower_transposed(const ConstBlock& l, Block b);

}  // namespace covary::blocked
