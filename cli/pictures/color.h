// Colors, and ramps of them whose lightness falls steadily: they read the same in grey.
#pragma once
#include <string>
#include <vector>

namespace covary::cli {

struct Color {
  int red = 0, green = 0, blue = 0;
  std::string hex() const;  // "#1b4f8a"
};

/// From a (t = 0) to b (t = 1).
Color mix(const Color& a, const Color& b, double t);

/// Colors at equal steps, from light to dark.
using Ramp = std::vector<Color>;

/// The color at t from 0 to 1, light to dark.
Color at(const Ramp& ramp, double t);

/// Straight lines of lightness in CIE Lab, from 97 to about 24: yellow to blue, and yellow to brown.
const Ramp& sea();
const Ramp& earth();

/// The fill of band i of n, the widest (0) lightest.
std::string band_fill(size_t i, size_t n);

/// That of a band of series i, beside others: `fill` and `fill-opacity`.
std::string series_fill(size_t i);

/// Of a cell of points, from the fewest (t = 0) to the most (t = 1).
std::string cell_fill(double t);

/// Of series i: eight colors that color-blind people tell apart (Okabe and Ito), then again.
std::string series_color(size_t i);

}  // namespace covary::cli
