#include "covary/gaussian/univariate.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "covary/base/error.h"

namespace covary {
namespace {

void check_freedom(double freedom) {
  if (!(freedom > 0))
    throw Error(Problem::usage, fmt::format("degrees of freedom must be positive, found {}", freedom));
}

void check_percent(double percent) {
  if (!(percent > 0 && percent < 100))
    throw Error(Problem::usage, fmt::format("an interval must lie between 0 and 100 %, found {}", percent));
}

double normal_density(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi); }

/// Gamma(a) / Gamma(a + 1/2)
double half_step(double a) { return boost::math::tgamma_delta_ratio(a, 0.5); }

/// (v + 1)/2 log(1 + t^2/v)
double tail(double t, double freedom) {
  const double u = std::abs(t) / std::sqrt(freedom);
  return 0.5 * (freedom + 1) * (u < 1e100 ? std::log1p(u * u) : 2 * std::log(u));
}

}  // namespace

double internal::interval_quantile(double percent) {
  check_percent(percent);
  // P(|Z| <= z) = erf(z / sqrt2), through the smaller of the share inside and the share outside.
  const double t =
      percent < 50 ? boost::math::erf_inv(percent / 100) : boost::math::erfc_inv((100 - percent) / 100);
  return std::numbers::sqrt2 * t;
}

double internal::interval_quantile(double percent, double freedom) {
  check_freedom(freedom);
  if (std::isinf(freedom)) return interval_quantile(percent);
  check_percent(percent);
  // P(|T| <= t) = I_x(1/2, v/2), x = t^2/(v + t^2)
  double rest = 0;  // 1 - x
  const double x = percent < 50 ? boost::math::ibeta_inv(0.5, freedom / 2, percent / 100, &rest)
                                : boost::math::ibetac_inv(0.5, freedom / 2, (100 - percent) / 100, &rest);
  return std::sqrt(freedom * x / rest);
}

double internal::student_quantile(double p, double freedom) {
  check_freedom(freedom);
  if (!(p >= 0 && p <= 1))
    throw Error(Problem::usage, fmt::format("a probability must lie between 0 and 1, found {}", p));
  const double beyond = 2 * std::min(p, 1 - p);  // P(|T| > t)
  double t = std::numeric_limits<double>::infinity();
  if (beyond > 0 && std::isinf(freedom)) {
    t = std::numbers::sqrt2 * boost::math::erfc_inv(beyond);
  } else if (beyond > 0) {
    double rest = 0;  // 1 - x, as in interval_quantile
    const double x = boost::math::ibetac_inv(0.5, freedom / 2, beyond, &rest);
    t = std::sqrt(freedom * x / rest);
  }
  return p < 0.5 ? -t : t;
}

double internal::student_cdf(double t, double freedom) {
  check_freedom(freedom);
  if (std::isinf(freedom)) return 0.5 * std::erfc(-t / std::numbers::sqrt2);
  if (!(std::abs(t) >= 0) || t == 0) return t + 0.5;  // NaN stays NaN
  // Beyond |t| on one side lies I_x(v/2, 1/2) / 2, x = v/(v + t^2): through the smaller share and argument.
  const double u = t * t / freedom, a = freedom / 2;
  const double beyond = std::abs(t) < 1 ? 0.5 - 0.5 * boost::math::ibeta(0.5, a, u / (1 + u))
                        : u < 1         ? 0.5 * boost::math::ibetac(0.5, a, u / (1 + u))
                                        : 0.5 * boost::math::ibeta(a, 0.5, 1 / (1 + u));
  return t < 0 ? beyond : 1 - beyond;
}

double internal::student_log_density(double t, double freedom) {
  check_freedom(freedom);
  if (std::isinf(freedom)) return -0.5 * t * t - 0.5 * std::log(2 * std::numbers::pi);
  return -std::log(half_step(freedom / 2)) - 0.5 * std::log(freedom * std::numbers::pi) - tail(t, freedom);
}

double internal::log_gamma(double x) { return boost::math::lgamma(x); }

double internal::student_crps(double t, double freedom) {
  check_freedom(freedom);
  if (std::isinf(freedom))
    return t * std::erf(t / std::numbers::sqrt2) + 2 * normal_density(t) - 1 / std::sqrt(std::numbers::pi);
  if (freedom <= 1 || std::isinf(t)) return std::numeric_limits<double>::infinity();
  const double v = freedom, size = std::abs(t), halves = half_step(v / 2);
  const double density_part = std::exp(student_log_density(t, v) + 2 * std::log(std::hypot(std::sqrt(v), t)));
  const double spread = std::sqrt(v) * half_step(v - 0.5) / (std::sqrt(std::numbers::pi) * halves * halves);
  return size * (1 - 2 * student_cdf(-size, v)) + 2 * (density_part - spread) / (v - 1);
}

}  // namespace covary
