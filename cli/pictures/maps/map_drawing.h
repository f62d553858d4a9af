// One heat map: its cells, contours, points, pins and color bar.
#pragma once
#include "pictures/maps/heat_map.h"
#include "pictures/panel.h"

namespace covary::cli {

constexpr double bar_width = 14, bar_gap = 12;  // of the color bar, at the right of the plot

/// How many points are drawn on it: of more, so many chosen by chance.
Index most_points(const HeatMap& map);

/// All but its title and the labels of its axes; contours are at the ticks of `values`.
void draw_map(Svg& svg, const HeatMap& map, const Panel& panel, const Axis& values, bool contours);

}  // namespace covary::cli
