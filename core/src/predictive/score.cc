#include "covary/predictive/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/constants.h"
#include "covary/base/error.h"
#include "covary/gaussian/univariate.h"

namespace covary {
namespace {

constexpr std::array<double, 4> levels{50, 90, 95, 99};
constexpr double surely = 2.6;   // standard errors: about one calibrated interval in a hundred strays further
constexpr double perhaps = 1.5;  // enough to say how, once something is surely off
constexpr double matters = 0.05;  // of an interval's width: less is of no use to anybody

double crps(double residual, double sd, double freedom) {
  return sd == 0 ? std::abs(residual) : sd * student_crps(residual / sd, freedom);
}

double negative_log_density(double z, double sd, double freedom) {
  if (!std::isinf(freedom)) return std::log(sd) - student_log_density(z, freedom);
  return std::log(sd) + 0.5 * z * z + 0.5 * std::log(2 * std::numbers::pi);
}

/// The largest distance between the empirical distribution of p and the uniform one. O(n log n)
double distance_from_uniform(Vector p) {
  std::sort(p.begin(), p.end());
  const double n = double(p.size());
  double most = 0;
  for (Index i = 0; i < p.size(); ++i)
    most = std::max({most, double(i + 1) / n - p[i], p[i] - double(i) / n});
  return most;
}

std::string covers(const Coverage& c) {
  return fmt::format("{:g} % covers {:.3g} %", c.percent, c.covered());
}

}  // namespace

/// The power of two at the largest entry; 1 of zeros.
static double unit_of(const Vector& v) {
  const double most = v.size() ? v.cwiseAbs().maxCoeff() : 0;
  return most > 0 && std::isfinite(most) ? std::exp2(std::floor(std::log2(most))) : 1;
}

double root_mean_square(const Vector& v) {
  const double unit = unit_of(v);
  return unit * std::sqrt((v / unit).squaredNorm() / double(v.size()));
}

double skill(double rmse, const Vector& y) {
  const double unit = unit_of(y);
  const Vector scaled = y / unit;
  const double sd = root_mean_square(scaled.array() - scaled.mean());
  const double share = rmse / unit / sd;
  return sd > 0 ? 1 - share * share : 0;
}

double Coverage::excess() const {
  const double p = percent / 100;
  return (covered() - percent) / (100 * std::sqrt(p * (1 - p) / double(n)));
}

double Coverage::width(double freedom) const {
  if (inside == 0) return 0;
  if (inside == n) return std::numeric_limits<double>::infinity();
  return interval_quantile(covered(), freedom) / interval_quantile(percent, freedom);
}

Vector standardized(const Vector& mean, const Vector& sd, const Vector& y) {
  Vector z = (y - mean).cwiseQuotient(sd);
  for (Index i = 0; i < z.size(); ++i)
    if (sd[i] == 0 && y[i] == mean[i]) z[i] = 0;
  return z;
}

Vector probability_integral_transform(const Vector& z, double freedom) {
  return z.unaryExpr([freedom](double each) { return student_cdf(each, freedom); });
}

double r_squared(const Vector& mean, const Vector& y) {
  if (mean.size() != y.size())
    throw Error(Problem::usage,
                fmt::format("score: expected {} observations, found {}", mean.size(), y.size()));
  if (y.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  const Vector left = y - mean, spread = y.array() - y.mean();
  if (left.isZero(0)) return 1;
  if (spread.isZero(0)) return 0;
  const double share = left.stableNorm() / spread.stableNorm();
  return 1 - share * share;
}

Scores score(const Vector& mean, const Vector& sd, const Vector& y, double freedom) {
  if (y.size() == 0 || mean.size() != y.size() || sd.size() != y.size())
    throw Error(Problem::usage,
                fmt::format("scores need as many predictions as observations: {} and {} for {}", mean.size(),
                            sd.size(), y.size()));
  const Index n = y.size();
  const Vector residual = y - mean, z = standardized(mean, sd, y);
  const Vector p = probability_integral_transform(z, freedom);
  Scores s;
  s.n = n;
  s.freedom = freedom;
  s.rmse = root_mean_square(residual);
  s.mae = (residual.cwiseAbs() / double(n)).sum();
  s.skill = skill(s.rmse, y);
  s.pit.assign(10, 0);
  for (Index i = 0; i < n; ++i) {
    s.nlpd += negative_log_density(z[i], sd[i], freedom) / double(n);
    s.crps += crps(residual[i], sd[i], freedom) / double(n);
    ++s.pit[static_cast<size_t>(std::min(9.0, std::floor(10 * p[i])))];
  }
  for (const double level : levels) {
    const double q = interval_quantile(level, freedom);
    s.coverage.push_back({level, (z.array().abs() <= q).count(), n});
  }
  if (!z.allFinite()) s.nlpd = std::numeric_limits<double>::infinity();
  s.pit_distance = distance_from_uniform(p);
  s.pit_surprise = 1.63 / std::sqrt(double(n));
  return s;
}

Vector standardized(const Prediction& p, const Vector& y) {
  if (p.transform.is_identity()) return standardized(p.mean, p.sd, y);
  return standardized(p.location, p.scale, p.transform(y));
}

/// 2 int (1{u > z} - Phi(u)) (Q(u) - y) phi(u) du with Q(u) = g^-1(m + s u) and z = (g(y) - m)/s: the
/// quantile form of the CRPS, by Simpson's rule on either side of z. exp moves the weight by at most s
/// log 10.
static double transformed_crps(const Transform& g, double m, double s, double y) {
  constexpr double most = 40;
  if (s == 0) return std::abs(y - g.inverse(m));
  const double reach = 9 + std::numbers::ln10 * s;
  if (!(reach < 9 + most)) return infinity;
  const double z = std::clamp((g(y) - m) / s, -reach, reach);
  const auto simpson = [&](double from, double to, bool above) {
    const auto value = [&](double u) {
      const double below = student_cdf(u, infinity);
      return (above ? 1 - below : -below) * (g.inverse(m + s * u) - y) * std::exp(-0.5 * u * u);
    };
    const int n = 2 * std::max(1, static_cast<int>(std::ceil((to - from) * 8)));
    const double step = (to - from) / n;
    double sum = value(from) + value(to);
    for (int i = 1; i < n; ++i) sum += (i % 2 == 1 ? 4 : 2) * value(from + i * step);
    return sum * step / 3;
  };
  return 2 / std::sqrt(2 * std::numbers::pi) * (simpson(-reach, z, false) + simpson(z, reach, true));
}

Scores score(const Prediction& p, const Vector& y) {
  if (p.transform.is_identity()) return score(p.mean, p.sd, y, p.freedom);
  const double n = double(y.size());
  Scores s = score(p.location, p.scale, p.transform(y), p.freedom);
  const Vector residual = y - p.mean;
  const double variance = (y.array() - y.mean()).square().mean();
  s.rmse = std::sqrt(residual.squaredNorm() / n), s.mae = residual.cwiseAbs().mean();
  s.skill = variance > 0 ? 1 - s.rmse * s.rmse / variance : 0;
  s.nlpd -= p.transform.log_jacobian(y) / n;
  s.crps = 0;
  for (Index i = 0; i < y.size(); ++i)
    s.crps += transformed_crps(p.transform, p.location[i], p.scale[i], y[i]) / n;
  return s;
}

std::string verdict(const Scores& s) {
  // Of what is off both by more than chance and by an amount that matters: the surest.
  const Coverage *narrow = nullptr, *wide = nullptr;
  bool by_chance = true;
  for (const Coverage& c : s.coverage) {
    by_chance = by_chance && std::abs(c.excess()) <= surely;
    if (c.excess() < -surely && c.width(s.freedom) <= 1 - matters &&
        (!narrow || c.excess() < narrow->excess()))
      narrow = &c;
    if (c.excess() > surely && c.width(s.freedom) >= 1 + matters && (!wide || c.excess() > wide->excess()))
      wide = &c;
  }
  const Coverage &inner = s.coverage.front(), &outer = s.coverage.back();
  const double bend = inner.width(s.freedom) / outer.width(s.freedom);  // above 1: heavy tails
  const std::string normal =
      std::isinf(s.freedom) ? "normal" : fmt::format("a t of freedom {:.3g}", s.freedom);
  if ((narrow || wide) && inner.excess() > perhaps && outer.excess() < -perhaps && bend >= 1 + matters)
    return fmt::format("the tails are heavier than {}: {}, but {}", normal, covers(inner), covers(outer));
  if (narrow && inner.excess() < -perhaps && outer.excess() > 0 && bend <= 1 - matters)
    return fmt::format("the tails are lighter than {}: {}, but {}", normal, covers(inner), covers(outer));
  if (narrow) return "intervals are too narrow: " + covers(*narrow);
  if (wide) return "intervals are too wide: " + covers(*wide);
  if (by_chance)
    return fmt::format("intervals are as wide as they should be, as far as {} observations can tell: {}", s.n,
                       covers(s.coverage[2]));
  return fmt::format("intervals are as wide as they should be, to {:g} % of their width: {}", 100 * matters,
                     covers(s.coverage[2]));
}

std::string evidence_words(double behind) {
  if (behind < 1) return "as good, hardly worth a mention";
  const char* how = behind < 3 ? "positive" : behind < 5 ? "strong" : "very strong";
  return fmt::format("{} evidence against it", how);
}

}  // namespace covary
