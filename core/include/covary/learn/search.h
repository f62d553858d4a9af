// The search for hyper-parameters as the optimizer sees it: a box in log space, priors, many starts.
#pragma once
#include "covary/learn/input_scales.h"
#include "covary/learn/minimize.h"
#include "covary/learn/summary.h"

namespace covary::internal {

/// One parameter to search over. Everything but prior_mean and prior_sd is theta, on the parameter's scale.
struct SearchParameter {
  Parameter parameter;
  double start = 0;      // theta
  double reference = 0;  // theta suggested by the data
  double lower = 0, upper = 0;
  double prior_mean = 0, prior_sd = 0;  // of log value: log-normal; sd 0: flat
  double low = 0, high = 0;             // where starts are drawn from
  Vector peaks = Vector(0);             // of a period: log of those that the periodogram shows

  bool is_noise() const { return parameter.role == Role::noise; }
  bool is_variance() const { return parameter.role == Role::variance || is_noise(); }
  bool given() const { return !std::isnan(parameter.value) && !is_noise(); }
  double theta(double value) const { return to_theta(parameter.scale, value); }
  double value(double theta) const { return from_theta(parameter.scale, theta); }
};

/// The search as the optimizer sees it.
struct Search {
  std::vector<SearchParameter> parameters;
  Index rows = 0;
  /// The objective on some rows, all if empty.
  std::function<Objectives(const std::vector<Index>& rows)> objective;
  std::function<std::vector<Index>(Index size)> neighborhood;  // rows near each other; none if not known
  std::function<double(Index rows)> flops;                     // of an evaluation; if empty, rows^3
  bool variables = false;                                      // the objective has some beside theta
};

/// The parameters of a kernel (those not fixed) and of the noise, with bounds and priors by their role.
/// `variance`: of y around its trend.
std::vector<SearchParameter> search_parameters(const std::vector<Parameter>& parameters, const Vector& theta,
                                               const Vector& reference, const InputScales& inputs,
                                               Index dimensions, const Noise& noise, double variance,
                                               const FitOptions& options);

/// Log density of the values under their priors, up to a constant.
double log_prior(const std::vector<SearchParameter>& parameters, const Vector& theta,
                 Vector* gradient = nullptr);

/// A theta to start from, and its name.
struct Start {
  std::string name;
  Vector theta;
};

/// Starts that are there before the data are asked: what was given or the data suggest, what the options
/// name, the prior's mode and its neighbors. The first is the one that a single search begins from.
std::vector<Start> known_starts(const std::vector<SearchParameter>& parameters, const FitOptions& options);

/// `count` draws from low to high in log space, by a Sobol sequence over the parameters; the length-scales of
/// one kernel are drawn together, with scatter, and some of them so long that their input has no influence.
std::vector<Start> drawn_starts(const std::vector<SearchParameter>& parameters, int count,
                                std::uint64_t seed);

/// The best theta. Many points are screened by value on a sample of the rows, descents begin at the best ones
/// that are apart, and the best optima are refined on all rows. Fills basins, parameters, evaluations,
/// seconds, stopped and notes of the summary. Where the objective has variables they are optimized with theta in
/// the end, or alone if there is no theta, and given to `variables`.
Vector learn(const Search& search, const FitOptions& options, Summary& summary, Vector* variables = nullptr);

}  // namespace covary::internal
