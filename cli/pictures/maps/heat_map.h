// Pictures of functions of two inputs: heat maps side by side, each with its color bar.
#pragma once
#include <string>
#include <vector>

#include "pictures/chart.h"
#include "pictures/color.h"
#include "pictures/maps/pins.h"

namespace covary::cli {

/// Values over a grid of cells, and points on top of them. Without cells the points are the map.
struct HeatMap {
  std::string title;
  Vector x, y;  // the middles of the cells, ascending and evenly spaced
  Matrix z;     // x by y; NaN: nothing is known there; empty: no cells, only points
  const Ramp* ramp = &sea();
  Vector point_x, point_y;
  Vector point_z;  // what the points are filled with; empty: hollow points
  std::vector<Pins> pins = {};
  bool smooth = true;  // between the middles of the cells
};

/// Maps of the same inputs.
struct MapFigure {
  std::string title, x_label, y_label;
  std::vector<std::string> notes;
  std::vector<HeatMap> maps;
  double aspect = 0;      // the length of a unit up over that of a unit across; 0: as it suits
  bool contours = false;  // lines at the ticks of the color bar
  Measure x_measure = {}, y_measure = {};
};

/// Cells along each side of a map: more are many megabytes, and show no more.
constexpr Index most_cells = 400;

/// The middles of n cells that fill a window.
Vector middles(const Chart::Window& window, Index n);

/// 1 / cos(latitude) in the middle of a map in degrees of longitude across and latitude up, by the names of
/// the columns, and its inverse if they are swapped; 0 if the names or the ranges do not say so.
double geographic_aspect(const std::string& x_name, const std::string& y_name, const Vector& x,
                         const Vector& y);

/// Side by side, or one above the other where the width is less than 600 pixels.
std::string as_svg(const MapFigure& figure, const Size& size = {});

}  // namespace covary::cli
