// Conformance tests of predictive families and likelihoods, beside conformance.h.
//
//   for (const std::string& failure : conformance::predictive(my_family)) FAIL() << failure;
//
// Integrals are by Simpson's rule, of whatever is smooth: a family of counts has checks of its own.
#pragma once
#include <numbers>

#include "covary/predictive/prediction.h"
#include "covary/process/likelihood.h"
#include "covary/testing/conformance.h"

namespace covary::conformance {

/// Weights of Simpson's rule at n + 1 points from a to b, n even.
inline Vector simpson(double a, double b, Index n) {
  Vector w(n + 1);
  for (Index i = 0; i <= n; ++i) w[i] = (i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2) * (b - a) / double(3 * n);
  return w;
}

/// Half the width of the central 68 %: m.
inline Vector spread(const Prediction& p) {
  const auto [lower, upper] = p.interval(68);
  return 0.5 * (upper - lower);
}

/// cdf(quantile(p)) = p; standardized(at(z)) = z; an interval holds its share.
inline Failures quantiles(const Prediction& p) {
  const Index m = p.mean.size();
  Failures out;
  for (const double share : {0.01, 0.2, 0.5, 0.9, 0.999})
    out.near(p.cdf(p.quantile(share)), Vector::Constant(m, share), 1e-11, "cdf of a quantile");
  for (const double z : {-2.5, -1.0, 0.5, 3.0})
    out.near(p.standardized(p.at(z)), Vector::Constant(m, z), 1e-10, "standardized of at");
  for (const double percent : {50.0, 95.0}) {
    const auto [lower, upper] = p.interval(percent);
    out.near(p.cdf(upper) - p.cdf(lower), Vector::Constant(m, percent / 100), 1e-11, "share of an interval");
    out.near(p.cdf(lower) + p.cdf(upper), Vector::Ones(m), 1e-11, "an interval in the middle");
  }
  if (p.symmetric()) out.near(p.quantile(0.5), p.mean, 1e-12, "median of a symmetric family");
  return out;
}

/// The density is the slope of the cdf, by steps of a hundredth of the way to a quantile nearby.
inline Failures density(const Prediction& p) {
  Failures out;
  for (const double share : {0.03, 0.4, 0.8, 0.99}) {
    const Vector y = p.quantile(share), log_density = p.log_density(y);
    const Vector unit = p.quantile(share + 0.2 * std::min(share, 1 - share)) - y;
    for (Index i = 0; i < y.size(); ++i) {
      const Prediction one = p.picked({i});
      const auto below = [&](const Vector& t) {
        return one.cdf(Vector::Constant(1, y[i] + unit[i] * t[0]))[0];
      };
      const double slope = differences(below, Vector::Zero(1), 1e-2)[0];
      out.close(unit[i] * std::exp(log_density[i]), slope, 1e-8 * slope, "density and slope of the cdf");
    }
  }
  return out;
}

/// CRPS = int (F(u) - 1{y <= u})^2 du, over u = y -+ spread sinh(s). `tolerance` is relative.
inline Failures crps(const Prediction& p, double tolerance = 1e-8) {
  constexpr Index steps = 8000;
  constexpr double far = 40;
  const Vector s = Vector::LinSpaced(steps + 1, 0, far), weights = simpson(0, far, steps), unit = spread(p);
  Failures out;
  for (const double share : {0.02, 0.5, 0.97}) {
    const Vector y = p.quantile(share), got = p.crps(y);
    for (Index i = 0; i < y.size(); ++i) {
      const Prediction same = p.picked(std::vector<Index>(static_cast<size_t>(steps + 1), i));
      const Vector away = unit[i] * s.array().sinh(), slope = unit[i] * s.array().cosh();
      const Vector below = same.cdf(y[i] - away.array());
      const Vector above = 1 - same.cdf(y[i] + away.array()).array();
      const double want = (below.cwiseAbs2() + above.cwiseAbs2()).cwiseProduct(slope).dot(weights);
      out.close(got[i], want, tolerance * want, "CRPS and its integral");
    }
  }
  return out;
}

/// Mean and sd are int Q(Phi(z)) phi(z) dz and the root of that of the square of what is left, Q the quantile. Not
/// of a t, whose sd is its scale.
inline Failures moments(const Prediction& p, double tolerance = 1e-6) {
  constexpr Index steps = 2000;
  const Vector z = Vector::LinSpaced(steps + 1, -8, 8);
  const Vector weights =
      simpson(-8, 8, steps).array() * (-0.5 * z.array().square()).exp() / std::sqrt(2 * std::numbers::pi);
  Vector mean = Vector::Zero(p.mean.size()), square = mean;
  for (Index k = 0; k <= steps; ++k) {
    const Vector q = p.quantile(0.5 * std::erfc(-z[k] / std::numbers::sqrt2));
    mean += weights[k] * q, square += weights[k] * (q - p.mean).cwiseAbs2();
  }
  Failures out;
  out.near(p.mean, mean, tolerance, "mean and its integral");
  out.near(p.sd, square.cwiseSqrt(), tolerance, "sd and its integral");
  return out;
}

/// Points picked and joined are what they were.
inline Failures points(const Prediction& p) {
  const Index m = p.mean.size();
  std::vector<Index> first, rest;
  for (Index i = 0; i < m; ++i) (i < m / 2 ? first : rest).push_back(i);
  const Prediction again = p.picked(first).joined(p.picked(rest));
  const Vector y = p.quantile(0.3);
  Failures out;
  out.same_bits(again.mean, p.mean, "means of halves, joined");
  out.same_bits(again.sd, p.sd, "sds of halves, joined");
  out.same_bits(again.cdf(y), p.cdf(y), "cdf of halves, joined");
  out.check(again.text() == p.text() && again.freedom() == p.freedom(), "halves of another family");
  return out;
}

/// All of these but moments. `crps_tolerance`: relative; 0 leaves the CRPS out.
inline Failures predictive(const Prediction& p, double crps_tolerance = 1e-8) {
  Failures out = quantiles(p);
  out.add(density(p));
  if (crps_tolerance > 0) out.add(crps(p, crps_tolerance));
  out.add(points(p));
  for (std::string& failure : out) failure = p.text() + ": " + failure;
  return out;
}

// ---- likelihoods: y are n observations, f the marginals of the process there

/// First and second derivatives in f, at the mean of f.
template <LikelihoodFamily L>
Failures slopes(const L& l, const Vector& y, const Marginals& f) {
  const Vector d1 = differences([&](const Vector& at) { return l.log_density(y, at).sum(); }, f.mean);
  const Vector d2 = differences([&](const Vector& at) { return l.slopes(y, at).sum(); }, f.mean);
  Failures out;
  out.near(l.slopes(y, f.mean), d1, 1e-7, "slopes");
  out.near(l.curvatures(y, f.mean), d2, 1e-7, "curvatures");
  return out;
}

/// p(y) = int p(y | f) N(f; mean, variance) df, over ten sds either way; its mean and sd are those observed.
template <LikelihoodFamily L>
Failures marginal(const L& l, const Vector& y, const Marginals& f) {
  constexpr Index steps = 4000;
  const Vector weights = simpson(-10, 10, steps), sd = f.sd();
  Vector sum = Vector::Zero(y.size());
  for (Index k = 0; k <= steps; ++k) {
    const double z = -10 + 20 * double(k) / double(steps);
    const double weight = weights[k] * std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
    sum += weight * l.log_density(y, f.mean + z * sd).array().exp().matrix();
  }
  const Prediction p = l.predictive(f);
  const Marginals observed = l.observed(f);
  Failures out;
  out.near(p.log_density(y).array().exp().matrix(), sum, 1e-9, "predictive density and its integral");
  out.near(p.mean, observed.mean, 1e-12, "predictive and observed means");
  out.near(p.sd, observed.sd(), 1e-12, "predictive and observed sds");
  return out;
}

/// theta of with(theta) is theta, and there is a parameter with that value for each.
template <LikelihoodFamily L>
Failures parameters(const L& l) {
  const Vector t = l.theta(), moved = t.array() + 0.25;
  const std::vector<Parameter> all = l.parameters();
  Failures out;
  out.near(l.with(t).theta(), t, 1e-14, "theta of with(theta)");
  out.near(l.with(moved).theta(), moved, 1e-14, "theta of with(moved)");
  out.check(l.start(2.5).size() == t.size() && l.start(2.5).allFinite(), "start: not one for each of theta");
  if (std::ssize(all) != t.size()) return out.check(false, "not a parameter for each of theta"), out;
  for (Index i = 0; i < t.size(); ++i) {
    const Parameter& p = all[static_cast<size_t>(i)];
    out.check(p.role == Role::noise && !p.fixed, p.path + ": not a parameter of the noise");
    out.close(covary::internal::to_theta(p.scale, p.value), t[i], 1e-14 * std::abs(t[i]), p.path);
  }
  return out;
}

/// All of these, and the text is read back.
template <LikelihoodFamily L>
Failures likelihood(const L& l, const Vector& y, const Marginals& f,
                    const std::function<L(const std::string&)>& parse = {}) {
  Failures out = slopes(l, y, f);
  out.add(marginal(l, y, f));
  out.add(parameters(l));
  if (parse) out.check(parse(l.text()).text() == l.text(), "the text is not read back");
  for (std::string& failure : out) failure = l.text() + ": " + failure;
  return out;
}

}  // namespace covary::conformance
