// The scale of a picture: a range, and where round numbers lie in it.
#pragma once
#include <string>
#include <vector>

#include "pictures/lettering.h"

namespace covary::cli {

/// From low to high, both inclusive, with ticks at multiples of 1, 2 or 5 times a power of ten. A label is
/// (tick - offset) / 10^power, so that it stays short; note() says what to do with it.
struct Axis {
  double low = 0, high = 1;
  std::vector<double> ticks;
  int decimals = 0;  // of the labels
  int power = 0;     // a multiple of 3
  double offset = 0;

  std::string label(double tick) const;
  /// "× 10⁶ + 1.34 × 10⁹", or "" where labels are the values themselves.
  std::string note() const;
  /// Where `value` lies: 0 at low, 1 at high.
  double place(double value) const { return (value - low) / (high - low); }
  /// The widest of the labels.
  double label_width(const Lettering& letters) const;
};

/// An axis that shows low to high with about `ticks` ticks, whose labels have at most `digits` digits before
/// a common offset is taken from them. A range without room for ticks is widened. Throws Problem::numerical
/// unless both ends and their distance are finite.
Axis make_axis(double low, double high, int ticks, int digits = 7);

/// Two ticks or more, as many as `room` pixels allow without their labels touching, side by side or one above
/// the other.
Axis axis_across(double low, double high, double room, const Lettering& letters);
Axis axis_up(double low, double high, double room, const Lettering& letters);

/// `name` and what the axis notes of its labels, in so many pixels: the name is what is shortened.
std::string noted_label(const std::string& name, const Axis& axis, double room, const Lettering& letters);

}  // namespace covary::cli
