// Axes of levels: a tick at each, labelled by its name.
#pragma once
#include "pictures/axis.h"

namespace covary::cli {

constexpr double longest_name = 8.5;  // that is not shortened, in sizes of letters

/// Levels at 0, 1, 2, ... from low to high. Long names are shortened; names that would touch are turned, then
/// written smaller, and where that is not enough every second, third, ... level has one.
Axis levels_across(double low, double high, double room, const Lettering& letters,
                   const std::vector<std::string>& names);
/// The same from the bottom to the top.
Axis levels_up(double low, double high, double room, const Lettering& letters,
               const std::vector<std::string>& names);

}  // namespace covary::cli
