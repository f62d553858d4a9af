#include "axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "covary/error.h"

namespace covary::cli {
namespace {

/// The least of 1, 2, 5, 10, 20, ... that is at least `step`, at any power of ten.
double round_step(double step) {
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  for (const double f : {1.0, 2.0, 5.0})
    if (f * power >= step * (1 - 1e-9)) return f * power;
  return 10 * power;
}

/// A range of at least 1e-9 of its size: ticks must be told apart.
void widen(double& low, double& high) {
  if (!std::isfinite(low) || !std::isfinite(high) || !std::isfinite(high - low))
    throw Error(Problem::numerical, "a picture of numbers this large cannot be drawn");
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low > std::max(1e-9 * size, 1e-290)) return;
  const double room = size > 1e-280 ? 0.5 * size : 1;
  low -= room, high += room;
}

void choose_digits(Axis& axis, double step) {
  const int last = static_cast<int>(std::floor(std::log10(step) + 1e-9));
  const double size = std::max(std::abs(axis.low), std::abs(axis.high));
  const int first = static_cast<int>(std::floor(std::log10(size)));
  axis.decimals = std::max(0, -last);
  if (last < -4 || last > 5) axis.digits = std::clamp(first - last + 1, 1, 17);
}

/// "2.5e+09" -> "2.5e9"
std::string short_exponent(std::string text) {
  const size_t e = text.find('e');
  if (e == text.npos) return text;
  std::string power = text.substr(e + 1);
  const std::string sign = power[0] == '-' ? "\u2212" : "";
  power.erase(0, power.find_first_not_of("+-0"));
  return power.empty() ? text.substr(0, e) : text.substr(0, e) + "e" + sign + power;
}

/// The axis with the most ticks that `fits`.
template <class Fits>
Axis densest(double low, double high, int most, Fits fits) {
  Axis fallback = make_axis(low, high, 1, true);
  for (int n = std::max(1, most); n > 0; --n) {
    Axis axis = make_axis(low, high, n, true);
    if (!fits(axis)) continue;
    if (axis.ticks.size() > 1) return axis;
    if (axis.ticks.size() > fallback.ticks.size() || !fits(fallback)) fallback = axis;
  }
  return fallback;
}

}  // namespace

std::string Axis::label(double tick) const {
  const std::string text = digits > 0 ? short_exponent(fmt::format("{:.{}g}", tick, digits))
                                      : fmt::format("{:.{}f}", tick, decimals);
  return text.starts_with("-") ? "\u2212" + text.substr(1) : text;
}

double Axis::label_width(const Lettering& letters) const {
  double widest = 0;
  for (const double t : ticks) widest = std::max(widest, text_width(label(t), letters));
  return widest;
}

Axis make_axis(double low, double high, int ticks, bool tight) {
  widen(low, high);
  const double step = round_step((high - low) / std::max(1, ticks));
  Axis axis{low, high, {}};
  if (!tight)
    axis.low = std::floor(low / step + 1e-9) * step, axis.high = std::ceil(high / step - 1e-9) * step;
  const double first = std::ceil(axis.low / step - 1e-9), last = std::floor(axis.high / step + 1e-9);
  for (double k = first; k <= last; ++k) axis.ticks.push_back(k * step + 0.0);
  choose_digits(axis, step);
  return axis;
}

Axis axis_across(double low, double high, double room, const Lettering& letters) {
  const double gap = letters.size, few = std::min(6.0, room / (2.5 * letters.size));
  const int most = static_cast<int>(std::max(few, room / (5 * letters.size)));
  return densest(low, high, most, [&](const Axis& a) {
    if (a.ticks.size() < 2) return a.label_width(letters) < room;
    const double step = (a.place(a.ticks[1]) - a.place(a.ticks[0])) * room;
    return a.label_width(letters) + gap <= step;
  });
}

Axis axis_up(double low, double high, double room, const Lettering& letters) {
  return densest(low, high, static_cast<int>(room / (2.7 * letters.size)), [&](const Axis& a) {
    return a.ticks.size() < 2 || (a.place(a.ticks[1]) - a.place(a.ticks[0])) * room >= 1.6 * letters.size;
  });
}

}  // namespace covary::cli
