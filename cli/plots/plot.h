// From a model to the pictures of it: one file per kind.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "covary/model/fitted_model.h"
#include "pictures/chart.h"
#include "pictures/maps/heat_map.h"
#include "pictures/maps/matrix_map.h"
#include "plots/inputs.h"

namespace covary::cli {

struct PlotOptions {
  std::vector<double> intervals{95};  // percent, the widest first
  Of of = Of::f;
  std::optional<Index> samples;  // curve, weights: otherwise as many as suit the kind
  std::uint64_t seed = 1;
  Index grid = 0;                        // 0: enough
  std::string over;                      // curve, weights: LOW,HIGH instead of the range of the data
  std::vector<std::string> at;           // slices: "name=value"
  bool equal = false, contours = false;  // map
  std::vector<std::string> weights;      // weights: two names; none: the first two
  std::vector<double> rows;              // weights: how many are seen at each stage; none: a few
  std::string title;                     // empty: one that says what is shown
  int threads = 0;
};

/// One input: data, mean, bands and samples; of a category an interval for each level. A number or date and a
/// category: a curve for each level.
Figure curve_figure(const FittedModel& model, const PlotOptions& options);

/// Two inputs: mean and standard deviation as heat maps.
MapFigure map_figure(const FittedModel& model, const PlotOptions& options);

/// Any inputs: each observation against its leave-one-out prediction.
Figure observed_figure(const FittedModel& model, const PlotOptions& options);

/// Any inputs: the mean along each number and date and at each level of a category, with the others held.
Figure slices_figure(const FittedModel& model, const PlotOptions& options);

/// Linear models: ellipses of two weights as rows arrive, and for one input the lines they imply.
Figure weights_figure(const FittedModel& model, const PlotOptions& options);

/// Processes: prior correlations of the rows, similar ones side by side.
MatrixFigure kernel_figure(const FittedModel& model, const PlotOptions& options);

/// One category: an interval for each level, its rows beside it.
Figure intervals_figure(const FittedModel& model, const PlotOptions& options);
/// Intervals at these levels of column k, the other inputs at `at`.
Chart intervals_chart(const FittedModel& model, const PlotOptions& options, const Vector& at, Index k,
                      const Levels& levels);

/// A number or date and a category: a curve, a band and points for each of the levels.
Figure curves_by_level_figure(const FittedModel& model, const PlotOptions& options);

/// What --over says of column k, or the range of the data and `share` of that more on either side.
Chart::Window window_of(const FittedModel& model, Index k, const PlotOptions& options, double share);

/// Leaves out what lies outside a window that --over gave, and says how many points that are.
void cut_points(Figure& figure, const Chart::Window& window, const PlotOptions& options);

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
