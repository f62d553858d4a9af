// The report of covary check, as text and as JSON.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "covary/evaluate/approximation.h"
#include "covary/evaluate/conformal.h"
#include "covary/predictive/score.h"

namespace covary::cli {

struct CheckReport {
  std::string target;
  std::vector<std::pair<std::string, std::string>> model;  // "kernel", "2 * se(...)"
  std::string how;       // "leave-one-out", "10 folds, learned anew in each", "held-out rows of t.csv"
  Vector observed;       // n
  Prediction predicted;  // n, of y
  std::vector<std::string> rows;  // n: what each is called, "line 17"
  Scores scores;
  Calibration calibration;
  Index worst = 5;                                                 // so many rows are listed
  std::optional<internal::ApproximationError> approximation = {};  // of a model that is not exact
};

std::string text_report(const CheckReport& report);
std::string json_report(const CheckReport& report);

/// Rows by the size of their standardized residual, the largest first.
std::vector<Index> worst_rows(const CheckReport& report, Index count);

}  // namespace covary::cli
