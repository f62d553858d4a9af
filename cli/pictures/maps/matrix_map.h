// Pictures of square matrices: a cell for each pair, named along both sides.
#pragma once
#include "pictures/chart.h"

namespace covary::cli {

/// A symmetric matrix and the names of its rows, the first of which is drawn at the top and at the left.
struct MatrixFigure {
  std::string title, label;  // the label is that of the color bar
  std::vector<std::string> notes;
  std::vector<std::string> names;  // n
  Matrix z;                        // n x n
  Chart::Window range;             // what the color bar shows
};

/// A square as large as the width allows, or the height.
std::string as_svg(const MatrixFigure& figure, const Size& size = {});

}  // namespace covary::cli
