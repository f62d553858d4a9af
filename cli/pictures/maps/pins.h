// Marks with a meaning on a map: numbered discs, sensors that stand, places that are not allowed.
#pragma once
#include <string>
#include <vector>

#include "pictures/legend.h"
#include "pictures/panel.h"

namespace covary::cli {

/// All of one kind, told apart from others by their shape.
struct Pins {
  enum class Kind { numbered, other, standing, forbidden, target };  // other: numbered, of another set
  Kind kind = Kind::numbered;
  std::string label;  // in the legend
  Vector x, y;
  int first = 1;  // the number of the first; numbered ones go on from it
};

/// Numbered discs (diamonds, of another set) that would lie on each other are moved apart, with a line to where they
/// belong.
void draw(Svg& svg, const std::vector<Pins>& all, const Panel& panel);

/// What the legend shows for them.
Key key_of(const Pins& pins);

}  // namespace covary::cli
