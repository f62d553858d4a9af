#include "covary/predictive/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/constants.h"
#include "covary/base/error.h"

namespace covary {
namespace {

constexpr std::array<double, 4> levels{50, 90, 95, 99};
constexpr double surely = 2.6;   // standard errors: about one calibrated interval in a hundred strays further
constexpr double perhaps = 1.5;  // enough to say how, once something is surely off
constexpr double matters = 0.05;  // of an interval's width: less is irrelevant in practice

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

double internal::root_mean_square(const Vector& v) {
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

double Coverage::width(const Prediction& family) const {
  if (inside == 0) return 0;
  if (inside == n) return infinity;
  return family.reach(covered()) / family.reach(percent);
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

Scores score(const Prediction& prediction, const Vector& y) {
  const Index n = y.size();
  if (n == 0 || prediction.mean.size() != n)
    throw Error(Problem::usage, fmt::format("scores need as many predictions as observations: {} for {}",
                                            prediction.mean.size(), n));
  const Vector residual = y - prediction.mean, z = prediction.standardized(y), p = prediction.cdf(y);
  const Vector log_density = prediction.log_density(y), crps = prediction.crps(y);
  Scores s;
  s.n = n;
  s.family = prediction.picked({});
  s.rmse = root_mean_square(residual);
  s.mae = (residual.cwiseAbs() / double(n)).sum();
  s.skill = skill(s.rmse, y);
  s.pit.assign(10, 0);
  for (Index i = 0; i < n; ++i) {
    s.nlpd -= log_density[i] / double(n);
    s.crps += crps[i] / double(n);
    ++s.pit[static_cast<size_t>(std::min(9.0, std::floor(10 * p[i])))];
  }
  for (const double level : levels)
    s.coverage.push_back({level, (z.array().abs() <= prediction.reach(level)).count(), n});
  if (!(log_density.array() > -infinity).all()) s.nlpd = infinity;  // NaN too
  s.pit_distance = distance_from_uniform(p);
  s.pit_surprise = 1.63 / std::sqrt(double(n));
  return s;
}

std::string verdict(const Scores& s) {
  // Of what is off both by more than chance and by an amount that matters: the surest.
  const Coverage *narrow = nullptr, *wide = nullptr;
  bool by_chance = true;
  for (const Coverage& c : s.coverage) {
    by_chance = by_chance && std::abs(c.excess()) <= surely;
    if (c.excess() < -surely && c.width(s.family) <= 1 - matters &&
        (!narrow || c.excess() < narrow->excess()))
      narrow = &c;
    if (c.excess() > surely && c.width(s.family) >= 1 + matters && (!wide || c.excess() > wide->excess()))
      wide = &c;
  }
  const Coverage &inner = s.coverage.front(), &outer = s.coverage.back();
  const double bend = inner.width(s.family) / outer.width(s.family);  // above 1: heavy tails
  const std::string normal = s.family.text();
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

std::string internal::evidence_words(double behind) {
  if (behind < 1) return "as good, hardly worth a mention";
  const char* how = behind < 3 ? "positive" : behind < 5 ? "strong" : "very strong";
  return fmt::format("{} evidence against it", how);
}

}  // namespace covary
