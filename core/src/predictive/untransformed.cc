#include "covary/predictive/untransformed.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/constants.h"

namespace covary {
using namespace internal;
namespace {

/// 2 int (1{u > z} - Phi(u)) (Q(u) - y) phi(u) du with Q(u) = g^-1(m + s u) and z = (g(y) - m)/s: the
/// quantile form of the CRPS, by Simpson's rule on either side of z. exp moves the weight by at most s
/// log 10.
double transformed_crps(const Transform& g, double m, double s, double y) {
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

/// The distribution of g^-1 of what is predicted.
struct Untransformed {
  Prediction of_g;
  Transform g;
  Vector means, sds;  // m
  double freedom;

  /// g(y); below or above everything where y is outside of what g takes.
  Vector z(const Vector& y) const {
    return y.unaryExpr([this](double each) {
      const double out = g(each);
      if (!std::isnan(out) || std::isnan(each)) return out;
      return each < g.inverse(0) ? -infinity : infinity;
    });
  }

  Vector mean() const { return means; }
  Vector sd() const { return sds; }
  Vector cdf(const Vector& y) const { return of_g.cdf(z(y)); }
  Vector quantile(double p) const { return g.inverse(of_g.quantile(p)); }
  Vector log_density(const Vector& y) const {
    Vector out = of_g.log_density(z(y));
    for (Index i = 0; i < out.size(); ++i)
      if (out[i] > -infinity) out[i] += g.log_derivative(y[i]);
    return out;
  }
  Vector crps(const Vector& y) const {
    Vector out(y.size());
    for (Index i = 0; i < y.size(); ++i) out[i] = transformed_crps(g, of_g.mean[i], of_g.sd[i], y[i]);
    return out;
  }
  Vector standardized(const Vector& y) const { return of_g.standardized(z(y)); }
  Vector at(double k) const { return g.inverse(of_g.at(k)); }
  double reach(double percent) const { return of_g.reach(percent); }
  Untransformed picked(const std::vector<Index>& which) const {
    return {of_g.picked(which), g, means(which), sds(which), freedom};
  }
  Untransformed joined(const Untransformed& more) const {
    return {of_g.joined(more.of_g), g, concat(means, more.means), concat(sds, more.sds),
            std::min(freedom, more.freedom)};
  }
  std::string text() const { return of_g.text(); }
};

static_assert(PredictiveFamily<Untransformed>);

}  // namespace

Prediction internal::untransformed(const Prediction& p, const Transform& g) {
  if (g.is_identity()) return p;
  Vector mean(p.mean.size()), sd(p.mean.size());
  for (Index i = 0; i < mean.size(); ++i) {
    const Transform::Moments y = g.moments(p.mean[i], p.sd[i]);
    mean[i] = y.mean, sd[i] = y.sd;
  }
  return {Untransformed{p, g, std::move(mean), std::move(sd), p.freedom()}, p.clamped};
}

}  // namespace covary
