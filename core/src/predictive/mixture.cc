#include "covary/predictive/mixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/constants.h"
#include "covary/gaussian/normal_mixture.h"

namespace covary {
using namespace internal;
namespace {

/// m x S.
template <class F>
Matrix of_parts(const Mixture& mixture, const F& of) {
  Matrix out(mixture.parts.front().mean.size(), std::ssize(mixture.parts));
  for (Index s = 0; s < out.cols(); ++s) out.col(s) = of(mixture.parts[static_cast<size_t>(s)]);
  return out;
}

Matrix means_of(const Mixture& mixture) {
  return of_parts(mixture, [](const Prediction& p) -> const Vector& { return p.mean; });
}

Matrix sds_of(const Mixture& mixture) {
  return of_parts(mixture, [](const Prediction& p) -> const Vector& { return p.sd; });
}

bool all_normal(const Mixture& mixture) {
  return std::all_of(mixture.parts.begin(), mixture.parts.end(),
                     [](const Prediction& p) { return p.symmetric() && p.text() == "normal"; });
}

/// int (F(u) - 1{y <= u})^2 du at each point, over u = y -+ spread sinh(t), t from 0 to 30.
Vector crps_by_simpson(const Mixture& mixture, const Vector& y) {
  constexpr int steps = 3000;
  constexpr double far = 30, step = far / steps;
  const Vector spread =
      (0.5 * (mixture.quantile(0.84) - mixture.quantile(0.16))).cwiseMax(1e-12 * y.cwiseAbs());
  Vector sum = Vector::Zero(y.size());
  for (int k = 0; k <= steps; ++k) {
    const double t = step * k, weight = (k == 0 || k == steps ? 1 : k % 2 == 1 ? 4 : 2) * step / 3;
    const Vector away = std::sinh(t) * spread;
    const Vector below = mixture.cdf(y - away), above = 1 - mixture.cdf(y + away).array();
    sum.array() += weight * std::cosh(t) * spread.array() * (below.array().square() + above.array().square());
  }
  return sum;
}

}  // namespace

static_assert(PredictiveFamily<Mixture>);

Vector Mixture::mean() const { return means_of(*this) * weights; }

Vector Mixture::sd() const {
  const Matrix means = means_of(*this);
  const Vector center = means * weights;
  const Matrix square = sds_of(*this).array().square() + (means.colwise() - center).array().square();
  return (square * weights).cwiseSqrt();
}

Vector Mixture::cdf(const Vector& y) const {
  return of_parts(*this, [&](const Prediction& p) { return p.cdf(y); }) * weights;
}

Vector Mixture::quantile(double p) const {
  const Matrix each = of_parts(*this, [&](const Prediction& part) { return part.quantile(p); });
  Vector low = each.rowwise().minCoeff(), high = each.rowwise().maxCoeff();
  if (!(p > 0 && p < 1)) return p > 0 ? high : low;
  constexpr int most = 200;
  constexpr double close = 4 * eps;
  Vector y = (each * weights).cwiseMax(low).cwiseMin(high);
  std::vector<char> done(static_cast<size_t>(y.size()), 0);
  Index left = y.size();
  for (int k = 0; k < most && left > 0; ++k) {
    const Vector off = cdf(y).array() - p, density = log_density(y).array().exp();
    for (Index i = 0; i < y.size(); ++i) {
      if (done[static_cast<size_t>(i)]) continue;
      (off[i] > 0 ? high : low)[i] = y[i];
      const double width = high[i] - low[i], newton = y[i] - off[i] / density[i];
      const bool safe = std::isfinite(density[i]) && newton > low[i] && newton < high[i];
      const double next = safe && (k % 8 != 7) ? newton : low[i] + 0.5 * width;
      const double scale = std::max(std::abs(low[i]), std::abs(high[i]));
      if (off[i] == 0 || !(width > close * scale) || std::abs(next - y[i]) <= 0.25 * eps * scale)
        done[static_cast<size_t>(i)] = 1, --left;
      else
        y[i] = next;
    }
  }
  return y;
}

Vector Mixture::log_density(const Vector& y) const {
  const Matrix each = of_parts(*this, [&](const Prediction& p) { return p.log_density(y); });
  const Vector most = each.rowwise().maxCoeff();
  Vector out(y.size());
  for (Index i = 0; i < y.size(); ++i)
    out[i] = std::isfinite(most[i])
                 ? most[i] + std::log((each.row(i).array() - most[i]).exp().matrix().dot(weights))
                 : most[i];
  return out;
}

Vector Mixture::crps(const Vector& y) const {
  if (!all_normal(*this)) return crps_by_simpson(*this, y);
  const Matrix means = means_of(*this), sds = sds_of(*this);
  Vector out(y.size());
  for (Index i = 0; i < y.size(); ++i) {
    const Vector mean = means.row(i), sd = sds.row(i);
    out[i] = NormalMixture{weights, mean, sd}.crps(y[i]);
  }
  return out;
}

Mixture Mixture::picked(const std::vector<Index>& which) const {
  Mixture out{{}, weights};
  for (const Prediction& p : parts) out.parts.push_back(p.picked(which));
  return out;
}

Mixture Mixture::joined(const Mixture& more) const {
  if (more.weights != weights) throw Error(Problem::usage, "mixtures of different weights cannot be joined");
  Mixture out{{}, weights};
  for (size_t s = 0; s < parts.size(); ++s) out.parts.push_back(parts[s].joined(more.parts[s]));
  return out;
}

Mixture Mixture::scaled(double by) const {
  Mixture out{{}, weights};
  for (const Prediction& p : parts) out.parts.push_back(p.scaled(by));
  return out;
}

std::string Mixture::text() const {
  return fmt::format("a mixture of {} {}", parts.size(), parts.front().text());
}

Prediction internal::mixture_of(std::vector<Prediction> parts, const Vector& weights) {
  if (parts.empty() || std::ssize(parts) != weights.size())
    throw Error(Problem::usage, fmt::format("mixture: {} weights for {} parts, expected as many, 1 or more",
                                            weights.size(), parts.size()));
  if (!(weights.minCoeff() >= 0) || !(std::abs(weights.sum() - 1) < 1e-9))
    throw Error(Problem::usage,
                fmt::format("mixture: weights must not be negative and sum to 1, found a sum of {:g}",
                            weights.sum()));
  Index clamped = 0;
  for (const Prediction& p : parts) {
    if (p.mean.size() != parts.front().mean.size())
      throw Error(Problem::usage, fmt::format("mixture: parts of {} and {} points", parts.front().mean.size(),
                                              p.mean.size()));
    clamped = std::max(clamped, p.clamped);
  }
  if (parts.size() == 1) return std::move(parts.front());
  return {Mixture{std::move(parts), weights}, clamped};
}

}  // namespace covary
