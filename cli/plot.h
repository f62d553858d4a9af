// From a model to the pictures of it: one file per kind.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chart.h"
#include "covary/model_file.h"
#include "heat_map.h"

namespace covary::cli {

/// A model that was read.
struct Subject {
  SavedModel model;
  Predictor predictor;
  int threads = 0;

  Prediction at(const Rows& points, Of of) const { return predictor.predict(points, of, threads); }
};

struct PlotOptions {
  std::vector<double> intervals{95};  // percent, the widest first
  Of of = Of::f;
  Index samples = 0;
  std::uint64_t seed = 1;
  Index grid = 0;                        // 0: enough
  std::optional<Chart::Window> over;     // curve: instead of the range of the data
  std::vector<std::string> at;           // slices: "name=value"
  bool equal = false, contours = false;  // map
  std::string title;                     // empty: one that says what is shown
};

/// One input: data, mean, bands and samples.
Figure curve_figure(const Subject& subject, const PlotOptions& options);

/// Two inputs: mean and standard deviation as heat maps.
MapFigure map_figure(const Subject& subject, const PlotOptions& options);

/// Any inputs: each observation against what the others say of it.
Figure observed_figure(const Subject& subject, const PlotOptions& options);

/// Any inputs: the mean along each of them with the others held.
Figure slices_figure(const Subject& subject, const PlotOptions& options);

/// "95 % band of f"
std::string band_label(double percent, Of of);

/// Bands of these intervals around a prediction, the widest first.
std::vector<Chart::Band> bands(const Vector& x, const Prediction& p, const PlotOptions& options);

/// From the least value to the greatest and `share` of that more on either side; never empty.
Chart::Window padded(const Vector& values, double share);

}  // namespace covary::cli
