// Lines of equal value on a grid.
#pragma once
#include <utility>
#include <vector>

#include "covary/base/types.h"

namespace covary::cli {

/// A line through points in units of the grid: (0, 0) is the first value, (1, 0) the next along the rows of
/// z.
using Contour = std::vector<std::pair<double, double>>;

/// Where z, linear between its values, equals `level`: marching squares, the pieces joined into lines.
std::vector<Contour> contours(const Matrix& z, double level);

}  // namespace covary::cli
