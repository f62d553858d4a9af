// Each observation of a model predicted from the others: the input of scores, calibration and diagnostic plots.
#pragma once
#include <functional>

#include "covary/evaluate/conformal.h"
#include "covary/evaluate/folds.h"
#include "covary/model/fitted_model.h"

namespace covary {

struct CheckOptions {
  Index folds = 0;         // 0: leave-one-out, in closed form
  bool refit = false;      // fit the parameters anew in each fold, as was requested
  std::uint64_t seed = 1;  // of the folds
  int threads = 0;         // 0: all
  double max_seconds = std::numeric_limits<double>::infinity();  // of each refit
  std::function<void(Index done, Index folds)> progress = {};    // before each fold
};

/// Mean and standard deviation of each observation, its noise included, in the units of y: n. NaN and
/// infinity where the others do not determine the trend. Throws Problem::usage if folds are not 2 to n, or if
/// refit is set without folds or for a model without its request (version 1).
Prediction left_out(const FittedModel& model, const CheckOptions& options = {});

/// Predictions of new observations at rows x (m x d), their noise included: m, in the units of y. A model
/// with one noise for each row needs theirs: `noise_sd` (m), of y (of g(y)). Throws Problem::usage without.
Prediction held_out(const FittedModel& model, const Rows& x, const Vector& noise_sd = Vector(0),
                    int threads = 0);

namespace internal {
/// How many of the rows x, y (m) the model was fitted to, inputs and target the same to the bit. O((n + m)
/// log n)
Index rows_in_common(const FittedModel& model, const Rows& x, const Vector& y);
}  // namespace internal

/// Of intervals of y, by leave-one-out.
Calibration calibration(const FittedModel& model, int threads = 0);

}  // namespace covary
