// The scale of a picture: a range, and where round numbers lie in it.
#pragma once
#include <string>
#include <vector>

#include "lettering.h"

namespace covary::cli {

/// From low to high, both inclusive, with ticks at multiples of 1, 2 or 5 times a power of ten.
struct Axis {
  double low = 0, high = 1;
  std::vector<double> ticks;
  int decimals = 0;  // of the tick labels
  int digits = 0;    // not 0: written with an exponent and so many digits

  std::string label(double tick) const;
  /// Where `value` lies: 0 at low, 1 at high.
  double place(double value) const { return (value - low) / (high - low); }
  /// The widest of the labels.
  double label_width(const Lettering& letters) const;
};

/// An axis that shows low to high with about `ticks` ticks; a tight one ends at the data, not at ticks. A
/// range without room for ticks is widened. Throws Problem::numerical unless both ends and their distance are
/// finite.
Axis make_axis(double low, double high, int ticks, bool tight = false);

/// Tight axes with as many ticks as `room` pixels allow, side by side or one above the other, without their
/// labels touching.
Axis axis_across(double low, double high, double room, const Lettering& letters);
Axis axis_up(double low, double high, double room, const Lettering& letters);

}  // namespace covary::cli
