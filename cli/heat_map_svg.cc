// Heat maps as SVG: cells of the same shade in a row are one rectangle, those of one shade one path.
#include <algorithm>
#include <cmath>
#include <limits>

#include "contour.h"
#include "covary/error.h"
#include "frame.h"
#include "heat_map.h"
#include "legend.h"
#include "panel.h"

namespace covary::cli {
namespace {

constexpr int shades = 64;
constexpr double bar_width = 14, bar_gap = 12, least_plot = 80, side_by_side = 600;

/// The range of the middles and half a cell more on either side.
Chart::Window edges(const Vector& middles) {
  const double half = (middles[middles.size() - 1] - middles[0]) / double(2 * (middles.size() - 1));
  return {middles[0] - half, middles[middles.size() - 1] + half};
}

/// One map with its colour bar.
class MapDrawing {
 public:
  MapDrawing(Svg& svg, const HeatMap& map, const Panel& panel, const Axis& values)
      : svg_(svg), map_(map), panel_(panel), values_(values) {}

  void draw(bool contour_lines) {
    cells();
    if (contour_lines)
      for (const double level : values_.ticks) contour(level);
    points();
    for (const Pins& p : map_.pins) covary::cli::draw(svg_, p, panel_);
    draw_axes(svg_, panel_, Grid::ticks);
    colour_bar();
  }

 private:
  /// -1: nothing is known.
  int shade(double z) const {
    return std::isnan(z) ? -1 : std::clamp(static_cast<int>(values_.place(z) * shades), 0, shades - 1);
  }
  std::string fill(int s) const { return at(*map_.ramp, (s + 0.5) / shades).hex(); }

  // Edges of cells, in absolute pixels: neighbours share them to the digit, so that no seam shows between.
  double edge_x(Index i) const {
    return panel_.plot.left + panel_.plot.width() * double(i) / double(map_.x.size());
  }
  double edge_y(Index j) const {
    return panel_.plot.bottom - panel_.plot.height() * double(j) / double(map_.y.size());
  }

  void cells() {
    std::vector<std::string> paths(shades);
    for (Index j = 0; j < map_.z.cols(); ++j) {
      for (Index i = 0; i < map_.z.rows();) {
        const int s = shade(map_.z(i, j));
        const Index first = i;
        while (i < map_.z.rows() && shade(map_.z(i, j)) == s) ++i;
        if (s < 0) continue;
        fmt::format_to(std::back_inserter(paths[static_cast<size_t>(s)]),
                       "M{0:.1f} {1:.1f}H{2:.1f}V{3:.1f}H{0:.1f}z", edge_x(first), edge_y(j + 1), edge_x(i),
                       edge_y(j));
      }
    }
    svg_.add(R"(<g shape-rendering="crispEdges">)");
    for (int s = 0; s < shades; ++s)
      if (!paths[static_cast<size_t>(s)].empty())
        svg_.add(R"(<path d="{}" fill="{}"/>)", paths[static_cast<size_t>(s)], fill(s));
    svg_.add("</g>");
  }

  void contour(double level) {
    const Box& b = panel_.plot;
    const double w = edge_x(1) - edge_x(0), h = edge_y(0) - edge_y(1);
    std::string d;
    for (const Contour& line : contours(map_.z, level)) {
      char verb = 'M';
      for (const auto& [i, j] : line) {
        fmt::format_to(std::back_inserter(d), "{}{:.1f} {:.1f}", verb, b.left + (i + 0.5) * w,
                       b.bottom - (j + 0.5) * h);
        verb = 'L';
      }
    }
    if (d.empty()) return;
    svg_.add(R"(<path d="{}" fill="none" stroke="{}" stroke-width="2.2" stroke-opacity="0.4"/>)", d,
             ink::white);
    svg_.add(R"(<path d="{}" fill="none" stroke="{}" stroke-width="0.9" stroke-opacity="0.75"/>)", d,
             ink::text);
  }

  /// Circles with a dark rim.
  void points() {
    const Index n = map_.point_x.size();
    if (n == 0) return;
    const bool filled = map_.point_z.size() > 0;
    const double room = std::clamp(panel_.plot.width() / 420, 0.7, 1.0);
    const double alone = map_.z.size() > 0 ? 1 : 2;  // then there is nothing else to see
    const double r = alone * room * (n <= 200 ? 3.4 : n <= 1000 ? 2.6 : 1.6) * (filled ? 1 : 0.75);
    svg_.add(R"(<g stroke="{}" stroke-width="{}"{}>)", ink::text, r > 2 ? 1 : 0.6,
             filled ? "" : fmt::format(R"( fill="{}")", ink::white));
    for (Index i = 0; i < n; ++i) {
      const std::string inside = filled ? fmt::format(R"( fill="{}")", fill(shade(map_.point_z[i]))) : "";
      svg_.add(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{:.2f}"{}/>)", panel_.px(map_.point_x[i]),
               panel_.py(map_.point_y[i]), r, inside);
    }
    svg_.add("</g>");
  }

  void colour_bar() {
    const Box& b = panel_.plot;
    const double left = b.right + bar_gap, step = b.height() / shades;
    const auto edge = [&](int s) { return std::round(10 * (b.bottom - s * step)) / 10; };
    svg_.add(R"(<g shape-rendering="crispEdges">)");
    for (int s = 0; s < shades; ++s)
      svg_.add(R"(<rect x="{:.1f}" y="{:.1f}" width="{}" height="{:.1f}" fill="{}"/>)", left, edge(s + 1),
               bar_width, edge(s) - edge(s + 1), fill(s));
    svg_.add("</g>");
    for (const double t : values_.ticks) {
      const double y = b.bottom - values_.place(t) * b.height();
      svg_.add(R"(<path d="M{:.1f} {:.1f}h4" stroke="{}"/>)", left + bar_width, y, ink::text);
      svg_.text(left + bar_width + 7, y + 0.35 * panel_.letters.size, values_.label(t), panel_.letters);
    }
  }

