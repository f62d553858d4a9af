// Charts for a terminal: a character is a cell, the mean is drawn on half cells.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "pictures/axis.h"
#include "pictures/chart.h"
#include "pictures/chart_range.h"
#include "pictures/date_axis.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr std::array text_marks{"*", "+", "o", "x", "#", "="};

/// y at `at` on a line through points with ascending x.
double interpolated(const Vector& x, const Vector& y, double at) {
  Index i = 1;
  while (i + 1 < x.size() && x[i] < at) ++i;
  const double t = (at - x[i - 1]) / (x[i] - x[i - 1]);
  return y[i - 1] + t * (y[i] - y[i - 1]);
}

class Canvas {
 public:
  Canvas(const Chart& chart, Index columns, Index rows)
      : chart_(chart), columns_(columns), rows_(rows), cells_(static_cast<size_t>(columns * rows), " ") {
    const Extent e = extent(chart);
    x_ = axis_of(e.x_low, e.x_high, chart.x_measure);
    y_ = make_axis(e.y_low - e.pad(), e.y_high + e.pad(), 5);
  }

  std::string draw() {
    for (Index c = 0; c < columns_; ++c) {
      const double at =
          x_.low + (x_.high - x_.low) * (static_cast<double>(c) + 0.5) / static_cast<double>(columns_);
      for (const Chart::Band& b : chart_.bands)
        fill(c, interpolated(b.x, b.lower, at), interpolated(b.x, b.upper, at));
      size_t draws = 0;
      for (const Chart::Line& l : chart_.lines) {
        if (l.style == Chart::Style::draw) stroke(c, l, text_marks[draws++ % text_marks.size()]);
        if (l.style == Chart::Style::mean) half(c, interpolated(l.x, l.y, at));
      }
    }
    for (const Chart::Points& p : chart_.points)
      for (Index i = 0; i < p.x.size(); ++i) cell(column(p.x[i]), row(p.y[i])) = "\u25cf";
    return with_axes();
  }

 private:
  Axis axis_of(double low, double high, const Measure& measure) const {
    if (measure.kind == Measure::Kind::levels) return levels(low, high, measure.levels);
    if (measure.kind != Measure::Kind::number)
      return date_axis(low, high, measure.kind, 8, [&](const Axis& a) {
        return labels_apart(a, double(columns_), 1,
                            [](const std::string& label) { return double(shown_width(label)); });
      });
    Axis x;
    for (int n = 8; n >= 5; --n)  // five always give two ticks
      if (x = make_axis(low, high, n); has_room(x)) break;
    return x;
  }

  /// Names are cut where they would touch.
  Axis levels(double low, double high, const std::vector<std::string>& names) const {
    Axis x{low, high, {}};
    const double room = double(columns_) / (high - low) - 1;
    for (size_t k = 0; k < names.size(); ++k)
      x.ticks.push_back(double(k)), x.labels.push_back(shortened(names[k], std::max(1.0, room), {1}));
    return x;
  }

  /// For the labels of x, and a space after each.
  bool has_room(const Axis& x) const {
    size_t widest = 0;
    for (const double t : x.ticks) widest = std::max(widest, shown_width(x.label(t)));
    return double(widest + 1) <= (x.place(x.ticks[1]) - x.place(x.ticks[0])) * double(columns_);
  }

  Index row(double y) const { return clamped((1 - y_.place(y)) * static_cast<double>(rows_), rows_); }
  Index column(double x) const { return clamped(x_.place(x) * static_cast<double>(columns_), columns_); }
  static Index clamped(double at, Index n) {
    return std::clamp<Index>(static_cast<Index>(std::floor(at)), 0, n - 1);
  }
  std::string& cell(Index c, Index r) { return cells_[static_cast<size_t>(r * columns_ + c)]; }

  void fill(Index c, double lower, double upper) {
    for (Index r = row(upper); r <= row(lower); ++r) cell(c, r) = "\u2591";
  }
  void half(Index c, double y) {
    const double at = (1 - y_.place(y)) * static_cast<double>(rows_);
    cell(c, row(y)) = at - std::floor(at) < 0.5 ? "\u2580" : "\u2584";
  }

  /// From the left edge of a column to its right one, without gaps where the line is steep.
  void stroke(Index c, const Chart::Line& l, const char* mark) {
    const double step = (x_.high - x_.low) / static_cast<double>(columns_);
    const double left = x_.low + step * static_cast<double>(c);
    const Index from = row(interpolated(l.x, l.y, left)), to = row(interpolated(l.x, l.y, left + 0.9 * step));
    for (Index r = std::min(from, to); r <= std::max(from, to); ++r) cell(c, r) = mark;
  }

  std::string with_axes() {
    size_t margin = 0;
    for (const double t : y_.ticks) margin = std::max(margin, shown_width(y_.label(t)));
    std::vector<std::string> tick(static_cast<size_t>(rows_));
    for (const double t : y_.ticks) tick[static_cast<size_t>(row(t))] = y_.label(t);
    std::string out = y_.note().empty() ? "" : y_.note() + "\n";
    for (Index r = 0; r < rows_; ++r) {
      const std::string& label = tick[static_cast<size_t>(r)];
      out += std::string(margin - shown_width(label), ' ') + label + (label.empty() ? " \u2502" : " \u2524");
      for (Index c = 0; c < columns_; ++c) out += cell(c, r);
      out += "\n";
    }
    return out + x_axis(margin);
  }

  std::string x_axis(size_t margin) const {
    std::string ruler(margin + 1, ' '), labels(margin + 2, ' ');
    std::vector<std::string> marks(static_cast<size_t>(columns_), "\u2500");
    size_t used = margin + 2;
    for (const double t : x_.ticks) {
      marks[static_cast<size_t>(column(t))] = "\u252c";
      const std::string label = x_.label(t);
      const size_t center = margin + 2 + static_cast<size_t>(column(t));
      const size_t begin = std::max(used, center - std::min(center, shown_width(label) / 2));
      labels += std::string(begin - used, ' ') + label + " ";
      used = begin + shown_width(label) + 1;
    }
    ruler += "\u2514";
    for (const std::string& m : marks) ruler += m;
    if (!x_.note().empty()) labels += "  (" + x_.note() + ")";
    return ruler + "\n" + labels.substr(0, labels.find_last_not_of(' ') + 1) + "\n";
  }

  const Chart& chart_;
  Index columns_, rows_;
  std::vector<std::string> cells_;
  Axis x_, y_;
};

}  // namespace

std::string as_text(const Chart& chart, Index columns, Index rows) {
  return Canvas(chart, columns, rows).draw();
}

}  // namespace covary::cli
