// Replays of query strategies on data whose labels are known: the error of each as labels are added.
//
// In every repeat the same rows are held out, the same labels are the start, and the same seed goes to every
// strategy, so that differences are due to the strategies. Numbers are predicted by a Gaussian process
// whose parameters are learned from the labels so far, classes by support vector machines.
#pragma once
#include "covary/learn/fit.h"
#include "covary/select/selector.h"
#include "covary/select/stop.h"

namespace covary {

struct ReplayData {
  Matrix x;            // m x d: the candidates
  Vector y;            // m: numbers, or classes from 0 on
  Index kinds = 0;     // classes; 0: numbers
  Vector cost = {};    // m; empty: all the same
  Matrix test_x = {};  // test rows; none: a share of the candidates, different in every repeat
  Vector test_y = {};
};

struct ReplayOptions {
  std::vector<std::string> strategies;  // as typed
  Index budget = 100;                   // labels, those of the start included
  Index start = 0;  // labels to begin with, by chance; 0: 2 d + 2 but 5 to 20, two a class
  Index batch = 1;
  int repeats = 20;
  double test_share = 0.3;
  double random_share = 0;  // of the picks
  double relearn = 1.25;    // parameters are learned anew when there are so many times more labels; 0: never
  bool minimize = false;    // strategies that search for an optimum minimize
  double penalty = 10;      // of the classifier; svm-margin(penalty=...) has that one instead
  std::uint64_t seed = 1;
  int threads = 0;  // repeats side by side
  StopRules stop = {};
  std::string unit = {};  // of y, used in messages
  /// Progress, called from any thread but never concurrently; false cancels with an interrupted
  /// Error.
  std::function<bool(double share)> progress = {};
  /// Forecast of the labels to reach stop.largest_sd in the first repeat of a strategy, from any thread: "about
  /// 12 more labels to reach 0.5 degC".
  std::function<void(const std::string& words)> forecast = {};
  /// The same, with every run that ended.
  std::function<void(const struct Trial&)> finished = {};
};

/// After a label.
struct Step {
  Index labels = 0;
  Index row = 0;  // of x, the one just labelled; -1 for the start
  bool by_chance = false;
  double probability = 1;  // with which it was chosen
  Index open = 0;          // among how many
  double spent = 0;        // costs so far
  double surprise = 0;     // its squared error before it was told, or 1 if its class was not predicted
  double error = 0;        // on the test rows: root mean square, or the share of classes missed
  double largest_sd = 0;   // of f among the candidates left; NaN for classes
};

/// One strategy, once.
struct Trial {
  std::string strategy;
  int repeat = 0;
  std::vector<Step> steps;  // the first is the start
  std::string stopped;      // "budget", or the rule that ended it
};

/// Every strategy in every repeat, in that order, but for those in `done`, which are taken over.
std::vector<Trial> replay(const ReplayData& data, const Model<Row>& model, const ReplayOptions& options,
                          const std::vector<Trial>& done = {});

namespace internal {
/// The error with every candidate labelled, one for each repeat.
Vector full_error(const ReplayData& data, const Model<Row>& model, const ReplayOptions& options);

/// A kernel for classes where none was learned: parameters that were not given come from the columns'
/// spreads, length-scale sd_k sqrt(d/2).
Kernel<Row> scaled_to(const Kernel<Row>& kernel, const Rows& x);
}  // namespace internal

}  // namespace covary
