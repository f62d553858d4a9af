// The columns of a covariance matrix that explain most of it: a partial, pivoted Cholesky decomposition.
//
//   K ~ G G',  G = K_:S L^-T,  K_SS = L L'
//
// S is drawn row by row with probabilities proportional to the remaining variances: a near-optimal low-rank
// approximation [chen2025]. Taking the largest remaining variance first would select outliers.
#pragma once
#include "covary/algebra/covariances.h"

namespace covary::internal {

struct PivotedColumns {
  std::vector<Index> rows;  // S, in the order they were chosen
  Vector remaining;         // n: diag(K - G G')
};

/// Up to `most` rows, fewer where what remains is below `tolerance` times the largest variance. Rows are drawn
/// in blocks, with a seed of their own: n most^2 flops, n most doubles. The choice depends on K alone.
PivotedColumns pivoted_columns(const Covariances& k, Index most, double tolerance = 1e-10, int threads = 1);

}  // namespace covary::internal
