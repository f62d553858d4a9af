// Points and ticks of which there may be thousands: the more there are, the smaller and lighter each.
#pragma once
#include <utility>
#include <vector>

#include "pictures/chart.h"
#include "pictures/svg.h"

namespace covary::cli {

using Spots = std::vector<std::pair<double, double>>;  // in pixels

/// More points of one kind than this are counted in cells, which are darker where there are more.
constexpr Index most_marks = 4000;

/// Dots, rings or crosses, or cells of them; `crowd` is how many there are for a plot of common width.
void draw_marks(Svg& svg, Chart::Mark mark, const Spots& at, double crowd,
                const std::string& color = ink::text);

constexpr double rug_room = 18;  // pixels at the bottom, at most

/// A tick at the bottom for each x; a histogram where they would run together.
void draw_rug(Svg& svg, const std::vector<double>& x, const Box& plot);

/// The sizes of points on a map: what they cover leaves most of it to be seen.
struct MapPoints {
  double radius = 3, rim = 1, opacity = 1;
};
MapPoints map_points(Index n, const Box& plot, bool alone);

}  // namespace covary::cli
