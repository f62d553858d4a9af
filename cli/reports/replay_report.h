// The report of covary replay: the table of strategies, and the pictures.
#pragma once
#include <string>

#include "covary/select/curves.h"
#include "pictures/chart.h"

namespace covary::cli {

/// A replay, and the names and units that its report needs.
struct Replayed {
  std::vector<Trial> runs;
  std::vector<LearningCurve> curves;
  std::vector<internal::Comparison> compared;
  size_t baseline = 0;  // of curves
  double reach = 0;     // the error that labels are counted to
  std::string reach_words;
  std::string target, unit;
  bool classifies = false;
  std::vector<std::string> classes = {};  // their names
  double random_share = 0;
  std::vector<std::string> notes = {};
};

/// A line for each strategy, and an explanation of the columns.
std::string learn_text(const Replayed& r);
std::string learn_json(const Replayed& r);

/// All strategies in one chart, then each with its band over repeats beside the baseline.
Figure curves_figure(const Replayed& r);

/// Where each strategy looked in its first repeat, for one or two inputs.
Figure where_figure(const Replayed& r, const Matrix& x, const Vector& y,
                    const std::vector<std::string>& names);

}  // namespace covary::cli
