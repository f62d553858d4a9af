// The options of a fit, and the summary of all that it decided.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "covary/inference/registry.h"

namespace covary {

enum class Prior { weak, none };

struct Bounds {
  double lower, upper;  // in the parameter's own units
};

/// Progress of a fit; returning false from the callback cancels, and fit throws an interrupted Error.
struct Progress {
  std::string phase;  // "screening", "exploring", "refining"
  int evaluations = 0;
  double best = 0;     // of the objective so far
  double seconds = 0;  // since the start
  double share = 0;    // done, estimated, 0 to 1
};

/// Values of parameters by full name: {"1.lengthscale.temp", 0.3}, {"noise", 0.01}.
using ParameterValues = std::map<std::string, double>;

struct FitOptions {
  Prior prior = Prior::weak;
  ObjectiveKind objective = ObjectiveKind::evidence;
  int starts = 8;          // descents; 1: only from what was given, or the best of `also_from`
  Index subset = 300;      // starts are explored on so many rows when there are more
  int polish = 2;          // the best so many basins are refined on all rows
  std::uint64_t seed = 1;  // of the subset and the starts
  int threads = 0;         // 0: all
  double max_seconds = std::numeric_limits<double>::infinity();
  std::string inference = "auto";             // how: inference/registry.h; auto: learn/auto_inference.h
  std::vector<std::string> columns = {};      // names of the input columns, for paths and notes
  std::map<std::string, Bounds> bounds = {};  // by full name: {"lengthscale.temp", {0.1, 10}}, {"noise", ...}
  std::vector<ParameterValues> also_from = {};  // further starts: parameters found for similar models
  std::function<bool(const Progress&)> progress = {};
  // True: the search ends, and the best parameters so far are kept. Called from any thread.
  std::function<bool()> enough = {};
};

/// An inference that `auto` considered, and what a fit by it was estimated to take.
struct InferenceEstimate {
  std::string inference;                                       // as it is typed
  bool approximate = false;                                    // of the exact process
  std::string refusal = {};                                    // why it does not take the data; "" if it does
  double seconds = std::numeric_limits<double>::quiet_NaN();   // of the fit; NaN: not applicable
  double bytes = std::numeric_limits<double>::quiet_NaN();     // at the peak
  double held_out = std::numeric_limits<double>::quiet_NaN();  // log density per held-out row, where compared
  bool chosen = false;
};

/// A local optimum that was found.
struct Basin {
  std::string start;     // where the search began: "given", "prior mode x 3", "sobol 2"
  double objective = 0;  // log evidence (or leave-one-out) plus log prior, on the rows it was explored on
  Vector theta;
  int evaluations = 0;
  bool polished = false;  // on all rows
  std::string stopped;
  int starts = 1;  // number of distinct starts that reached it
};

/// A parameter as learned, in the user's units.
struct FittedParameter {
  std::string name;  // "1.lengthscale.temp", "noise"
  double value = 0, lower = 0, upper = 0;
  bool fixed = false, at_lower = false, at_upper = false;
  bool flat = false;        // doubling or halving it hardly changes the evidence
  Role role = Role::other;  // where it was just learned; files do not keep it
};

/// A weight as learned, in the user's units.
struct Coefficient {
  std::string name;  // "intercept", "x1*x2"
  double value = 0, sd = 0;
};

/// The result of a fit and all that it decided.
struct Summary {
  std::string model = "gp";            // or kernel-ridge, linear, ridge, bayes
  double log_marginal_likelihood = 0;  // NaN: the weights have no prior, so there is none
  double log_prior = 0;
  Index n = 0, distinct = 0;
  std::string kernel, mean;
  std::string inference = "exact()";          // how the posterior was computed
  std::vector<InferenceEstimate> considered;  // by inference "auto"; empty: it was given, or the rows are few
  double noise_variance = 0;                  // 0 if every row has its own
  std::string noise;                          // of a process, in words
  std::vector<FittedParameter> parameters;
  std::vector<Basin> basins;  // best first
  int evaluations = 0;
  double seconds = 0;   // 0: not known; a model file does not keep it
  std::string stopped;  // why the best search ended
  double jitter = 0, reciprocal_condition = 1;
  double loo_rmse = 0, loo_nlpd = 0, loo_skill = 0;  // skill: 1 - mse / variance of y
  // Of weights over explicit features; otherwise empty.
  std::string basis;                      // the features
  std::string how;                        // weight or function space, and the algorithm
  std::vector<Coefficient> coefficients;  // the sd of one that is not determined is infinite
  double residual_sd = 0, freedom = 0;    // NaN and 0 if the rows are too few; infinite freedom: noise known
  std::vector<std::string> notes;         // remarks for the user, one sentence each
  std::string machine;

  std::string text() const;  // for people; lines, the last one without its end
};

}  // namespace covary
