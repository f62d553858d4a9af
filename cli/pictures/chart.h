// Pictures of functions and data: bands, lines and points over one axis, alone or as panels of a figure, as
// SVG or as text for a terminal.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "covary/base/types.h"
#include "pictures/axis.h"

namespace covary::cli {

/// What is drawn over one pair of axes, from the back to the front.
struct Chart {
  struct Band {
    Vector x, lower, upper;
    std::string label;
    int series = -1;  // as of a line
  };
  struct Region {  // inside a closed curve
    Vector x, y;
    std::string label;
  };
  struct Bars {  // vertical lines
    Vector x, lower, upper;
    std::string label;
    double width = 1;  // in pixels, of the longest
  };
  enum class Style { mean, sample, draw, truth, reference };  // a draw is a sample with no mean beside it
  struct Line {
    Vector x, y;
    std::string label;  // empty: not in the legend
    Style style = Style::mean;
    int series = -1;  // 0, 1, ...: one of several of a kind, told apart by color and dashes
  };
  // A cross is seen first; an exception weighs as a dot; a diamond is no observation.
  enum class Mark { dot, ring, cross, exception, diamond };
  struct Points {
    Vector x, y;
    std::string label;
    Mark mark = Mark::dot;
    int series = -1;  // as of a line
  };
  struct Window {
    double low = 0, high = 1;
  };

  std::string title, x_label, y_label;
  Measure x_measure, y_measure;
  std::vector<Band> bands;      // the widest first: those after it are darker
  std::vector<Region> regions;  // the widest first: those after it are darker
  std::vector<Bars> bars;       // the longest first: those after it are thicker
  std::vector<Line> lines;
  std::vector<Points> points;
  Vector rug;                                // along the x axis
  std::optional<Window> x_window, y_window;  // shown even where nothing is drawn
  bool cut = false;                          // what lies outside both windows is not shown
  bool counts = false;                       // x is counted: ticks stand at whole numbers
  bool square = false;                       // both axes show the same range at the same length
};

/// Charts side by side under one title and one legend.
struct Figure {
  std::string title;
  std::vector<std::string> notes;  // under the title
  std::vector<Chart> panels;
  int columns = 0;          // 0: as many as fit
  bool own_scales = false;  // of y, for every panel; otherwise one for all
};

/// In pixels; a height of 0 is chosen to suit the width.
struct Size {
  double width = 760, height = 0;
};

/// On white. Throws Problem::usage if the panels do not fit into the height.
std::string as_svg(const Figure& figure, const Size& size = {});
std::string as_svg(const Chart& chart, const Size& size = {});

/// "0,10" as a range. Throws a usage Error calling it `what`.
Chart::Window window_in(const std::string& text, const std::string& what);

/// The bands, the lines of style mean and draw, and the points, in UTF-8 characters.
std::string as_text(const Chart& chart, Index columns = 72, Index rows = 18);

}  // namespace covary::cli
