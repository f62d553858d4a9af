// Learning curves of replays: how fast the error falls with labels, and who is better.
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

/// The number of labels from which on the mean error stays at or below `error`; NaN if it never does.
double labels_to_reach(const LearningCurve& curve, double error);

/// The mean error at so many labels, or at the last before.
double error_at(const LearningCurve& curve, double labels);

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

}  // namespace covary
