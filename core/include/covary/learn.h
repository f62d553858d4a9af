// Learning: the parameters of kernel and noise that explain the data best.
//
//   auto [process, summary, scale] = fit(Model<Row>{parse<Row>("se() + linear()")}, x, y);
//
// By default the maximum a posteriori under a weak prior that keeps length-scales sensible for the number of
// columns; Prior::none gives plain maximum likelihood. Parameters stay in the user's units throughout.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "covary/evidence.h"
#include "covary/optimize.h"

namespace covary {

/// What is to be learned: a term of the kernel without a number in front gets a variance of its own to learn.
template <class X>
struct Model {
  Kernel<X> kernel;
  Mean<X> mean = constant_mean<X>();
  Noise noise = Noise::learn();
};

enum class Prior { weak, none };

struct Bounds {
  double lower, upper;  // in the parameter's own units
};

/// Said while learning; returning false from the callback cancels, and fit throws an interrupted Error.
struct Progress {
  std::string phase;        // "exploring", "polishing"
  int evaluations = 0;
  double best = 0;          // of the objective so far
  double seconds = 0;       // since the start
  double share = 0;         // done, estimated, 0 to 1
};

struct FitOptions {
  Prior prior = Prior::weak;
  Objective objective = Objective::evidence;
  int starts = 8;
  Index subset = 1000;             // starts are explored on so many rows when there are more
  int polish = 2;                  // the best so many basins are refined on all rows
  std::uint64_t seed = 1;          // of the subset and the starts
  int threads = 0;                 // 0: all
  double max_seconds = std::numeric_limits<double>::infinity();
  std::vector<std::string> columns;            // names of the input columns, for paths and notes
  std::map<std::string, Bounds> bounds;        // by full name: {"lengthscale.temp", {0.1, 10}}, {"noise", ...}
  std::function<bool(const Progress&)> progress;
};

/// A local optimum that was found.
struct Basin {
  std::string start;            // where the search began: "given", "prior mode x 3", "sobol 2"
  double objective = 0;         // log evidence (or leave-one-out) plus log prior, on the rows it was explored on
  Vector theta;
  int evaluations = 0;
  bool polished = false;        // on all rows
  std::string stopped;
};

/// A parameter as learned, in the user's units.
struct LearnedParameter {
  std::string name;  // "1.lengthscale.temp", "noise"
  double value = 0, lower = 0, upper = 0;
  bool fixed = false, at_lower = false, at_upper = false;
  bool flat = false;  // doubling or halving it hardly changes the evidence
};

/// Everything that was decided on the way.
struct Summary {
  double log_marginal_likelihood = 0;
  double log_prior = 0;
  Index n = 0, distinct = 0;
  std::string kernel, mean;
  double noise_variance = 0;
  std::vector<LearnedParameter> parameters;
  std::vector<Basin> basins;  // best first
  int evaluations = 0;
  double seconds = 0;
  std::string stopped;        // why the best search ended
  double jitter = 0, reciprocal_condition = 1;
  double loo_rmse = 0, loo_nlpd = 0, loo_skill = 0;  // skill: 1 - mse / variance of y
  std::vector<std::string> notes;                    // what the user should know, in words
  std::string machine;

  std::string text() const;  // for people
};

template <class X>
struct Fitted {
  Process<X> process;      // of y / scale
  Summary summary;
  double scale = 1;        // 1 unless squares of y would overflow or vanish: a power of two
};

template <class X>
Fitted<X> fit(const Model<X>& model, Batch<X> x, const Vector& y, const FitOptions& options = {});

// ------------------------------------------------------------------------------- what is not a template

/// One parameter to search over: theta is its logarithm.
struct Searched {
  Parameter parameter;
  double start = 0;        // theta
  double reference = 0;    // theta suggested by the data
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

/// The data as the notes and the priors see them.
struct Scales {
  double target = 1;                    // power of two that y was divided by
  double variance = 1;                  // of y around its trend
  bool constant = false;                // the trend explains y exactly
};

Scales scales_of(const Vector& y, const Matrix& basis);
std::vector<Searched> searched(const std::vector<Parameter>& parameters, const Vector& theta, const Vector& reference,
                               const Vector& ranges, Index dimensions, const Noise& noise, double variance,
                               const FitOptions& options);
/// The best theta; fills basins, parameters, evaluations, seconds, stopped and notes of the summary.
Vector learn(const Search& search, const FitOptions& options, Summary& summary);
double log_prior(const std::vector<Searched>& parameters, const Vector& theta, Vector* gradient = nullptr);
std::vector<std::string> column_notes(const Rows& x, const std::vector<std::string>& names);
template <class X>
std::vector<std::string> column_notes(std::span<const X>, const std::vector<std::string>&) {
  return {};
}
Vector column_ranges(const Rows& x);
template <class X>
Vector column_ranges(std::span<const X>) {
  return Vector(0);
}
inline Index dimensions(const Rows& x) { return x.cols(); }
template <class X>
Index dimensions(std::span<const X>) {
  return 1;
}
/// The note for points that are all but independent of each other under the kernel, or "".
std::string isolation_note(const Gram& gram);
void check_trainable(Index n, Index d);
void finish(Summary& summary, const Vector& y, const Scales& scales, const LeaveOneOut& loo, const Conditioning& c,
            Index parameters);

}  // namespace covary

#include "covary/learn_impl.h"
