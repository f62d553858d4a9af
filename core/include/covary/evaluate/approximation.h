// How far an approximate posterior is from the exact one with the same hyper-parameters, on random rows that are few enough for
// both.
#pragma once
#include <optional>

#include "covary/model/fitted_model.h"

namespace covary::internal {

struct ApproximationOptions {
  Index given = 2000;   // rows that both are conditioned on; two thirds of fewer than 3000
  Index tested = 1000;  // others that both predict
  std::uint64_t seed = 1;
  int threads = 0;
};

/// Of f, in the units of the model's target (of its transform).
struct ApproximationError {
  std::string inference;
  Index given = 0, tested = 0;
  double log_density = 0, exact_log_density = 0;            // log marginal likelihood for each row given
  double mean_difference = 0, largest_mean_difference = 0;  // rms and largest, in exact sds
  double sd_ratio = 1, least_sd_ratio = 1,
         largest_sd_ratio = 1;  // approximate by exact: geometric mean, extremes
};

/// Empty if the model is exact. With fewer rows neighbors are farther apart than in the whole table.
std::optional<ApproximationError> compared_with_exact(const FittedModel& model,
                                                      const ApproximationOptions& options = {});

}  // namespace covary::internal
