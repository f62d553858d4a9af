// What the marks of a chart mean: a line of keys that wraps.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "pictures/chart.h"
#include "pictures/svg.h"

namespace covary::cli {

/// A mark and its label.
struct Key {
  std::string label;
  std::function<void(Svg&, double x, double y)> mark;  // from x, centered on y
};

/// Keys in lines that fit into a width.
class Legend {
 public:
  /// Of everything in the panels that has a label; the same label twice is one key.
  Legend(const std::vector<Chart>& panels, double room, const Lettering& letters);
  Legend(std::vector<Key> keys, double room, const Lettering& letters);
  double height() const { return static_cast<double>(lines_.size()) * line_height(); }
  void draw(Svg& svg, double left, double top) const;

 private:
  double line_height() const { return 1.55 * letters_.size; }
  void add(Key key);
  void wrap(double room);
  Lettering letters_;
  std::vector<Key> keys_;
  std::vector<std::vector<size_t>> lines_;  // of keys
};

}  // namespace covary::cli
