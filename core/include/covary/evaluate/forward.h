// Rolling-origin evaluation of a series: at each of a number of origins the model knows the rows up to then,
// and forecasts those after it. Leave-one-out fills in single gaps between neighbors; a forecast has none.
//
//   Forecasts f = roll_forward(model, {.column = 0, .horizon = 12});
//   for (const HorizonScores& h : by_horizon(f)) ...   // 1, 2, 3-4, 5-8, ... steps ahead
#pragma once
#include <functional>

#include "covary/model/fitted_model.h"
#include "covary/predictive/score.h"

namespace covary {

struct ForwardOptions {
  Index column = 0;      // of x: the time. Steps count its different values
  double initial = 0.5;  // share of the times that the first origin knows, above 0 and below 1
  Index horizon = 0;     // steps ahead; 0: as many as lie between two origins, so that each row comes once
  Index origins = 10;  // evenly spaced, the last one `horizon` steps before the end; fewer if there are fewer
  bool refit = false;  // learn the parameters from the rows before each origin alone, as they were asked for
  int threads = 0;     // 0: all
  double max_seconds = std::numeric_limits<double>::infinity();  // of each refit
  std::function<void(Index done, Index origins)> progress = {};  // before each origin
};

/// m forecasts, by origin, then by time. A row is forecast from several origins where horizons overlap.
struct Forecasts {
  std::vector<Index> row;     // m: of the model
  std::vector<Index> origin;  // m: from 0
  std::vector<Index> step;    // m: from 1
  Vector last;                // of each origin: the last time it knows
  Index horizon = 0;
  Vector observed;        // m
  Prediction prediction;  // m: of new observations, in the units of y
  Vector naive;           // m: the last value known, the mean of them if there are several
};

/// Parameters are those of the model, learned from all rows, or learned anew. Each origin costs a
/// conditioning (O(n^3/3)) or a fit. Throws Problem::usage for options out of range, Problem::data if there
/// are fewer than three different times or the rows before an origin cannot determine the model.
Forecasts roll_forward(const FittedModel& model, const ForwardOptions& options = {});

/// Scores of the forecasts from `from` to `to` steps ahead.
struct HorizonScores {
  Index from = 1, to = 1;
  Scores model;
  double naive_rmse = 0;
};

namespace internal {
/// 1, 2, 3-4, 5-8, ... steps: those that there are.
std::vector<HorizonScores> by_horizon(const Forecasts& forecasts);

/// All of them.
HorizonScores overall(const Forecasts& forecasts);
}  // namespace internal

}  // namespace covary
