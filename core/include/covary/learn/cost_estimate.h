// Estimates of a fit's time and memory. Approximate: the number of evaluations of a search depends on the
// data.
#pragma once
#include <functional>

#include "covary/learn/model.h"

namespace covary::internal {

struct Effort {
  std::string inference;                           // that the fit would use
  int exploring = 0;                               // evaluations on a sample of the rows
  Index explored_rows = 0;                         // the size of that sample
  double exploring_seconds = 0;                    // for all of them
  int refining = 0;                                // evaluations on all rows
  double seconds_each = 0;                         // of one of these
  double finishing_seconds = 0;                    // conditioning on all rows, and leaving each out
  double seconds = 0;                              // in all, or what FitOptions::max_seconds leaves of it
  double bytes = 0;                                // at the peak
  double free_bytes = 0;                           // now
  std::vector<InferenceEstimate> considered = {};  // what `auto` chooses from
};

/// One evaluation was timed on some of n rows of d numbers.
struct TimedEvaluation {
  Index n = 0, d = 0, timed = 0;
  double seconds = 0;
  std::vector<Parameter> parameters;  // of the kernel
  bool anything = true;               // there are parameters to learn
  std::function<InferenceCost(Index rows)> cost;
};
Effort estimated_effort(const TimedEvaluation& one, const FitOptions& options);

/// Seconds of the fastest of so many calls.
double least_seconds(int calls, const std::function<void()>& call);

/// Times one evaluation on at most 1500 rows (a tenth of a second or so) and scales it by what the inference costs. Throws what
/// fit would for data it would refuse, except for lack of memory, which it is to estimate.
Effort effort(const Model<Row>& model, const Rows& x, const Vector& y, const FitOptions& options = {});

}  // namespace covary::internal
