// Charts as SVG: where the panels of a figure go.
#include <algorithm>
#include <cmath>

#include "pictures/chart.h"
#include "pictures/chart_range.h"
#include "pictures/frame.h"
#include "pictures/legend.h"
#include "pictures/marks.h"
#include "pictures/panel.h"

namespace covary::cli {
namespace {

constexpr double least_plot = 60;    // a panel lower than this shows nothing
constexpr double least_panel = 185;  // the width at which another column is begun
constexpr int most_columns = 4;

/// From the top: title, notes, legend, then rows of panels.
class Sheet {
 public:
  Sheet(const Figure& figure, const Size& size)
      : figure_(figure),
        width_(size.width),
        heading_(make_heading(figure.title, notes_of(figure), size.width)),
        letters_(heading_.letters),
        legend_(figure.panels, size.width - 2 * border, letters_.body) {
    count_columns();
    find_ranges();
    find_depth();
    choose_heights(size.height);
    choose_widths();
  }

  std::string draw() {
    Svg svg(width_, height_, letters_.body.size);
    covary::cli::draw(svg, heading_);
    legend_.draw(svg, border, heading_.height() + 2);
    for (size_t i = 0; i < figure_.panels.size(); ++i) panel(svg, i);
    if (!figure_.own_scales) y_label(svg);
    return std::move(svg).finish();
  }

 private:
  const Chart& any() const { return figure_.panels.front(); }
  double line() const { return 1.45 * letters_.body.size; }
  double top() const { return heading_.height() + legend_.height() + 6; }
  double above() const { return any().title.empty() ? 6 : line() + 4; }
  double below() const { return 10 + depth_ + (any().x_label.empty() ? 0 : line()); }
  double row_height() const { return above() + plot_height_ + below() + (rows_ > 1 ? 8 : 0); }
  double plot_top(int row) const { return top() + row * row_height() + above(); }

  /// Those given, and which points are too many to be drawn one by one.
  static std::vector<std::string> notes_of(const Figure& figure) {
    std::vector<std::string> out = figure.notes;
    for (const Chart& c : figure.panels)
      for (const Chart::Points& p : c.points) {
        if (p.x.size() <= most_marks) continue;
        std::string note = fmt::format("The {} {} are counted in cells: the darker, the more.", p.x.size(),
                                       p.label.empty() ? "points" : p.label);
        if (std::count(out.begin(), out.end(), note) == 0) out.push_back(std::move(note));
      }
    return out;
  }

  void count_columns() {
    const int n = static_cast<int>(figure_.panels.size());
    const int fit = std::clamp(static_cast<int>(width_ / least_panel), 1, most_columns);
    columns_ = std::min(n, figure_.columns > 0 ? std::min(figure_.columns, fit) : fit);
    rows_ = (n + columns_ - 1) / columns_;
  }

  void find_ranges() {
    Extent all;
    for (const Chart& c : figure_.panels) {
      extents_.push_back(extent(c));
      all.widen_y(extents_.back().y_low, extents_.back().y_high);
    }
    for (Extent& e : extents_) {
      if (!figure_.own_scales) e.y_low = all.y_low, e.y_high = all.y_high;
      const double pad = any().square ? 0 : e.pad();
      e.y_low -= pad, e.y_high += pad;
    }
  }

  /// Of the labels along x, in plots that are no narrower than this.
  void find_depth() {
    const double narrow = std::max(40.0, (width_ - 2 * border - 10 * letters_.body.size) / columns_ - 30);
    depth_ = letters_.body.size;
    for (size_t i = 0; i < extents_.size(); ++i)
      depth_ = std::max(depth_, x_axis(i, narrow).label_depth(letters_.body));
  }

  /// Of the plots, before it is known how wide they are.
  double suitable_height() const {
    if (any().square) return std::min(width_ - 6 * letters_.body.size, 680.0);
    if (figure_.panels.size() == 1) return std::clamp(0.48 * width_, 200.0, 480.0);
    return std::clamp(0.68 * (width_ / columns_ - 40), 90.0, 240.0);
  }

  void choose_heights(double given) {
    const auto total = [&](double plot) {
      plot_height_ = plot;
      return top() + rows_ * row_height() + border - 4;
    };
    height_ = chosen_height(given, total(suitable_height()), total(least_plot));
    plot_height_ = (height_ - total(0)) / rows_;
  }

  /// Below everything else, where some panel has a rug.
  void make_room_for_rugs() {
    if (std::none_of(figure_.panels.begin(), figure_.panels.end(),
                     [](const Chart& c) { return c.rug.size() > 0; }))
      return;
    const double share = std::min(0.5, (rug_room + 3) / plot_height_);
    for (Extent& e : extents_) e.y_low -= share / (1 - share) * (e.y_high - e.y_low);
  }

