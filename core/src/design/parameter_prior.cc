#include "covary/design/parameter_prior.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "covary/base/error.h"
#include "covary/base/names.h"
#include "covary/gaussian/univariate.h"
#include "covary/kernels/named_call.h"

namespace covary {
using namespace internal;
namespace {

constexpr double no_freedom_lost = std::numeric_limits<double>::infinity();

std::string without_spaces_around(const std::string& text) {
  const size_t first = text.find_first_not_of(' ');
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// At commas outside parentheses.
std::vector<std::string> prior_items(const std::string& text) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (const char c : text) {
    depth += (c == '(') - (c == ')');
    if (c == ',' && depth == 0)
      out.emplace_back();
    else
      out.back() += c;
  }
  for (std::string& item : out) item = without_spaces_around(item);
  return out;
}

/// What the item says of a parameter.
void set_density(ParameterPrior& p, const std::string& density) {
  const NamedCall call = read_call(density, "prior", {{"uniform", {}}, {"normal", {"mean", "sd"}}}, true);
  p.mean = 0, p.sd = std::numeric_limits<double>::infinity();
  if (call.entry == 0) return;
  if (const double mean = call.arguments.number("mean"); !std::isnan(mean)) p.mean = mean;
  p.sd = 1;
  if (const double sd = call.arguments.number("sd"); !std::isnan(sd)) p.sd = sd;
  if (!(p.sd > 0 && std::isfinite(p.sd) && std::isfinite(p.mean)))
    throw Error(Problem::usage, fmt::format("prior: {}: expected a finite mean and a positive sd, found '{}'",
                                            p.name, density));
}

/// log of the share of N(mean, sd^2) in the range, from the tail that is nearer: no cancellation far out.
double log_share_in_range(const ParameterPrior& p) {
  double from = (p.low - p.mean) / p.sd, to = (p.high - p.mean) / p.sd;
  if (from > 0) std::swap(from, to), from = -from, to = -to;
  return std::log(student_cdf(to, no_freedom_lost) - student_cdf(from, no_freedom_lost));
}

}  // namespace

void internal::check(const std::vector<ParameterPrior>& prior) {
  if (prior.empty()) throw Error(Problem::usage, "prior: expected one parameter or more, found none");
  for (const ParameterPrior& p : prior) {
    if (!(std::isfinite(p.low) && std::isfinite(p.high) && p.low <= p.high))
      throw Error(Problem::usage, fmt::format("prior: {}: expected a finite range LOW..HIGH, found {}..{}",
                                              p.name, p.low, p.high));
    if (!(p.sd > 0 && std::isfinite(p.mean)))
      throw Error(Problem::usage,
                  fmt::format("prior: {}: expected a finite mean and a positive sd, found {} and {}", p.name,
                              p.mean, p.sd));
    if (!p.held() && !p.uniform() && !std::isfinite(log_share_in_range(p)))
      throw Error(Problem::usage, fmt::format("prior: {}: normal({}, {}) has no mass in the range {}..{}",
                                              p.name, p.mean, p.sd, p.low, p.high));
  }
  if (std::all_of(prior.begin(), prior.end(), [](const ParameterPrior& p) { return p.held(); }))
    throw Error(
        Problem::usage,
        fmt::format("the ranges have no volume: {} is from {} to {}; give at least one parameter a range "
                    "from a lower to a higher value",
                    prior[0].name, prior[0].low, prior[0].high));
}

void internal::read_prior(const std::string& text, std::vector<ParameterPrior>& prior) {
  for (const std::string& item : prior_items(text)) {
    const size_t equals = item.find('='), open = item.find('(');
    if (equals == item.npos || equals > open) {
      for (ParameterPrior& p : prior) set_density(p, item);
      continue;
    }
    const std::string name = without_spaces_around(item.substr(0, equals));
    const auto is_it = [&](const ParameterPrior& p) { return p.name == name; };
    const auto found = std::find_if(prior.begin(), prior.end(), is_it);
    if (found == prior.end()) {
      std::vector<std::string> names;
      for (const ParameterPrior& p : prior) names.push_back(p.name);
      throw Error(Problem::usage,
                  fmt::format("prior: there is no parameter '{}'{}", name, there_are(name, names)));
    }
    set_density(*found, without_spaces_around(item.substr(equals + 1)));
  }
}

Vector internal::log_prior_density(const std::vector<ParameterPrior>& prior, const Rows& x) {
  Vector out = Vector::Zero(x.rows());
  for (Index k = 0; k < x.cols(); ++k) {
    const ParameterPrior& p = prior[static_cast<size_t>(k)];
    if (p.held()) continue;
    const double level = p.uniform()
                             ? -std::log(p.high - p.low)
                             : -std::log(p.sd * std::sqrt(2 * std::numbers::pi)) - log_share_in_range(p);
    for (Index i = 0; i < x.rows(); ++i) {
      const double z = p.uniform() ? 0 : (x(i, k) - p.mean) / p.sd;
      const bool inside = x(i, k) >= p.low && x(i, k) <= p.high;
      out[i] += inside ? level - z * z / 2 : -std::numeric_limits<double>::infinity();
    }
  }
  return out;
}

}  // namespace covary
