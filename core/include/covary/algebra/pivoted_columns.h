// The columns of a covariance matrix that tell most of it: a partial Cholesky decomposition with pivots.
//
//   K ~ G G',  G = K_:S L^-T,  K_SS = L L'     S: one row after the other, the largest remaining variance first
//
// This is the greedy choice of points that leaves the least variance elsewhere, and a near-optimal low-rank
// approximation where the eigenvalues of K fall off [harbrecht2012].
#pragma once
#include "covary/algebra/covariances.h"

namespace covary {

struct PivotedColumns {
  std::vector<Index> rows;  // S, in the order they were chosen
  Vector remaining;         // n: diag(K - G G')
};

/// Up to `most` rows, fewer where what remains is below `tolerance` times the largest variance. Rows are chosen
/// in blocks, each among those of the largest variance: n most^2 flops, n most doubles. The choice depends
/// on nothing but K.
PivotedColumns pivoted_columns(const Covariances& k, Index most, double tolerance = 1e-10, int threads = 1);

}  // namespace covary
