#include "pictures/panel.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "pictures/color.h"
#include "pictures/marks.h"

namespace covary::cli {
namespace {

constexpr double crowded = 600;  // points

/// One chart on one panel.
class Drawing {
 public:
  Drawing(Svg& svg, const Chart& chart, const Panel& panel) : svg_(svg), chart_(chart), panel_(panel) {}

  void draw() {
    if (chart_.cut) define_frame();
    const bool dense = crowd() > crowded;  // then points stand behind the lines and the edges of the bands
    cut([&] { areas(); });
    draw_axes(svg_, panel_, Grid::across);
    cut([&] {
      for (size_t i = 0; i < chart_.bars.size(); ++i)
        bars(chart_.bars[i], bar_pen(i, chart_.bars[i].x.size(), chart_.bars[i].width));
      if (dense) all_points(), edges();
      for (const Chart::Line& l : chart_.lines)
        svg_.add(R"(<path d="{}" fill="none" stroke-linejoin="round" {}/>)", path(l.x, l.y),
                 pen(l, line_width()));
      rug();
      if (!dense) all_points();
    });
  }

 private:
  /// Two panels never begin at the same pixel.
  std::string frame() const { return fmt::format("at-{:.0f}-{:.0f}", panel_.plot.left, panel_.plot.top); }
  void define_frame() {
    const Box& b = panel_.plot;
    svg_.add(R"(<clipPath id="{}"><rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/></clipPath>)",
             frame(), b.left, b.top, b.width(), b.height());
  }
  /// What `draw` draws, inside the frame only where the chart says so.
  template <class Draw>
  void cut(Draw draw) {
    if (chart_.cut) svg_.add(R"-(<g clip-path="url(#{})">)-", frame());
    draw();
    if (chart_.cut) svg_.add("</g>");
  }

  void areas() {
    const size_t n = chart_.bands.size(), m = chart_.regions.size();
    for (size_t i = 0; i < n; ++i) band(chart_.bands[i], fill_of(chart_, i));
    for (size_t i = 0; i < m; ++i) region(chart_.regions[i], band_fill(i, m));
  }

  /// Of the mean: at most a third of the narrowest band as it is seen, across the line, so that both are
  /// seen.
  double line_width() const {
    constexpr double widest = 2.4, least = 1;
    if (chart_.bands.empty() || chart_.bands.back().x.size() < 2) return widest;
    const Chart::Band& b = chart_.bands.back();
    std::vector<double> across;
    for (Index i = 1; i < b.x.size(); ++i) {
      const double dx = panel_.px(b.x[i]) - panel_.px(b.x[i - 1]);
      const double dy = (panel_.py(b.lower[i] + b.upper[i]) - panel_.py(b.lower[i - 1] + b.upper[i - 1])) / 2;
      across.push_back((panel_.py(b.lower[i]) - panel_.py(b.upper[i])) * std::abs(dx) / std::hypot(dx, dy));
    }
    std::nth_element(across.begin(), across.begin() + std::ssize(across) / 2, across.end());
    const double seen = across[across.size() / 2];
    return seen < 2 ? 1.6 : std::clamp(seen / 3, least, widest);  // a band of a line's width is not seen
  }

  /// Viewers lose pixels whose number is too large.
  static double within_reach(double pixel) { return std::clamp(pixel, -1e6, 1e6); }

  std::string path(const Vector& x, const Vector& y) const {
    std::string d;
    for (Index i = 0; i < x.size(); ++i)
      fmt::format_to(std::back_inserter(d), "{}{:.1f} {:.1f}", i == 0 ? "M" : "L",
                     within_reach(panel_.px(x[i])), within_reach(panel_.py(y[i])));
    return d;
  }

  void band(const Chart::Band& b, const std::string& fill) {
    const std::string back = path(b.x.reverse(), b.lower.reverse());
    svg_.add(R"(<path d="{}L{}Z" {}/>)", path(b.x, b.upper), back.substr(1), fill);
  }

  void edges() {
    for (const Chart::Band& b : chart_.bands)
      svg_.add(R"(<path d="{}{}" fill="none" stroke="{}" stroke-width="0.8" stroke-opacity="0.7"/>)",
               path(b.x, b.upper), path(b.x, b.lower), ink::blue);
  }

  void region(const Chart::Region& r, const std::string& fill) {
    svg_.add(R"(<path d="{}Z" fill="{}" {}/>)", path(r.x, r.y), fill, pen(Chart::Style::sample));
  }

  void bars(const Chart::Bars& b, const std::string& stroke) {
    std::string d;
    for (Index i = 0; i < b.x.size(); ++i)
      fmt::format_to(std::back_inserter(d), "M{:.1f} {:.1f}V{:.1f}", panel_.px(b.x[i]), panel_.py(b.lower[i]),
                     panel_.py(b.upper[i]));
    svg_.add(R"(<path d="{}" {}/>)", d, stroke);
  }

  void rug() {
    if (chart_.rug.size() == 0) return;
    std::vector<double> at;
    for (const double value : chart_.rug) at.push_back(panel_.px(value));
    draw_rug(svg_, at, panel_.plot);
  }

  /// How many points there are for a plot of common width: smaller plots are sooner crowded.
  double crowd() const {
    double n = 0;
    for (const Chart::Points& p : chart_.points) n += double(p.x.size());
    n *= std::max(1.0, 600 / panel_.plot.width());
    return chart_.bars.empty() ? n : std::min(n, crowded);  // marks must be seen before intervals
  }

  bool shown(double x, double y) const {
    return x >= panel_.x.low && x <= panel_.x.high && y >= panel_.y.low && y <= panel_.y.high;
  }

  void all_points() {
    for (const Chart::Points& p : chart_.points) {
      Spots at;
      for (Index i = 0; i < p.x.size(); ++i)
        if (!chart_.cut || shown(p.x[i], p.y[i])) at.emplace_back(panel_.px(p.x[i]), panel_.py(p.y[i]));
      draw_marks(svg_, p.mark, at, crowd(), p.series < 0 ? ink::text : series_color(size_t(p.series)));
    }
  }

  Svg& svg_;
  const Chart& chart_;
  const Panel& panel_;
};

}  // namespace

std::string pen(const Chart::Line& line, double mean_width) {
  if (line.series >= 0) {
    static constexpr std::array<const char*, 6> dashes{"", "9 3", "3 3", "9 3 3 3", "1 3", "14 4"};
    const auto i = static_cast<size_t>(line.series);
    return fmt::format(R"(stroke="{}" stroke-width="2.1" stroke-dasharray="{}")", series_color(i),
                       dashes[i % dashes.size()]);
  }
  if (line.style != Chart::Style::mean) return pen(line.style);
  return fmt::format(R"(stroke="{}" stroke-width="{:.1f}")", ink::blue, mean_width);
}

std::string pen(Chart::Style style) {
  switch (style) {
    case Chart::Style::sample:
      return fmt::format(R"(stroke="{}" stroke-width="1" stroke-opacity="0.6")", ink::blue);
    case Chart::Style::draw:
      return fmt::format(R"(stroke="{}" stroke-width="1.7" stroke-opacity="0.85")", ink::blue);
    case Chart::Style::truth:
      return fmt::format(R"(stroke="{}" stroke-width="1.8" stroke-dasharray="7 4")", ink::brown);
    default:
      return fmt::format(R"(stroke="{}" stroke-width="1.2" stroke-dasharray="3 3")", ink::text);
  }
}

std::string bar_pen(size_t i, Index crowd, double width) {
  return fmt::format(R"(stroke="{}" stroke-width="{:.1f}" stroke-opacity="{}")", ink::blue,
                     (crowd > 250 ? 0.6 : 1) * width * (1 + 1.6 * static_cast<double>(i)),
                     crowd > 1000  ? 0.2
                     : crowd > 250 ? 0.35
                                   : 0.55);
}

std::string fill_of(const Chart& chart, size_t i) {
  if (chart.bands[i].series >= 0) return series_fill(size_t(chart.bands[i].series));
  return fmt::format(R"(fill="{}")", band_fill(i, chart.bands.size()));
}

void draw_axes(Svg& svg, const Panel& p, Grid grid) {
  const Lettering up{p.y.letters * p.letters.size}, across{p.x.letters * p.letters.size};
  for (const double t : p.y.ticks) {
    if (grid == Grid::across)
      svg.add(R"(<path d="M{:.1f} {:.1f}H{:.1f}" stroke="{}" stroke-opacity="0.13"/>)", p.plot.left, p.py(t),
              p.plot.right, ink::text);
    else
      svg.add(R"(<path d="M{:.1f} {:.1f}h-5" stroke="{}"/>)", p.plot.left, p.py(t), ink::text);
    if (p.y_ticks) svg.text(p.plot.left - 8, p.py(t) + 0.35 * up.size, p.y.label(t), up, Svg::Anchor::end);
  }
  for (const double t : p.x.ticks) {
    svg.add(R"(<path d="M{:.1f} {:.1f}v5" stroke="{}"/>)", p.px(t), p.plot.bottom, ink::text);
    if (p.x.turned)
      svg.upright(p.px(t) + 0.35 * across.size, p.plot.bottom + 8, p.x.label(t), across, Svg::Anchor::end);
    else
      svg.text(p.px(t), p.plot.bottom + 7 + across.size, p.x.label(t), across, Svg::Anchor::middle);
  }
  svg.add(R"(<path d="M{:.1f} {:.1f}H{:.1f}" stroke="{}"/>)", p.plot.left, p.plot.bottom, p.plot.right,
          ink::text);
}

void draw(Svg& svg, const Chart& chart, const Panel& panel) { Drawing(svg, chart, panel).draw(); }

}  // namespace covary::cli