  void choose_widths() {
    make_room_for_rugs();
    for (size_t i = 0; i < extents_.size(); ++i)
      y_.push_back(axis_up(extents_[i].y_low, extents_[i].y_high, plot_height_, letters_.body,
                           figure_.panels[i].y_measure));
    const double margin =
        (any().y_label.empty() && y_.front().note().empty() ? 0 : line()) + tick_width() + 8;
    left_ = border + margin;
    plot_width_ = (width_ - left_ - border) / columns_;  // a first guess, for the labels along x
    double label = 0;
    for (size_t i = 0; i < extents_.size(); ++i) label = std::max(label, overhang(x_axis(i)));
    gap_ = figure_.own_scales ? label / 2 + 10 + margin : std::max(16.0, label + 8);
    plot_width_ = (width_ - left_ - border - label / 2 - (columns_ - 1) * gap_) / columns_;
    if (!any().square) return;
    const double side = std::min(plot_width_, plot_height_);
    left_ += (plot_width_ - side) / 2;
    plot_width_ = plot_height_ = side;
    y_.assign(y_.size(), x_axis(0));
  }

  /// The widest label beside any panel.
  double tick_width() const {
    double widest = 0;
    for (const Axis& y : y_) widest = std::max(widest, y.label_width(letters_.body));
    return widest;
  }

  /// How wide labels at the ends of an axis may be: those of levels stand inside it.
  double overhang(const Axis& x) const {
    return x.turned || any().x_measure.kind == Measure::Kind::levels ? 0 : x.label_width(letters_.body);
  }

  Axis x_axis(size_t i) const { return x_axis(i, plot_width_); }
  Axis x_axis(size_t i, double room) const {
    Axis axis =
        axis_across(extents_[i].x_low, extents_[i].x_high, room, letters_.body, figure_.panels[i].x_measure);
    if (!figure_.panels[i].counts || axis.power != 0) return axis;
    std::erase_if(axis.ticks, [](double t) { return t != std::round(t); });
    axis.decimals = 0;
    return axis;
  }

  /// Beside every row if it fits there, else once beside all of them.
  void y_label(Svg& svg) const {
    const bool each = text_width(any().y_label, letters_.body) <= plot_height_;
    for (int row = 0; row < (each ? rows_ : 1); ++row)
      y_label(svg, 0, left_, plot_top(row), plot_top(each ? row : rows_ - 1) + plot_height_);
  }

  void y_label(Svg& svg, size_t i, double left, double upper, double lower) const {
    svg.upright(left - 8 - tick_width() - 0.65 * letters_.body.size, (upper + lower) / 2,
                noted_label(figure_.panels[i].y_label, y_[i], lower - upper, letters_.body), letters_.body);
  }

  void panel(Svg& svg, size_t i) const {
    const Chart& chart = figure_.panels[i];
    const int row = static_cast<int>(i) / columns_, column = static_cast<int>(i) % columns_;
    const double left = left_ + column * (plot_width_ + gap_), upper = plot_top(row);
    const Box plot{left, upper, left + plot_width_, upper + plot_height_};
    const Panel p{plot, x_axis(i), y_[i], letters_.body, column == 0 || figure_.own_scales};
    covary::cli::draw(svg, chart, p);
    if (figure_.own_scales) y_label(svg, i, left, plot.top, plot.bottom);
    svg.text(left, upper - 7, shortened(chart.title, plot_width_, letters_.panel), letters_.panel);
    svg.text(left + plot_width_ / 2, p.plot.bottom + 7 + p.x.label_depth(letters_.body) + line(),
             noted_label(chart.x_label, p.x, plot_width_, letters_.body), letters_.body, Svg::Anchor::middle);
  }

  const Figure& figure_;
  double width_, height_ = 0;
  Heading heading_;
  Letters letters_;
  Legend legend_;
  int columns_ = 1, rows_ = 1;
  std::vector<Extent> extents_;  // of each panel
  std::vector<Axis> y_;          // of each panel
  double left_ = 0, gap_ = 0, plot_width_ = 0, plot_height_ = 0, depth_ = 0;
};

}  // namespace

std::string as_svg(const Figure& figure, const Size& size) { return Sheet(figure, size).draw(); }

std::string as_svg(const Chart& chart, const Size& size) {
  Figure figure{chart.title, {}, {chart}};
  figure.panels.front().title.clear();
  return as_svg(figure, size);
}

}  // namespace covary::cli