  Svg& svg_;
  const HeatMap& map_;
  const Panel& panel_;
  const Axis& values_;
};

/// From the top: title, notes, then the maps.
class MapSheet {
 public:
  MapSheet(const MapFigure& figure, const Size& size)
      : figure_(figure),
        width_(size.width),
        heading_(make_heading(figure.title, figure.notes, size.width)),
        letters_(heading_.letters),
        legend_(keys(figure), size.width - 2 * border, letters_.body),
        x_(edges(figure.maps.front().x)),
        y_(edges(figure.maps.front().y)) {
    columns_ = width_ < side_by_side ? 1 : static_cast<int>(figure.maps.size());
    rows_ = (static_cast<int>(figure.maps.size()) + columns_ - 1) / columns_;
    choose_size(size.height);
  }

  std::string draw() {
    Svg svg(width_, height_, letters_.body.size);
    covary::cli::draw(svg, heading_);
    legend_.draw(svg, border, heading_.height() + 2);
    for (size_t i = 0; i < figure_.maps.size(); ++i) map(svg, i);
    return std::move(svg).finish();
  }

 private:
  double line() const { return 1.45 * letters_.body.size; }
  double above() const { return line() + 12; }
  double below() const { return 10 + letters_.body.size + line(); }
  double top() const { return heading_.height() + legend_.height() + 4; }

  static std::vector<Key> keys(const MapFigure& figure) {
    std::vector<Key> out;
    for (const HeatMap& m : figure.maps)
      for (const Pins& p : m.pins) out.push_back(key_of(p));
    return out;
  }

  /// Room for labels at the left and right of a plot, whatever its height will be.
  void choose_margins() {
    double at_left = 0, at_right = 0;
    for (const double room : {100.0, 200.0, 400.0, 800.0, 1600.0}) {
      const Axis y = axis_up(y_.low, y_.high, room, letters_.body);
      at_left = std::max(at_left, y.label_width(letters_.body));
      for (const HeatMap& m : figure_.maps)
        at_right = std::max(at_right, values(m, room).label_width(letters_.body));
    }
    left_ = line() + at_left + 8;
    right_ = bar_gap + bar_width + 7 + at_right;
  }

  Axis values(const HeatMap& m, double room) const {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double z : m.z.reshaped())
      if (!std::isnan(z)) low = std::min(low, z), high = std::max(high, z);
    for (const double z : m.point_z) low = std::min(low, z), high = std::max(high, z);
    if (!std::isfinite(low) || !std::isfinite(high))
      throw Error(Problem::numerical, "a picture of numbers this large cannot be drawn");
    return axis_up(low, high, room, letters_.body);
  }

  void choose_size(double given) {
    choose_margins();
    plot_width_ = (width_ - 2 * border - (columns_ - 1) * border) / columns_ - left_ - right_;
    const double shape = figure_.equal ? (y_.high - y_.low) / (x_.high - x_.low) : 0.85;
    const double suitable = std::clamp(shape * plot_width_, least_plot, 1.6 * plot_width_);
    const double around = above() + below();
    height_ = chosen_height(given, top() + rows_ * (around + suitable) + border / 2,
                            top() + rows_ * (around + least_plot) + border / 2);
    plot_height_ = (height_ - top() - border / 2) / rows_ - around;
    if (figure_.equal)
      plot_width_ = std::min(plot_width_, plot_height_ / shape), plot_height_ = shape * plot_width_;
  }

  void map(Svg& svg, size_t i) const {
    const HeatMap& m = figure_.maps[i];
    const int row = static_cast<int>(i) / columns_, column = static_cast<int>(i) % columns_;
    const double left = border + left_ + column * (left_ + plot_width_ + right_ + border);
    const double upper = top() + row * (above() + plot_height_ + below()) + above();
    const Panel p{{left, upper, left + plot_width_, upper + plot_height_},
                  axis_across(x_.low, x_.high, plot_width_, letters_.body),
                  axis_up(y_.low, y_.high, plot_height_, letters_.body),
                  letters_.body};
    MapDrawing(svg, m, p, values(m, plot_height_)).draw(figure_.contours);
    svg.text(left, upper - 9, shortened(m.title, plot_width_ + right_, letters_.panel), letters_.panel);
    svg.text(left + plot_width_ / 2, p.plot.bottom + below() - 3,
             shortened(figure_.x_label, plot_width_, letters_.body), letters_.body, Svg::Anchor::middle);
    svg.upright(left - left_ + 0.8 * letters_.body.size, upper + plot_height_ / 2,
                shortened(figure_.y_label, plot_height_, letters_.body), letters_.body);
  }

  const MapFigure& figure_;
  double width_, height_ = 0;
  Heading heading_;
  Letters letters_;
  Legend legend_;
  Chart::Window x_, y_;
  int columns_ = 1, rows_ = 1;
  double left_ = 0, right_ = 0, plot_width_ = 0, plot_height_ = 0;
};

}  // namespace

std::string as_svg(const MapFigure& figure, const Size& size) { return MapSheet(figure, size).draw(); }

}  // namespace covary::cli
