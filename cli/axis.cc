#include "axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace covary::cli {
namespace {

/// The least of 1, 2, 5, 10, 20, ... that is at least `step`, at any power of ten.
double round_step(double step) {
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  for (const double f : {1.0, 2.0, 5.0})
    if (f * power >= step * (1 - 1e-9)) return f * power;
  return 10 * power;
}

}  // namespace

std::string Axis::label(double tick) const {
  const std::string text =
      decimals < 0 ? fmt::format("{:.3g}", tick) : fmt::format("{:.{}f}", tick, decimals);
  return text.starts_with("-") ? "\u2212" + text.substr(1) : text;
}

Axis make_axis(double low, double high, int ticks, bool tight) {
  if (!(high > low)) {
    const double room = low == 0 ? 1 : 0.5 * std::abs(low);
    low -= room, high += room;
  }
  const double step = round_step((high - low) / std::max(1, ticks));
  Axis axis{low, high, {}, 0};
  if (!tight)
    axis.low = std::floor(low / step + 1e-9) * step, axis.high = std::ceil(high / step - 1e-9) * step;
  const double first = std::ceil(axis.low / step - 1e-9), last = std::floor(axis.high / step + 1e-9);
  for (double k = first; k <= last; ++k) axis.ticks.push_back(k * step + 0.0);
  const double digits = std::floor(std::log10(step));
  axis.decimals = digits < -4 || digits > 5 ? -1 : std::max(0, static_cast<int>(-digits));
  return axis;
}

}  // namespace covary::cli
