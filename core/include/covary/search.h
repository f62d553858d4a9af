// The search for parameters as the optimiser sees it: a box in log space, priors, several starts.
#pragma once
#include "covary/optimize.h"
#include "covary/summary.h"

namespace covary {

/// One parameter to search over: theta is its logarithm.
struct Searched {
  Parameter parameter;
  double start = 0;      // theta
  double reference = 0;  // theta suggested by the data
  double lower = 0, upper = 0;
  double prior_mean = 0, prior_sd = 0;  // of log value: log-normal; sd 0: flat
};

/// The search as the optimiser sees it.
struct Search {
  std::vector<Searched> parameters;
  Index rows = 0;
  /// The objective on some rows (all if empty), to be called with a scratch matrix and a number of threads.
  using On = std::function<Evaluation(const Vector& theta, Matrix& work, bool gradient, int threads)>;
  std::function<On(const std::vector<Index>& rows)> objective;
};

/// The parameters of a kernel (those not fixed) and of the noise, with bounds and priors by their role.
/// `ranges`: of the input columns; `variance`: of y around its trend.
std::vector<Searched> searched(const std::vector<Parameter>& parameters, const Vector& theta,
                               const Vector& reference, const Vector& ranges, Index dimensions,
                               const Noise& noise, double variance, const FitOptions& options);

/// Log density of the values under their priors, up to a constant.
double log_prior(const std::vector<Searched>& parameters, const Vector& theta, Vector* gradient = nullptr);

/// A theta to start from, and what it is called.
struct Start {
  std::string name;
  Vector theta;
};

/// Where to begin: what was given or the data suggest, the prior's mode and its neighbours, Sobol draws.
std::vector<Start> starts(const std::vector<Searched>& parameters, const FitOptions& options);

/// The best theta. Starts are explored side by side, on a subset of the rows when there are many; the best
/// basins are polished on all. Fills basins, parameters, evaluations, seconds, stopped and notes of the
/// summary.
Vector learn(const Search& search, const FitOptions& options, Summary& summary);

}  // namespace covary
