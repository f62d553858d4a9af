// covary check --forward: rolling-origin forecasts of a series, beside leave-one-out and the last value.
#pragma once
#include <string>

#include "covary/evaluate/forward.h"
#include "output.h"
#include "verbs/checks/check_model.h"

namespace CLI {
class App;
}

namespace covary::cli {

/// What was typed.
struct ForwardArguments {
  std::string time;  // "": the only input
  Index horizon = 0, origins = 10;
  double initial = 0.5;
};

/// --time, --horizon, --origins, --initial.
void add_forward_options(CLI::App& verb, ForwardArguments& a);

struct ForwardReport {
  std::string target, time;
  std::vector<std::pair<std::string, std::string>> model;
  bool refit = false;
  Forecasts forecasts;
  HorizonScores all;
  std::vector<HorizonScores> horizons;
  Scores left_out;  // leave-one-out of the same rows
};

ForwardReport forward_report(const FittedModel& m, const ForwardArguments& a, bool refit,
                             const FitOptions& options, Messages& messages);

std::string text_report(const ForwardReport& report);
std::string json_report(const ForwardReport& report);
/// One line for each forecast.
std::string csv_rows(const ForwardReport& report, const FittedModel& model);

}  // namespace covary::cli
