// Similarities of amino acids from matrices of log-odds scores.
#pragma once
#include <string_view>

#include "covary/base/types.h"

namespace covary::internal {

/// The 20 amino acids; then B, Z and J, each one of two of them; then X (any), * (stop) and - (gap).
constexpr std::string_view amino_acids = "ARNDCQEGHILKMFPSTWYVBZJX*-";

/// The matrices of scores there are, the default first.
std::vector<std::string> score_matrices();

/// 26 x 26, positive semi-definite with a diagonal of 1. The scores of the 20 amino acids with their negative
/// eigenvalues set to 0 are inner products; those of B, Z and J are of the mean of their two, X, * and - are
/// orthogonal to all others; all are then scaled to length 1.
Matrix amino_acid_similarity(std::string_view matrix);

}  // namespace covary::internal
