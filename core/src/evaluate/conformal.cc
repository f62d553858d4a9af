#include "covary/evaluate/conformal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "covary/base/error.h"

namespace covary {

Calibration::Calibration(const Prediction& prediction, const Vector& y)
    : scores_(prediction.standardized(y).cwiseAbs()) {
  for (double& s : scores_)
    if (std::isnan(s)) s = std::numeric_limits<double>::infinity();
  std::sort(scores_.begin(), scores_.end());
}

/// The rank of the score, from 1; above n if n are too few.
Index Calibration::rank(double percent) const {
  if (!(percent > 0 && percent < 100))
    throw Error(Problem::usage, fmt::format("an interval must lie between 0 and 100 %, found {}", percent));
  // Less a few roundings: 99 % of 100 is the 99th.
  return static_cast<Index>(std::ceil(double(size() + 1) * percent / 100 * (1 - 1e-14)));
}

bool Calibration::allows(double percent) const {
  return rank(percent) <= size() && std::isfinite(scores_[rank(percent) - 1]);
}

double Calibration::factor(double percent) const {
  const double n = double(size());
  if (rank(percent) > size())
    throw Error(
        Problem::limit,
        fmt::format("a calibrated interval of {} % needs {} observations, the model has {}: the most they "
                    "allow is {:.4g} %",
                    percent, std::ceil(percent / (100 - percent) * (1 - 1e-14)), size(),
                    std::floor(1e4 * n / (n + 1)) / 100));
  if (!allows(percent))
    throw Error(
        Problem::numerical,
        fmt::format("no calibrated interval of {} %: too many observations could not be predicted from the "
                    "others",
                    percent));
  return scores_[rank(percent) - 1];
}

}  // namespace covary
