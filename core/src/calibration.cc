#include "covary/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "covary/error.h"
#include "covary/score.h"

namespace covary {

Calibration::Calibration(const LeaveOneOut& loo, const Vector& y)
    : scores_(standardised(loo.mean, loo.variance.cwiseSqrt(), y).cwiseAbs()) {
  for (double& s : scores_)
    if (std::isnan(s)) s = std::numeric_limits<double>::infinity();  // what could not be predicted
  std::sort(scores_.begin(), scores_.end());
}

double Calibration::factor(double percent) const {
  if (!(percent > 0 && percent < 100))
    throw Error(Problem::usage, fmt::format("an interval must lie between 0 and 100 %, found {}", percent));
  const double n = double(size());
  // Less a few roundings: 99 % of 100 is the 99th.
  const double rank = std::ceil((n + 1) * percent / 100 * (1 - 1e-14));
  if (rank > n)
    throw Error(
        Problem::limit,
        fmt::format("a calibrated interval of {} % needs {} observations, the model has {}: the most they "
                    "allow is {:.4g} %",
                    percent, std::ceil(percent / (100 - percent) * (1 - 1e-14)), size(),
                    std::floor(1e4 * n / (n + 1)) / 100));
  const double score = scores_[static_cast<Index>(rank) - 1];
  if (!std::isfinite(score))
    throw Error(
        Problem::numerical,
        fmt::format("no calibrated interval of {} %: too many observations could not be predicted from the "
                    "others",
                    percent));
  return score;
}

}  // namespace covary
