// Kernels of categories: category, category_pairs and ordinal. A column holds the codes 0, 1, 2, ... of its levels.
//
//   category         1 where two codes are equal, else one correlation c in (0, 1); a product over columns
//   category_pairs   a correlation for each pair of levels, of low rank: with a loading w_i in R^rank of level i,
//                      C_ij = w_i.w_j / sqrt((1 + |w_i|^2)(1 + |w_j|^2)),  C_ii = 1,
//                    the correlations of W W' + I, positive definite for all loadings. With rank = levels - 1 it comes
//                    as near as one likes to every correlation matrix.
//   ordinal          levels in the order of their codes, at learned distances s_i > 0 from one to the next:
//                      p_0 = 0, p_i = p_(i-1) + s_i,  k = matern52 of p_i - p_j with length-scale 1.
//                    Its functions vary smoothly from level to level, as with doses and grades.
//
// A level that was unseen when the kernel was sized has a correlation too: c for category, 0 for
// category_pairs, and for ordinal that of the next place in the order, one last spacing further.
#pragma once
#include "covary/kernels/kernel.h"
#include "covary/kernels/stationary.h"

namespace covary {

/// One correlation for all columns or one for each; empty: not given, one for each column once data is seen.
Kernel<Row> category(Vector correlation = internal::not_given());

/// Of one column. `loadings`: those of level 0, then those of level 1, ...; empty: not given, for as many levels
/// as the data has. At most 500 levels.
Kernel<Row> category_pairs(int rank = 2, Vector loadings = internal::not_given());

/// Of one column, `spacing` the distances of neighbors in units of the length-scale; one of them serves all levels.
/// Empty: not given, one for each step between the levels of the data. At most 500 levels.
Kernel<Row> ordinal(Vector spacing = internal::not_given());

}  // namespace covary
