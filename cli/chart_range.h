// The range of everything in a chart.
#pragma once
#include <algorithm>
#include <limits>

#include "chart.h"

namespace covary::cli {

struct Extent {
  double x_low = std::numeric_limits<double>::infinity(), x_high = -x_low;
  double y_low = x_low, y_high = -x_low;

  double pad() const { return 0.04 * (y_high - y_low); }  // above and below

  void widen(const Vector& x, const Vector& y) {
    x_low = std::min(x_low, x.minCoeff()), x_high = std::max(x_high, x.maxCoeff());
    y_low = std::min(y_low, y.minCoeff()), y_high = std::max(y_high, y.maxCoeff());
  }
};

inline Extent extent(const Chart& chart) {
  Extent e;
  for (const Chart::Band& b : chart.bands) e.widen(b.x, b.lower), e.widen(b.x, b.upper);
  for (const Chart::Line& l : chart.lines) e.widen(l.x, l.y);
  for (const Chart::Points& p : chart.points) e.widen(p.x, p.y);
  return e;
}

}  // namespace covary::cli
