// A grid of points over the columns of a model: "50", "x=0..10:101, z=5".
//
//   50            so many points along every column that is not named
//   x=0..10:101   101 points from 0 to 10, both ends included
//   x=0..10       as many as along the others
//   x=:101        101 points over the range of the data
//   z=5           held at 5
//
// Ranges that are not given are those of the data, from the smallest value to the largest; a column that does
// not vary is held. A name with a comma or an '=' in it stands in double quotes.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "covary/base/types.h"

namespace covary {

/// One column of a grid.
struct GridAxis {
  std::string name;
  double low = 0, high = 0;
  Index count = 1;     // 1: held at low
  Vector values = {};  // in the place of these: the levels of a column that has no range
};

/// Columns that are no plain numbers.
struct GridTypes {
  /// A value of a column as it is typed: a date, a category. Nothing: it is to be read as a number.
  std::function<std::optional<double>(const std::string& column, const std::string& text)> value = {};
  /// The levels of a column; none: it has a range.
  std::function<Vector(const std::string& column)> levels = {};
};

namespace internal {
constexpr Index grid_default = 50;         // points along a column
constexpr Index grid_largest = 1'000'000;  // points in all
}  // namespace internal

/// The axes, in the order of `columns`, whose data are x (n x d). Without columns, those that the text names.
/// Throws Problem::usage for what cannot be read or names no column, Problem::limit with the number of points
/// if that is too large.
std::vector<GridAxis> parse_grid(const std::string& text, const std::vector<std::string>& columns,
                                 const Rows& x = Matrix(0, 0), const GridTypes& types = {});

/// Every combination, the last column moving fastest: points x axes.
Matrix grid_points(const std::vector<GridAxis>& axes);

}  // namespace covary
