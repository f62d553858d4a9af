// Learning curves of replays: the error as a function of the number of labels, and comparisons of strategies.
#pragma once
#include "covary/select/replay.h"

namespace covary {

/// One strategy, over its repeats.
struct LearningCurve {
  std::string strategy;
  Vector labels;              // k: those at which every repeat was measured
  Matrix errors;              // k x repeats
  Vector mean, lower, upper;  // k: and the 10 % and 90 % points over repeats
};

/// In the order in which strategies first appear, all at the same numbers of labels. A trial that a rule
/// stopped keeps its last error.
std::vector<LearningCurve> learning_curves(const std::vector<Trial>& runs);

namespace internal {
/// The number of labels from which on the mean error stays at or below `error`; NaN if it never does.
double labels_to_reach(const LearningCurve& curve, double error);

/// The mean error at so many labels, or at the last before.
double error_at(const LearningCurve& curve, double labels);

/// The baseline: the curve of "random", or the first.
size_t baseline_of(const std::vector<LearningCurve>& curves);

/// The error at `percent` of the performance with all labels: of the accuracy for classes, of the way from no
/// model (the sd of y) to all labels for numbers. `full`: the error with all labels.
struct ErrorGoal {
  double error = 0;
  double none = 0;  // the error of no model: the sd of y; 1 for classes
};
ErrorGoal error_at_percent(const ReplayData& data, double full, double percent);

/// A strategy against a baseline with the same starts.
struct Comparison {
  std::string strategy;
  double area = 0;    // mean error over the labels
  double labels = 0;  // to reach the error asked for; NaN: it does not
  double share = 0;   // of the baseline's labels
  double last = 0;    // error at the end
  Index wins = 0;     // repeats whose area is smaller than the baseline's
  double p = 1;       // of a paired t test of the areas, two-sided
};
std::vector<Comparison> compared(const std::vector<LearningCurve>& curves, size_t baseline, double error);

/// The risk estimated from the labels of a strategy (risk.h), in the units of the error: its mean over the repeats
/// with enough random labels.
struct ReplayRisk {
  double naive = 0, corrected = 0, standard_error = 0;  // that of one repeat
  Index repeats = 0;
};
ReplayRisk replay_risk(const std::vector<Trial>& runs, const std::string& strategy, bool classes);

/// How often a rule stopped a strategy before the budget, and where on average.
struct EarlyStops {
  Index repeats = 0, stopped = 0;
  double labels = 0, error = 0;  // means over those that were stopped
};
EarlyStops early_stops(const std::vector<Trial>& runs, const std::string& strategy);
}  // namespace internal

}  // namespace covary
