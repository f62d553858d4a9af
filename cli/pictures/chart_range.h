// The range of everything in a chart.
#pragma once
#include <algorithm>
#include <limits>

#include "covary/base/error.h"
#include "pictures/chart.h"

namespace covary::cli {

struct Extent {
  double x_low = std::numeric_limits<double>::infinity(), x_high = -x_low;
  double y_low = x_low, y_high = -x_low;

  double pad() const { return 0.04 * (y_high - y_low); }  // above and below

  void widen_x(double low, double high) { x_low = std::min(x_low, low), x_high = std::max(x_high, high); }
  void widen_y(double low, double high) { y_low = std::min(y_low, low), y_high = std::max(y_high, high); }
  void widen(const Vector& x, const Vector& y) {
    if (x.size() == 0) return;
    if (!x.allFinite() || !y.allFinite())
      throw Error(Problem::numerical, "a picture of numbers this large cannot be drawn");
    widen_x(x.minCoeff(), x.maxCoeff());
    widen_y(y.minCoeff(), y.maxCoeff());
  }
};

inline Extent extent(const Chart& chart) {
  Extent e;
  if (chart.cut)
    return {chart.x_window->low, chart.x_window->high, chart.y_window->low, chart.y_window->high};
  for (const Chart::Band& b : chart.bands) e.widen(b.x, b.lower), e.widen(b.x, b.upper);
  for (const Chart::Region& r : chart.regions) e.widen(r.x, r.y);
  for (const Chart::Bars& b : chart.bars) e.widen(b.x, b.lower), e.widen(b.x, b.upper);
  for (const Chart::Line& l : chart.lines) e.widen(l.x, l.y);
  for (const Chart::Points& p : chart.points) e.widen(p.x, p.y);
  if (chart.x_window) e.widen_x(chart.x_window->low, chart.x_window->high);
  if (chart.y_window) e.widen_y(chart.y_window->low, chart.y_window->high);
  return e;
}

}  // namespace covary::cli
