// k-fold cross-validation: each observation predicted from the folds it is not in.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "covary/model/fitted_model.h"

namespace covary {

namespace internal {
/// Which of k folds each of n rows is in: sizes differ by at most one, shuffled by the seed. Repeated inputs
/// may fall into different folds. Throws Problem::usage unless 2 <= k <= n.
std::vector<Index> folds(Index n, Index k, std::uint64_t seed);

/// Makes a model from some of the rows (ascending): conditioned with fixed parameters, or fitted anew.
using Refit = std::function<FittedModel(const std::vector<Index>& rows)>;
}  // namespace internal

/// Each observation (n) predicted from the other folds, its noise included: its own of `noise` (of g(y)) if that
/// is of rows, otherwise that of the model each fold was predicted with. k refits.
/// The degrees of freedom are those of the fold with the fewest.
Prediction cross_validate(const Rows& x, const Noise& noise, const std::vector<Index>& fold,
                          const internal::Refit& refit, int threads = 0);

}  // namespace covary
