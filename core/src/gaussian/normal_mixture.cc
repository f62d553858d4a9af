#include "covary/gaussian/normal_mixture.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/constants.h"
#include "covary/gaussian/univariate.h"

namespace covary {
using namespace internal;
namespace {

constexpr double least_weight = 1e-6;

/// E|d + sqrt(v) Z|, Z standard normal.
double mean_distance(double d, double v) {
  if (v == 0) return std::abs(d);
  const double s = std::sqrt(v), z = d / s;
  return 2 * s * std::exp(-0.5 * (z * z + log_two_pi)) + d * std::erf(z / std::numbers::sqrt2);
}

/// log sum_s exp(a_s - z_s^2/2), z_s = (y - m_s) / sd_s, log sqrt(2 pi) left out.
struct LogDensity {
  std::vector<double> height, mean, scale;
  mutable std::vector<double> terms = std::vector<double>(height.size());
  double operator()(double y) const {
    double most = -infinity;
    for (size_t s = 0; s < terms.size(); ++s) {
      const double z = (y - mean[s]) * scale[s];
      terms[s] = height[s] - 0.5 * z * z;
      most = std::max(most, terms[s]);
    }
    double sum = 0;
    for (const double t : terms) sum += std::exp(t - most);
    return most + std::log(sum);
  }
};

}  // namespace

double NormalMixture::sd() const {
  const double center = mean();
  return std::sqrt(weights.dot((sds.array().square() + (means.array() - center).square()).matrix()));
}

double NormalMixture::crps(double y) const {
  double near = 0, among = 0;
  for (Index s = 0; s < weights.size(); ++s) {
    near += weights[s] * mean_distance(y - means[s], sds[s] * sds[s]);
    for (Index t = 0; t < s; ++t)
      among +=
          weights[s] * weights[t] * mean_distance(means[s] - means[t], sds[s] * sds[s] + sds[t] * sds[t]);
    among += weights[s] * weights[s] * sds[s] / std::sqrt(std::numbers::pi);
  }
  return near - among;
}

double NormalMixture::information() const {
  constexpr int points = 16;  // on either side of the mean
  constexpr double step = 0.375;
  const double least_sd = 1e-9 * sds.maxCoeff();
  if (!(least_sd > 0)) return 0;
  LogDensity p;
  for (Index s = 0; s < weights.size(); ++s) {
    if (weights[s] < least_weight) continue;
    const double sd = std::max(sds[s], least_sd);
    p.height.push_back(std::log(weights[s] / sd));
    p.mean.push_back(means[s]), p.scale.push_back(1 / sd);
  }
  p.terms.resize(p.height.size());
  double share[points + 1], all = 0;
  for (int k = 0; k <= points; ++k) {
    share[k] = std::exp(-0.5 * step * step * k * k);
    all += k == 0 ? share[k] : 2 * share[k];
  }
  double sum = 0;
  for (size_t s = 0; s < p.height.size(); ++s) {
    const double weight = std::exp(p.height[s]) / p.scale[s];
    double divergence = 0;  // int N_s log (N_s / p)
    for (int k = -points; k <= points; ++k) {
      const double z = step * k;
      divergence +=
          share[std::abs(k)] / all * (std::log(p.scale[s]) - 0.5 * z * z - p(p.mean[s] + z / p.scale[s]));
    }
    sum += weight * std::clamp(divergence, 0.0, std::max(0.0, -std::log(weight)));
  }
  return sum;
}

double NormalMixture::entropy() const {
  double own = 0;
  for (Index s = 0; s < weights.size(); ++s)
    if (weights[s] > 0) own += weights[s] * (std::log(sds[s]) + 0.5 * (1 + log_two_pi));
  return std::isfinite(own) ? information() + own : own;
}

}  // namespace covary
