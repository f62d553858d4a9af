// The scale of a picture: a range that ends at round numbers, and where to write them.
#pragma once
#include <string>
#include <vector>

namespace covary::cli {

/// From low to high, both inclusive, with ticks at multiples of 1, 2 or 5 times a power of ten.
struct Axis {
  double low = 0, high = 1;
  std::vector<double> ticks;
  int decimals = 0;  // of the tick labels; -1: written with an exponent

  std::string label(double tick) const;
  /// Where `value` lies: 0 at low, 1 at high.
  double place(double value) const { return (value - low) / (high - low); }
};

/// An axis that shows low to high with about `ticks` ticks; a tight one ends at the data, not at ticks.
Axis make_axis(double low, double high, int ticks, bool tight = false);

}  // namespace covary::cli
