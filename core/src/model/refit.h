// A model from some of its rows: with its own parameters, or with parameters fitted to those rows alone.
#pragma once
#include <limits>
#include <vector>

#include "covary/model/fitted_model.h"

namespace covary {

struct RefitOptions {
  int threads = 0;
  double max_seconds = std::numeric_limits<double>::infinity();
};

/// Both predict in the units of y, and know nothing else of the model.
FittedModel conditioned(const FittedModel& model, const std::vector<Index>& rows, int threads);
FittedModel relearned(const FittedModel& model, const std::vector<Index>& rows, const RefitOptions& options);

/// Throws Problem::usage if the model lacks its request (version 1).
void check_can_relearn(const FittedModel& model);

}  // namespace covary
