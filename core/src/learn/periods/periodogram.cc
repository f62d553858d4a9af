#include "learn/periods/periodogram.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "covary/base/random.h"

namespace covary {
namespace {

/// y minus its least-squares quadratic in t (t scaled to [-1, 1]).
Vector without_trend(const Vector& t, const Vector& y) {
  const double low = t.minCoeff(), high = t.maxCoeff();
  const Vector u = (t.array() - 0.5 * (low + high)) / (0.5 * (high - low));
  Matrix basis(t.size(), 3);
  basis << Vector::Ones(t.size()), u, u.cwiseAbs2();
  return y - basis * Eigen::ColPivHouseholderQR<Matrix>(basis).solve(y);
}

/// The k largest local maxima of p, the largest first.
std::vector<Index> peaks(const Vector& p, Index k) {
  std::vector<Index> all;
  for (Index i = 0; i < p.size(); ++i)
    if ((i == 0 || p[i] > p[i - 1]) && (i + 1 == p.size() || p[i] >= p[i + 1])) all.push_back(i);
  std::stable_sort(all.begin(), all.end(), [&](Index a, Index b) { return p[a] > p[b]; });
  if (std::ssize(all) > k) all.resize(static_cast<size_t>(k));
  return all;
}

}  // namespace

// With c = cos(2 pi f t), s = sin(2 pi f t): power = b' A^-1 b / y'y,  A = [c'c c's; c's s's], b = [c'y;
// s'y].
Vector periodogram(const Vector& t, const Vector& y, const Vector& frequencies) {
  const double all = y.squaredNorm();
  Vector power = Vector::Zero(frequencies.size());
  if (!(all > 0)) return power;
  for (Index i = 0; i < frequencies.size(); ++i) {
    const Eigen::ArrayXd phase = 2 * std::numbers::pi * frequencies[i] * t.array();
    const Vector c = phase.cos(), s = phase.sin();
    const double cc = c.squaredNorm(), cs = c.dot(s), ss = s.squaredNorm(), cy = c.dot(y), sy = s.dot(y);
    const double det = cc * ss - cs * cs;
    if (det > 1e-10 * cc * ss) power[i] = (ss * cy * cy - 2 * cs * cy * sy + cc * sy * sy) / (det * all);
  }
  return power;
}

Vector peak_periods(const Vector& t_all, const Vector& y_all, Index most) {
  std::vector<Index> rows = Random(1).subset(t_all.size(), std::min<Index>(t_all.size(), 2000));
  const Vector t = t_all(rows), y = y_all(rows);
  if (t.size() < 6) return Vector(0);
  Vector sorted = t;
  std::sort(sorted.begin(), sorted.end());
  const auto last = std::unique(sorted.begin(), sorted.end());
  const auto distinct = static_cast<double>(last - sorted.begin());
  const double range = sorted[Index(distinct) - 1] - sorted[0];
  if (distinct < 6 || !(range > 0) || !std::isfinite(range)) return Vector(0);
  // Frequencies 1/range to (distinct - 1)/(2 range), in steps of a quarter of the resolution 1/range.
  const Index count = std::min<Index>(4000, Index(2 * (distinct - 1)) - 3);
  const Vector f = Vector::LinSpaced(count, 1.0, 0.5 * (distinct - 1)) / range;
  const Vector power = periodogram(t.array() - sorted[0], without_trend(t, y), f);
  const std::vector<Index> top = peaks(power, most);
  Vector periods(std::ssize(top));
  for (size_t i = 0; i < top.size(); ++i) periods[Index(i)] = 1 / f[top[i]];
  return periods;
}

}  // namespace covary
