#include "pictures/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "covary/base/error.h"
#include "pictures/date_axis.h"
#include "pictures/level_axis.h"

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

/// The place of the first digit of x: 2 for 340.
int first_digit(double x) { return static_cast<int>(std::floor(std::log10(std::abs(x)) + 1e-12)); }

double largest_label(const Axis& axis) {
  double size = 0;
  for (const double t : axis.ticks) size = std::max(size, std::abs(t - axis.offset));
  return size;
}

/// The roundest number that, taken from the ticks, leaves labels of at most four digits down to place `last`.
double round_offset(const Axis& axis, int last) {
  const double middle = (axis.ticks.front() + axis.ticks.back()) / 2;
  Axis tried = axis;
  for (int place = first_digit(middle); place >= last; --place) {
    const double unit = std::pow(10.0, place);
    tried.offset = std::round(middle / unit) * unit;
    if (largest_label(tried) < std::pow(10.0, last + 4)) break;
  }
  return tried.offset;
}

/// Labels are plain numbers if those are short, else multiples of 10^3, 10^6, ..., less an offset if the
/// ticks share more digits than `digits` allows.
void choose_labels(Axis& axis, double step, int digits) {
  const int last = first_digit(step);
  int first = first_digit(std::max(largest_label(axis), step));
  if (first - last + 1 > digits) {
    axis.offset = round_offset(axis, last);
    first = first_digit(std::max(largest_label(axis), step));
  }
  const bool plain = last >= -4 && (first <= 5 || (first == 6 && last <= 1));
  if (!plain) axis.power = 3 * static_cast<int>(std::floor(first / 3.0));
  axis.decimals = std::max(0, axis.power - last);
}

std::string with_minus(const std::string& text) {
  if (!text.starts_with("-")) return text;
  return text.find_first_of("123456789") == text.npos ? text.substr(1) : "\u2212" + text.substr(1);
}

/// "10⁹", "10⁻³"
std::string power_text(int power) {
  static constexpr std::array digits{"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                     "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  std::string out = "10";
  for (const char c : std::to_string(power))
    out += c == '-' ? "\u207b" : digits[static_cast<size_t>(c - '0')];
  return out;
}

/// "1.34 × 10⁹", or all of its digits where those are more than four and few enough.
std::string offset_text(double offset) {
  const std::string exact = fmt::format("{:.14e}", offset);
  const size_t e = exact.find('e');
  const int power = std::stoi(exact.substr(e + 1));
  std::string front = exact.substr(0, e);
  front.erase(front.find_last_not_of('0') + 1);
  if (front.ends_with('.')) front.pop_back();
  if (power > -5 && (power < 5 || (power < 13 && front.size() > 5))) return fmt::format("{:.15g}", offset);
  return front == "1" ? power_text(power) : front + " \u00d7 " + power_text(power);
}

bool two_fit(const Axis& a, double least) {
  return a.ticks.size() > 1 && a.place(a.ticks[1]) - a.place(a.ticks[0]) >= least;
}

/// The axis with the most ticks that are apart by what `least` says of them; else the first and the last tick
/// of one with few, the labels shorter where even those would touch.
template <class Least>
Axis densest(double low, double high, int most, Least least) {
  for (int n = std::max(2, most); n > 0; --n)
    if (Axis axis = make_axis(low, high, n); two_fit(axis, least(axis))) return axis;
  Axis ends;
  for (const int digits : {7, 4, 2})
    for (const int n : {2, 3, 4, 6, 9}) {
      ends = make_axis(low, high, n, digits);
      if (ends.ticks.size() < 2) continue;
      ends.ticks = {ends.ticks.front(), ends.ticks.back()};
      if (two_fit(ends, least(ends))) return ends;
    }
  return ends;
}

}  // namespace

std::string Axis::label(double tick) const {
  if (!labels.empty()) return labels[size_t(std::find(ticks.begin(), ticks.end(), tick) - ticks.begin())];
  return with_minus(fmt::format("{:.{}f}", (tick - offset) / std::pow(10.0, power), decimals));
}

std::string Axis::note() const {
  if (!said.empty()) return said;
  std::string out = power == 0 ? "" : "\u00d7 " + power_text(power);
  if (offset == 0) return out;
  if (!out.empty()) out += " ";
  return out + (offset < 0 ? "\u2212 " : "+ ") + offset_text(std::abs(offset));
}

double Axis::label_width(const Lettering& body) const {
  double widest = 0;
  for (const double t : ticks) widest = std::max(widest, text_width(label(t), {letters * body.size}));
  return widest;
}

double Axis::label_depth(const Lettering& body) const {
  return turned ? label_width(body) + 2 : letters * body.size;
}

bool labels_apart(const Axis& axis, double room, double gap,
                  const std::function<double(const std::string&)>& width) {
  for (size_t i = 1; i < axis.ticks.size(); ++i) {
    const double apart = (axis.place(axis.ticks[i]) - axis.place(axis.ticks[i - 1])) * room;
    if (apart < (width(axis.label(axis.ticks[i - 1])) + width(axis.label(axis.ticks[i]))) / 2 + gap)
      return false;
  }
  return true;
}

Axis make_axis(double low, double high, int ticks, int digits) {
  widen(low, high);
  const double step = round_step((high - low) / std::max(1, ticks));
  Axis axis{low, high, {}};
  const double first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
  for (double k = first; k <= last; ++k) axis.ticks.push_back(k * step + 0.0);
  if (!axis.ticks.empty()) choose_labels(axis, step, digits);
  return axis;
}

Axis axis_across(double low, double high, double room, const Lettering& letters, const Measure& measure) {
  if (measure.kind == Measure::Kind::levels) return levels_across(low, high, room, letters, measure.levels);
  const double few = std::min(6.0, room / (2.5 * letters.size));
  const int most = static_cast<int>(std::max(few, room / (5 * letters.size)));
  if (measure.kind != Measure::Kind::number)
    return date_axis(low, high, measure.kind, most, [&](const Axis& a) {
      return labels_apart(a, room, 0.7 * letters.size,
                          [&](const std::string& label) { return text_width(label, letters); });
    });
  return densest(low, high, most,
                 [&](const Axis& a) { return (a.label_width(letters) + 0.7 * letters.size) / room; });
}

Axis axis_up(double low, double high, double room, const Lettering& letters, const Measure& measure) {
  if (measure.kind == Measure::Kind::levels) return levels_up(low, high, room, letters, measure.levels);
  const int most = static_cast<int>(room / (2.7 * letters.size));
  if (measure.kind != Measure::Kind::number)
    return date_axis(low, high, measure.kind, most, [&](const Axis& a) {
      return labels_apart(a, room, 0, [&](const std::string&) { return 1.6 * letters.size; });
    });
  return densest(low, high, most, [&](const Axis&) { return 1.6 * letters.size / room; });
}

std::string noted_label(const std::string& name, const Axis& axis, double room, const Lettering& letters) {
  if (axis.note().empty()) return shortened(name, room, letters);
  const std::string note = name.empty() ? axis.note() : " (" + axis.note() + ")";
  return shortened(name, std::max(0.0, room - text_width(note, letters)), letters) + note;
}

}  // namespace covary::cli
