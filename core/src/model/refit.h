// A model from some of its rows: with the parameters it has, or with parameters learned from those alone.
#pragma once
#include <limits>
#include <vector>

#include "covary/model/model_file.h"

namespace covary {

struct RefitOptions {
  int threads = 0;
  double max_seconds = std::numeric_limits<double>::infinity();
};

/// Both are of g(y) / scale, g the transform of the target: without the way back.
Predictor conditioned(const SavedModel& model, const std::vector<Index>& rows, int threads);
Predictor relearned(const SavedModel& model, const std::vector<Index>& rows, const RefitOptions& options);

/// Throws Problem::usage if the model does not say what was asked for.
void check_can_relearn(const SavedModel& model);

}  // namespace covary
