#include "pictures/color.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace covary::cli {

std::string Color::hex() const { return fmt::format("#{:02x}{:02x}{:02x}", red, green, blue); }

Color mix(const Color& a, const Color& b, double t) {
  const auto between = [t](int x, int y) { return static_cast<int>(std::lround(x + t * (y - x))); };
  return {between(a.red, b.red), between(a.green, b.green), between(a.blue, b.blue)};
}

Color at(const Ramp& ramp, double t) {
  const double place = std::clamp(t, 0.0, 1.0) * static_cast<double>(ramp.size() - 1);
  const size_t i = std::min(static_cast<size_t>(place), ramp.size() - 2);
  return mix(ramp[i], ramp[i + 1], place - static_cast<double>(i));
}

const Ramp& sea() {
  static const Ramp ramp{{250, 248, 220}, {204, 227, 180}, {139, 209, 157}, {74, 186, 161}, {0, 159, 163},
                         {0, 131, 155},   {0, 103, 143},   {0, 78, 120},    {0, 54, 99}};
  return ramp;
}

const Ramp& earth() {
  static const Ramp ramp{{254, 246, 223}, {240, 219, 172}, {227, 192, 122}, {214, 163, 87}, {201, 134, 54},
                         {183, 107, 39},  {164, 80, 26},   {136, 59, 23},   {107, 41, 19}};
  return ramp;
}

std::string band_fill(size_t i, size_t n) {
  constexpr Color only{201, 219, 238}, widest{217, 230, 243}, narrowest{132, 172, 213};
  if (n < 2) return only.hex();
  return mix(widest, narrowest, static_cast<double>(i) / static_cast<double>(n - 1)).hex();
}

std::string series_fill(size_t i) { return fmt::format(R"(fill="{}" fill-opacity="0.15")", series_color(i)); }

std::string cell_fill(double t) { return mix({210, 210, 210}, {70, 70, 70}, t).hex(); }

std::string series_color(size_t i) {
  static const std::vector<Color> colors{{0, 0, 0},       {0, 114, 178}, {213, 94, 0},   {0, 158, 115},
                                         {204, 121, 167}, {230, 159, 0}, {86, 180, 233}, {120, 120, 120}};
  return colors[i % colors.size()].hex();
}

}  // namespace covary::cli
