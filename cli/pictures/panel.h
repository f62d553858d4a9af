// One chart inside a picture, and the marks that its legend explains.
#pragma once
#include "pictures/axis.h"
#include "pictures/chart.h"
#include "pictures/svg.h"

namespace covary::cli {

/// Where a chart is drawn, and over which axes.
struct Panel {
  Box plot;
  Axis x, y;
  Lettering letters;
  bool y_ticks = true;  // written at the left

  double px(double value) const { return plot.left + x.place(value) * plot.width(); }
  double py(double value) const { return plot.bottom - y.place(value) * plot.height(); }
};

/// Grid, axes and everything in the chart but its title and labels.
void draw(Svg& svg, const Chart& chart, const Panel& panel);

/// Both axes with their ticks; lines at those of y are the grid of a chart, short ones those of a map.
enum class Grid { across, ticks };
void draw_axes(Svg& svg, const Panel& panel, Grid grid);

/// stroke, width and dashes; a mean is as wide as is said.
std::string pen(Chart::Style style);
std::string pen(const Chart::Line& line, double mean_width = 2.4);
/// The i-th longest; thinner the more there are.
std::string bar_pen(size_t i, Index crowd = 1, double width = 1);
/// The fill of band i of a chart: among its bands, or of its series.
std::string fill_of(const Chart& chart, size_t i);

}  // namespace covary::cli
