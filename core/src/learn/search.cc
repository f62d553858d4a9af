#include "covary/learn/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace covary {
using namespace internal;
namespace {

void bound(SearchParameter& s, double below, double above) {
  s.lower = s.reference - std::log(below), s.upper = s.reference + std::log(above);
}

/// Where a length-scale is drawn from: the distance of neighbors to ten times the range. In d columns the
/// neighbors of n points are about range n^(-1/d) apart in each.
void spread_lengthscale(SearchParameter& s, const InputScales& in) {
  s.low = s.reference - std::log(30.0), s.high = s.reference + std::log(10.0);
  if (in.ranges.size() == 0) return;
  const auto d = double(in.ranges.size());
  const double neighbors = std::pow(double(std::max<Index>(2, in.points)), -1 / d);
  const Index k = s.parameter.column;
  const double range = k >= 0 ? in.ranges[k] : in.ranges.norm() / std::sqrt(d);
  const double gap = d == 1 ? std::max(in.gaps[0], 1e-4 * range) : range * neighbors;
  s.low = std::log(0.25 * std::min(gap, range)), s.high = std::log(10 * range);
}

/// Where a period is drawn from: twice the gap of neighbors to the range; and the peaks of the periodogram.
void spread_period(SearchParameter& s, const InputScales& in) {
  const std::vector<Index>& reads = s.parameter.reads;
  const Index only = reads.size() == 1 ? reads[0] : reads.empty() && in.ranges.size() == 1 ? 0 : -1;
  s.low = s.reference - std::log(10.0), s.high = s.reference + std::log(10.0);
  if (only < 0 || only >= in.ranges.size()) return;
  const double range = in.ranges[only], gap = std::max(in.gaps[only], 1e-4 * range);
  s.low = std::log(std::min(2 * gap, 0.5 * range)), s.high = std::log(range);
  s.peaks = in.periods[static_cast<size_t>(only)].array().log();
}

void choose_range(SearchParameter& s, const InputScales& in, double variance) {
  if (s.is_noise()) {
    bound(s, 1e6, 1e3);
    s.low = std::log(1e-4 * variance), s.high = std::log(variance);
    return;
  }
  s.low = s.reference - std::log(3.0), s.high = s.reference + std::log(3.0);
  switch (s.parameter.role) {
    case Role::lengthscale:
      bound(s, 1e4, 1e5);
      spread_lengthscale(s, in);
      break;
    case Role::period:
      bound(s, 1e4, 1e2);
      spread_period(s, in);
      break;
    case Role::shape:
      bound(s, 1e3, 1e4);
      s.low = s.reference - std::log(30.0), s.high = s.reference + std::log(10.0);
      break;
    case Role::variance:
    case Role::scale:
      bound(s, 1e7, 1e7);
      s.low = s.reference - std::log(100.0), s.high = s.reference + std::log(10.0);
      break;
    case Role::noise:
    case Role::other:
      s.lower = s.start - 50, s.upper = s.start + 50;
      break;
  }
  s.lower = std::min(s.lower, s.low), s.upper = std::max(s.upper, s.high);
}

void choose_prior(SearchParameter& s, const InputScales& in, Index dimensions, double variance) {
  if (s.is_noise()) {
    s.prior_mean = std::log(variance) - 4, s.prior_sd = 1;
  } else if (s.parameter.role == Role::lengthscale) {
    const Index k = s.parameter.column;
    const double range = in.ranges.size() == 0 ? std::exp(s.reference) / std::sqrt(double(dimensions))
                         : k >= 0              ? in.ranges[k]
                                  : std::sqrt(in.ranges.squaredNorm() / double(in.ranges.size()));
    s.prior_mean = std::sqrt(2.0) + 0.5 * std::log(double(dimensions)) + std::log(range);
    s.prior_sd = std::sqrt(3.0);
  } else if (s.parameter.role == Role::shape) {
    s.prior_mean = s.reference + 1, s.prior_sd = 1;
  } else if (s.parameter.role == Role::variance) {
    s.prior_mean = s.reference + 9, s.prior_sd = 3;  // its mode is the reference
  }
}

/// The bounds that the expression or the options give, in the parameter's own units.
void obey_bounds(SearchParameter& s, const FitOptions& options) {
  const std::string name = full_name(s.parameter, options.columns);
  const auto given = options.bounds.find(name);
  double lower = s.parameter.lower, upper = s.parameter.upper;
  if (given != options.bounds.end()) lower = given->second.lower, upper = given->second.upper;
  if (std::isnan(lower) && std::isnan(upper)) {  // what was given is always allowed
    s.lower = std::min(s.lower, s.start), s.upper = std::max(s.upper, s.start);
    return;
  }
  const bool any = s.parameter.scale == Scale::identity;
  if (!((any || lower > 0) && lower < upper && (s.parameter.scale != Scale::logit || upper < 1)))
    throw Error(Problem::usage, fmt::format("bounds of {}: expected {}lower < upper{}, found {} and {}", name,
                                            any ? "" : "0 < ",
                                            s.parameter.scale == Scale::logit ? " < 1" : "", lower, upper));
  s.lower = s.theta(lower), s.upper = s.theta(upper);
  s.start = std::clamp(s.start, s.lower, s.upper);
  s.low = std::max(s.low, s.lower), s.high = std::min(s.high, s.upper);
  if (!(s.low < s.high)) s.low = s.lower, s.high = s.upper;
}

}  // namespace

double internal::log_prior(const std::vector<SearchParameter>& parameters, const Vector& theta,
                           Vector* gradient) {
  double sum = 0;
  if (gradient) *gradient = Vector::Zero(theta.size());
  for (Index i = 0; i < theta.size(); ++i) {
    const SearchParameter& s = parameters[static_cast<size_t>(i)];
    if (s.prior_sd == 0) continue;
    const double z = (theta[i] - s.prior_mean) / s.prior_sd;  // density of the value itself: log-normal
    sum -= theta[i] + 0.5 * z * z;
    if (gradient) (*gradient)[i] = -1 - z / s.prior_sd;
  }
  return sum;
}

std::vector<SearchParameter> internal::search_parameters(const std::vector<Parameter>& parameters,
                                                         const Vector& theta, const Vector& reference,
                                                         const InputScales& inputs, Index dimensions,
                                                         const Noise& noise, double variance,
                                                         const FitOptions& options) {
  std::vector<SearchParameter> all;
  for (const Parameter& p : parameters)
    if (!p.fixed) all.push_back({p, theta[std::ssize(all)], reference[std::ssize(all)]});
  const Index p = std::ssize(all);
  for (const Parameter& own : noise.parameters()) {
    const Index i = std::ssize(all) - p;
    all.push_back({own, noise.theta()[i], noise.start(variance)[i]});
  }
  std::vector<std::string> names;
  for (SearchParameter& s : all) {
    if (std::isnan(s.start)) s.start = s.reference;
    choose_range(s, inputs, variance);
    if (options.prior == Prior::weak) choose_prior(s, inputs, dimensions, variance);
    obey_bounds(s, options);
    names.push_back(full_name(s.parameter, options.columns));
  }
  for (const auto& [name, bounds] : options.bounds)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw Error(Problem::usage,
                  fmt::format("bounds: no parameter is named '{}'{}", name, did_you_mean(name, names)));
  return all;
}

}  // namespace covary
