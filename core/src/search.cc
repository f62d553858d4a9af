#include "covary/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/random/sobol.hpp>
#include <boost/random/uniform_01.hpp>
#include <cmath>

#include "box.h"

namespace covary {
namespace {

/// How far, in log units, starts are spread below and above the reference.
std::pair<double, double> spread(Role role, const std::string& path) {
  if (path == "noise") return {std::log(100.0), std::log(30.0)};
  switch (role) {
    case Role::lengthscale:
      return {std::log(10.0), std::log(10.0)};
    case Role::period:
      return {std::log(30.0), std::log(3.0)};
    case Role::shape:
      return {std::log(4.0), std::log(4.0)};
    default:
      return {std::log(3.0), std::log(3.0)};
  }
}

/// The reference moved by `factor` in every length-scale that was not given, at the prior's mode where it has
/// one.
Vector at_mode(const std::vector<Searched>& all, double factor) {
  Vector t(std::ssize(all));
  for (size_t i = 0; i < all.size(); ++i) {
    const Searched& s = all[i];
    t[Index(i)] = s.start;
    if (std::isnan(s.parameter.value) && s.parameter.role == Role::lengthscale)
      t[Index(i)] =
          (s.prior_sd > 0 ? s.prior_mean - s.prior_sd * s.prior_sd : s.reference) + std::log(factor);
  }
  return t;
}

}  // namespace

std::vector<Start> starts(const std::vector<Searched>& all, const FitOptions& options) {
  const Index p = std::ssize(all);
  std::vector<Start> list;
  const auto add = [&](std::string name, Vector t) {
    t = t.cwiseMax(lower(all)).cwiseMin(upper(all));
    for (const Start& s : list)
      if ((s.theta - t).cwiseAbs().maxCoeff() < 1e-6) return;
    list.push_back({std::move(name), std::move(t)});
  };
  Vector first(p);
  for (Index i = 0; i < p; ++i) first[i] = all[static_cast<size_t>(i)].start;
  add("data", first);
  add("prior mode", at_mode(all, 1));
  add("prior mode x 3", at_mode(all, 3));
  add("prior mode x 0.3", at_mode(all, 0.3));
  const bool sobol = p <= 1000;
  boost::random::sobol engine(sobol ? static_cast<std::size_t>(p) : 1);
  engine.discard(static_cast<std::uint64_t>(p));  // its first point is 0
  Random rng(options.seed);
  for (int k = 1; k <= options.starts; ++k) {
    Vector t(p);
    for (Index i = 0; i < p; ++i) {
      const Searched& s = all[static_cast<size_t>(i)];
      const double u = sobol ? boost::random::uniform_01<double>()(engine) : rng.uniform();
      const auto [below, above] = spread(s.parameter.role, s.parameter.path);
      t[i] = std::isnan(s.parameter.value) ? s.reference - below + u * (below + above) : s.start;
    }
    add(fmt::format("sobol {}", k), std::move(t));
  }
  if (std::ssize(list) > std::max(1, options.starts))
    list.resize(static_cast<size_t>(std::max(1, options.starts)));
  return list;
}

double log_prior(const std::vector<Searched>& parameters, const Vector& theta, Vector* gradient) {
  double sum = 0;
  if (gradient) *gradient = Vector::Zero(theta.size());
  for (Index i = 0; i < theta.size(); ++i) {
    const Searched& s = parameters[static_cast<size_t>(i)];
    if (s.prior_sd == 0) continue;
    const double z = (theta[i] - s.prior_mean) / s.prior_sd;  // density of the value itself: log-normal
    sum -= theta[i] + 0.5 * z * z;
    if (gradient) (*gradient)[i] = -1 - z / s.prior_sd;
  }
  return sum;
}

std::vector<Searched> searched(const std::vector<Parameter>& parameters, const Vector& theta,
                               const Vector& reference, const Vector& ranges, Index dimensions,
                               const Noise& noise, double variance, const FitOptions& options) {
  std::vector<Searched> all;
  for (const Parameter& p : parameters)
    if (!p.fixed) all.push_back({p, theta[std::ssize(all)], reference[std::ssize(all)]});
  if (noise.kind == Noise::Kind::learned)
    all.push_back(
        {{"noise", Role::variance, noise.variance}, std::log(noise.variance), std::log(0.01 * variance)});
  for (Searched& s : all) {
    if (std::isnan(s.start)) s.start = s.reference;
    const auto bounds = [&s](double below, double above) {
      s.lower = s.reference - std::log(below), s.upper = s.reference + std::log(above);
    };
    switch (s.parameter.role) {
      case Role::lengthscale:
        bounds(1e3, 1e4);
        break;
      case Role::period:
        bounds(1e3, 1e2);
        break;
      case Role::shape:
        bounds(1e2, 1e3);
        break;
      case Role::variance:
      case Role::scale:
        bounds(1e6, 1e6);
        break;
      case Role::other:
        s.lower = s.start - 50, s.upper = s.start + 50;
        break;
    }
    if (s.parameter.path == "noise") bounds(1e6, 1e3);
    if (options.prior == Prior::weak && s.parameter.path == "noise")
      s.prior_mean = std::log(variance) - 4, s.prior_sd = 1;
    else if (options.prior == Prior::weak && s.parameter.role == Role::lengthscale) {
      const Index k = s.parameter.column;
      const double range = ranges.size() == 0 ? std::exp(s.reference) / std::sqrt(double(dimensions))
                           : k >= 0           ? ranges[k]
                                              : std::sqrt(ranges.squaredNorm() / double(ranges.size()));
      s.prior_mean = std::sqrt(2.0) + 0.5 * std::log(double(dimensions)) + std::log(range);
      s.prior_sd = std::sqrt(3.0);
    } else if (options.prior == Prior::weak && s.parameter.role == Role::shape) {
      s.prior_mean = s.reference + 1, s.prior_sd = 1;
    } else if (options.prior == Prior::weak && s.parameter.role == Role::variance) {
      s.prior_mean = s.reference + 9, s.prior_sd = 3;  // its mode is the reference
    }
    const auto given = options.bounds.find(full_name(s.parameter, options.columns));
    if (given != options.bounds.end()) {
      if (!(given->second.lower > 0 && given->second.lower < given->second.upper))
        throw Error(Problem::usage, fmt::format("bounds of {}: expected 0 < lower < upper, found {} and {}",
                                                given->first, given->second.lower, given->second.upper));
      s.lower = std::log(given->second.lower), s.upper = std::log(given->second.upper);
    } else {  // what was given is always allowed
      s.lower = std::min(s.lower, s.start), s.upper = std::max(s.upper, s.start);
    }
  }
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const Searched& s : all) names.push_back(full_name(s.parameter, options.columns));
  for (const auto& [name, bounds] : options.bounds)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw Error(Problem::usage,
                  fmt::format("bounds: no parameter is named '{}'{}", name, did_you_mean(name, names)));
  return all;
}

}  // namespace covary
