#include "linear/ridge_evidence.h"

#include <cmath>
#include <numbers>

#include "algebra/line_search.h"

namespace covary {
namespace {

constexpr double smallest = 1e-9;  // of the largest sd that is tried

/// The best of values spread evenly in the logarithm, refined between its neighbors.
MostLikely search_parameters(const std::function<double(double)>& value, double lower, double upper) {
  constexpr Index count = 400;
  if (!(upper > lower)) return {upper, false};
  const Vector sds = log_spaced(lower, upper, count);
  Index best = 0;
  sds.unaryExpr(value).maxCoeff(&best);
  if (best == 0 && lower <= smallest * upper) return {lower, true};
  return {golden_section([&](double sd) { return -value(sd); }, sds[std::max<Index>(0, best - 1)],
                         sds[std::min(count - 1, best + 1)]),
          false};
}

}  // namespace

double log_evidence(const RidgeDirections& d, double noise_sd, double prior_sd) {
  const double n = double(d.rows), k = double(d.s.size());
  double sum = n * std::log(2 * std::numbers::pi) + 2 * (n - k) * std::log(noise_sd);
  if (d.rest > 0) sum += d.rest / noise_sd / noise_sd;
  for (Index j = 0; j < d.s.size(); ++j) {
    const double sd = std::hypot(noise_sd, d.s[j] * prior_sd), z = d.c[j] / sd;
    sum += 2 * std::log(sd) + z * z;
  }
  return -0.5 * sum;
}

MostLikely most_likely_noise(const RidgeDirections& d, double prior_sd) {
  const double left = double(d.rows - d.s.size());
  double upper = left > 0 ? std::sqrt(d.rest / left) : 0;
  if (d.c.size()) upper = std::max(upper, d.c.cwiseAbs().maxCoeff());
  const double lower = std::max(std::sqrt(d.rest / double(d.rows)), smallest * upper);
  return search_parameters([&](double sd) { return log_evidence(d, sd, prior_sd); }, lower, upper);
}

MostLikely most_likely_prior(const RidgeDirections& d, double noise_sd) {
  double upper = 0, scale = 0;
  for (Index j = 0; j < d.s.size(); ++j) {
    if (!(d.s[j] > 0)) continue;
    const double c = std::abs(d.c[j]);
    scale = std::max(scale, noise_sd / d.s[j]);
    if (c > noise_sd) upper = std::max(upper, std::sqrt((c - noise_sd) * (c + noise_sd)) / d.s[j]);
  }
  if (upper == 0) return {smallest * (scale > 0 ? scale : 1), true};  // noise explains all there is
  return search_parameters([&](double sd) { return log_evidence(d, noise_sd, sd); }, smallest * upper, upper);
}

}  // namespace covary
