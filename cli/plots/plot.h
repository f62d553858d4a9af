// From a model to the pictures of it: one file per kind.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "covary/model/fitted_model.h"
#include "pictures/chart.h"
#include "pictures/maps/heat_map.h"

namespace covary::cli {

struct PlotOptions {
  std::vector<double> intervals{95};  // percent, the widest first
  Of of = Of::f;
  std::optional<Index> samples;  // curve, weights: otherwise as many as suit the kind
  std::uint64_t seed = 1;
  Index grid = 0;                        // 0: enough
  std::optional<Chart::Window> over;     // curve, weights: instead of the range of the data
  std::vector<std::string> at;           // slices: "name=value"
  bool equal = false, contours = false;  // map
  std::vector<std::string> weights;      // weights: two names; none: the first two
  std::vector<double> rows;              // weights: how many are seen at each stage; none: a few
  std::string title;                     // empty: one that says what is shown
  int threads = 0;
};

/// One input: data, mean, bands and samples.
Figure curve_figure(const FittedModel& model, const PlotOptions& options);

/// Two inputs: mean and standard deviation as heat maps.
MapFigure map_figure(const FittedModel& model, const PlotOptions& options);

/// Any inputs: each observation against what the others say of it.
Figure observed_figure(const FittedModel& model, const PlotOptions& options);

/// Any inputs: the mean along each of them with the others held.
Figure slices_figure(const FittedModel& model, const PlotOptions& options);

/// Linear models: ellipses of two weights as rows arrive, and for one input the lines they imply.
Figure weights_figure(const FittedModel& model, const PlotOptions& options);

/// "95 % band of f"
std::string band_label(double percent, Of of);

/// Bands of these intervals around a prediction, the widest first.
std::vector<Chart::Band> bands(const Vector& x, const Prediction& p, const PlotOptions& options);

/// The mean; where the target was transformed the median, which lies inside every band.
Chart::Line middle(const Vector& x, const Prediction& p, Of of);

/// One line for each column of `draws`.
void add_samples(Chart& chart, const Vector& x, const Matrix& draws);

/// From the least value to the greatest and `share` of that more on either side; never empty.
Chart::Window padded(const Vector& values, double share);

}  // namespace covary::cli
