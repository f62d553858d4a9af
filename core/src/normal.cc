#include "covary/normal.h"

#include <fmt/format.h>

#include <boost/math/special_functions/erf.hpp>
#include <numbers>

#include "covary/error.h"

namespace covary {

double interval_quantile(double percent) {
  if (!(percent > 0 && percent < 100))
    throw Error(Problem::usage, fmt::format("an interval must lie between 0 and 100 %, found {}", percent));
  // P(|Z| <= z) = erf(z / sqrt2), through the smaller of the share inside and the share outside.
  const double t =
      percent < 50 ? boost::math::erf_inv(percent / 100) : boost::math::erfc_inv((100 - percent) / 100);
  return std::numbers::sqrt2 * t;
}

}  // namespace covary
