// A picture of functions and data: bands, lines and points over one axis, as SVG or as text for a terminal.
#pragma once
#include <string>
#include <vector>

#include "covary/types.h"

namespace covary::cli {

/// What is drawn, from the back to the front.
struct Chart {
  struct Band {
    Vector x, lower, upper;
    std::string label;
  };
  enum class Style { mean, sample, truth };
  struct Line {
    Vector x, y;
    std::string label;  // empty: not in the legend
    Style style = Style::mean;
  };
  struct Points {
    Vector x, y;
    std::string label;
  };

  std::string title, x_label, y_label;
  std::vector<Band> bands;
  std::vector<Line> lines;
  std::vector<Points> points;
};

/// 760 x 440 by default, on white, told apart by lightness as well as by colour.
std::string as_svg(const Chart& chart, double width = 760, double height = 440);

/// The first band, the lines of style mean and the points, in UTF-8 characters.
std::string as_text(const Chart& chart, Index columns = 72, Index rows = 18);

}  // namespace covary::cli
