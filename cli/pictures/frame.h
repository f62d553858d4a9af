// What stands around the panels of a picture: its letters, its title and notes.
#pragma once
#include <string>
#include <vector>

#include "pictures/svg.h"

namespace covary::cli {

/// The sizes of letters in a picture.
struct Letters {
  Lettering body, title, panel;
};
Letters letters_for(double width);

constexpr double border = 12;  // kept free on every side

/// Title and notes, broken into lines that fit.
struct Heading {
  std::vector<std::string> title, notes;
  Letters letters;
  double height() const;  // from the top of the picture
};
Heading make_heading(const std::string& title, const std::vector<std::string>& notes, double width);
void draw(Svg& svg, const Heading& heading);

/// `given`, or `needed` if it is 0. Throws Problem::usage if `given` is less than `least`.
double chosen_height(double given, double needed, double least);

}  // namespace covary::cli
