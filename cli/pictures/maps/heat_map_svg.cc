// Heat maps as SVG: where the maps of a figure go.
#include <algorithm>
#include <cmath>
#include <limits>

#include "covary/base/error.h"
#include "pictures/frame.h"
#include "pictures/legend.h"
#include "pictures/maps/heat_map.h"
#include "pictures/maps/map_drawing.h"

namespace covary::cli {
namespace {

constexpr double least_map = 80, side_by_side = 600;

/// The range of the middles and half a cell more on either side.
Chart::Window edges(const Vector& middles) {
  const double half = (middles[middles.size() - 1] - middles[0]) / double(2 * (middles.size() - 1));
  return {middles[0] - half, middles[middles.size() - 1] + half};
}

/// From the top: title, notes, then the maps.
class MapSheet {
 public:
  MapSheet(const MapFigure& figure, const Size& size)
      : figure_(figure),
        width_(size.width),
        heading_(make_heading(figure.title, notes_of(figure), size.width)),
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

  /// Those given, and which points are too many to be drawn.
  static std::vector<std::string> notes_of(const MapFigure& figure) {
    std::vector<std::string> out = figure.notes;
    const HeatMap& m = figure.maps.front();
    if (m.point_x.size() > most_points(m))
      out.push_back(fmt::format("Of the {} points a random {} are drawn.", m.point_x.size(), most_points(m)));
    return out;
  }

  /// Room for labels at the left and right of a plot, whatever its height will be.
  void choose_margins() {
    double at_left = 0, at_right = 0;
    for (const double room : {100.0, 200.0, 400.0, 800.0, 1600.0}) {
      const Axis y = axis_up(y_.low, y_.high, room, letters_.body, figure_.y_measure);
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
    const bool to_scale = figure_.aspect > 0;
    const double shape = to_scale ? figure_.aspect * (y_.high - y_.low) / (x_.high - x_.low) : 0.85;
    const double suitable = std::clamp(shape * plot_width_, least_map, 1.6 * plot_width_);
    const double around = above() + below();
    height_ = chosen_height(given, top() + rows_ * (around + suitable) + border / 2,
                            top() + rows_ * (around + least_map) + border / 2);
    plot_height_ = (height_ - top() - border / 2) / rows_ - around;
    if (to_scale)
      plot_width_ = std::min(plot_width_, plot_height_ / shape), plot_height_ = shape * plot_width_;
  }

  void map(Svg& svg, size_t i) const {
    const HeatMap& m = figure_.maps[i];
    const int row = static_cast<int>(i) / columns_, column = static_cast<int>(i) % columns_;
    const double left = border + left_ + column * (left_ + plot_width_ + right_ + border);
    const double upper = top() + row * (above() + plot_height_ + below()) + above();
    const Panel p{{left, upper, left + plot_width_, upper + plot_height_},
                  axis_across(x_.low, x_.high, plot_width_, letters_.body, figure_.x_measure),
                  axis_up(y_.low, y_.high, plot_height_, letters_.body, figure_.y_measure),
                  letters_.body};
    const Axis z = values(m, plot_height_);
    draw_map(svg, m, p, z, figure_.contours);
    svg.text(left, upper - 9, noted_label(m.title, z, plot_width_ + right_, letters_.panel), letters_.panel);
    svg.text(left + plot_width_ / 2, p.plot.bottom + below() - 3,
             noted_label(figure_.x_label, p.x, plot_width_, letters_.body), letters_.body,
             Svg::Anchor::middle);
    svg.upright(left - left_ + 0.8 * letters_.body.size, upper + plot_height_ / 2,
                noted_label(figure_.y_label, p.y, plot_height_, letters_.body), letters_.body);
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

Vector middles(const Chart::Window& window, Index n) {
  const double half = (window.high - window.low) / double(2 * n);
  return Vector::LinSpaced(n, window.low + half, window.high - half);
}

std::string as_svg(const MapFigure& figure, const Size& size) { return MapSheet(figure, size).draw(); }

}  // namespace covary::cli
