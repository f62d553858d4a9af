// The scale of a picture: a range, and where round numbers, dates or levels lie in it.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "pictures/lettering.h"

namespace covary::cli {

/// What the values along an axis are: numbers, dates as days or as seconds from 1970-01-01, or levels: value 0 is
/// the first of them, 1 the second.
struct Measure {
  enum class Kind { number, days, seconds, levels };
  Kind kind = Kind::number;
  std::vector<std::string> levels = {};
};

/// From low to high, both inclusive. Ticks of numbers stand at multiples of 1, 2 or 5 times a power of ten and are
/// labelled (tick - offset) / 10^power, so that labels stay short; note() says what to do with them. Ticks of dates
/// and levels have labels of their own.
struct Axis {
  double low = 0, high = 1;
  std::vector<double> ticks;
  int decimals = 0;  // of the labels
  int power = 0;     // a multiple of 3
  double offset = 0;
  std::vector<std::string> labels = {};  // of the ticks, where they are no numbers
  std::string said = {};                 // what the labels share: "2009"
  double letters = 1;                    // the size of the labels, in sizes of the letters of the picture
  bool turned = false;                   // labels below the axis are read from below, for want of room

  std::string label(double tick) const;
  /// "× 10⁶ + 1.34 × 10⁹" or "14 Mar 2009", or "" where labels say all.
  std::string note() const;
  /// Where `value` lies: 0 at low, 1 at high.
  double place(double value) const { return (value - low) / (high - low); }
  /// The widest of the labels.
  double label_width(const Lettering& letters) const;
  /// The height of the labels below the axis.
  double label_depth(const Lettering& letters) const;
};

/// An axis that shows low to high with about `ticks` ticks, whose labels have at most `digits` digits before
/// a common offset is taken from them. A range without room for ticks is widened. Throws Problem::numerical
/// unless both ends and their distance are finite.
Axis make_axis(double low, double high, int ticks, int digits = 7);

/// Two ticks or more, as many as `room` pixels allow without their labels touching, side by side or one above
/// the other.
Axis axis_across(double low, double high, double room, const Lettering& letters, const Measure& measure = {});
Axis axis_up(double low, double high, double room, const Lettering& letters, const Measure& measure = {});

/// Whether labels side by side leave `gap` between them along `room`, if they are as wide as `width` says.
bool labels_apart(const Axis& axis, double room, double gap,
                  const std::function<double(const std::string&)>& width);

/// `name` and what the axis notes of its labels, in so many pixels: the name is what is shortened.
std::string noted_label(const std::string& name, const Axis& axis, double room, const Lettering& letters);

}  // namespace covary::cli
