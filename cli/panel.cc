#include "panel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "colour.h"

namespace covary::cli {
namespace {

/// One chart on one panel.
class Drawing {
 public:
  Drawing(Svg& svg, const Chart& chart, const Panel& panel) : svg_(svg), chart_(chart), panel_(panel) {}

  void draw() {
    if (chart_.cut) define_frame();
    begin_cut();
    for (size_t i = 0; i < chart_.bands.size(); ++i) band(chart_.bands[i], band_fill(i, chart_.bands.size()));
    for (size_t i = 0; i < chart_.regions.size(); ++i)
      region(chart_.regions[i], band_fill(i, chart_.regions.size()));
    end_cut();
    draw_axes(svg_, panel_, Grid::across);
    begin_cut();
    for (size_t i = 0; i < chart_.bars.size(); ++i) bars(chart_.bars[i], bar_pen(i, chart_.bars[i].x.size()));
    const bool dense = crowd() > 600;  // then lines are thin and stand in front, to show both
    if (dense) all_points();
    for (const Chart::Line& l : chart_.lines)
      svg_.add(R"(<path d="{}" fill="none" stroke-linejoin="round" {}/>)", path(l.x, l.y), pen(l, dense));
    rug();
    if (!dense) all_points();
    end_cut();
  }

 private:
  /// Two panels never begin at the same pixel.
  std::string frame() const { return fmt::format("at-{:.0f}-{:.0f}", panel_.plot.left, panel_.plot.top); }
  void define_frame() {
    const Box& b = panel_.plot;
    svg_.add(R"(<clipPath id="{}"><rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/></clipPath>)",
             frame(), b.left, b.top, b.width(), b.height());
  }
  void begin_cut() {
    if (chart_.cut) svg_.add(R"-(<g clip-path="url(#{})">)-", frame());
  }
  void end_cut() {
    if (chart_.cut) svg_.add("</g>");
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
    svg_.add(R"(<path d="{}L{}Z" fill="{}"/>)", path(b.x, b.upper), back.substr(1), fill);
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

  /// Ticks at the same half pixel are one.
  void rug() {
    if (chart_.rug.size() == 0) return;
    std::set<long> halves;
    for (const double value : chart_.rug) halves.insert(std::lround(2 * panel_.px(value)));
    std::string d;
    for (const long half : halves)
      fmt::format_to(std::back_inserter(d), "M{:.1f} {:.1f}v-7", 0.5 * double(half), panel_.plot.bottom);
    svg_.add(R"(<path d="{}" stroke="{}" stroke-width="0.8"/>)", d, ink::text);
  }

  /// How many points there are for a plot of common width: smaller plots are sooner crowded.
  double crowd() const {
    double n = 0;
    for (const Chart::Points& p : chart_.points) n += double(p.x.size());
    return n * std::max(1.0, 600 / panel_.plot.width());
  }

  void all_points() {
    for (const Chart::Points& p : chart_.points) {
      std::vector<std::pair<double, double>> at;
      for (Index i = 0; i < p.x.size(); ++i) at.emplace_back(panel_.px(p.x[i]), panel_.py(p.y[i]));
      draw_marks(svg_, p.mark, at, crowd());
    }
  }

  Svg& svg_;
  const Chart& chart_;
  const Panel& panel_;
};

/// The radius of marks of which there are `crowd`.
double mark_radius(double crowd) {
  if (crowd <= 150) return 3.2;
  if (crowd <= 400) return 2.5;
  return crowd <= 1200 ? 1.9 : crowd <= 5000 ? 1.4 : 1;
}

}  // namespace

std::string pen(Chart::Style style, bool thin) {
  switch (style) {
    case Chart::Style::sample:
      return fmt::format(R"(stroke="{}" stroke-width="1" stroke-opacity="0.6")", ink::blue);
    case Chart::Style::draw:
      return fmt::format(R"(stroke="{}" stroke-width="1.7" stroke-opacity="0.85")", ink::blue);
    case Chart::Style::truth:
      return fmt::format(R"(stroke="{}" stroke-width="1.8" stroke-dasharray="7 4")", ink::brown);
    case Chart::Style::reference:
      return fmt::format(R"(stroke="{}" stroke-width="1.2" stroke-dasharray="3 3")", ink::text);
    default:
      return fmt::format(R"(stroke="{}" stroke-width="{}")", ink::blue, thin ? 1.5 : 2.4);
  }
}

std::string pen(const Chart::Line& line, bool thin) {
  if (line.series < 0) return pen(line.style, thin);
  static constexpr std::array<const char*, 6> dashes{"", "9 3", "3 3", "9 3 3 3", "1 3", "14 4"};
  const auto i = static_cast<size_t>(line.series);
  return fmt::format(R"(stroke="{}" stroke-width="2.1" stroke-dasharray="{}")", series_colour(i),
                     dashes[i % dashes.size()]);
}

std::string bar_pen(size_t i, Index crowd) {
  return fmt::format(R"(stroke="{}" stroke-width="{:.1f}" stroke-opacity="{}")", ink::blue,
                     (crowd > 250 ? 0.6 : 1) * (1 + 1.6 * static_cast<double>(i)), crowd > 1000 ? 0.3 : 0.55);
}

void draw_marks(Svg& svg, Chart::Mark mark, const std::vector<std::pair<double, double>>& at, double crowd) {
  if (at.empty()) return;
  const double r = mark_radius(crowd);
  if (mark != Chart::Mark::cross) {
    const bool dot = mark == Chart::Mark::dot;
    svg.add(R"(<g fill="{}" stroke="{}" stroke-width="{}" stroke-opacity="{}">)", dot ? ink::text : "none",
            dot ? ink::white : ink::text,
            r > 2 ? 0.8
            : dot ? 0
                  : 0.5,
            dot ? 1 : 0.6);
    for (const auto& [x, y] : at) svg.add(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}"/>)", x, y, r);
    svg.add("</g>");
    return;
  }
  std::string d;
  const double s = r + 1.2;
  for (const auto& [x, y] : at)
    fmt::format_to(std::back_inserter(d), "M{:.1f} {:.1f}l{:.1f} {:.1f}m0 {:.1f}l{:.1f} {:.1f}", x - s, y - s,
                   2 * s, 2 * s, -2 * s, -2 * s, 2 * s);
  svg.add(R"(<path d="{}" fill="none" stroke="{}" stroke-width="4.2"/>)", d, ink::white);
  svg.add(R"(<path d="{}" fill="none" stroke="{}" stroke-width="2"/>)", d, ink::brown);
}

void draw_axes(Svg& svg, const Panel& p, Grid grid) {
  const double size = p.letters.size;
  for (const double t : p.y.ticks) {
    if (grid == Grid::across)
      svg.add(R"(<path d="M{:.1f} {:.1f}H{:.1f}" stroke="{}" stroke-opacity="0.13"/>)", p.plot.left, p.py(t),
              p.plot.right, ink::text);
    else
      svg.add(R"(<path d="M{:.1f} {:.1f}h-5" stroke="{}"/>)", p.plot.left, p.py(t), ink::text);
    if (p.y_ticks)
      svg.text(p.plot.left - 8, p.py(t) + 0.35 * size, p.y.label(t), p.letters, Svg::Anchor::end);
  }
  for (const double t : p.x.ticks) {
    svg.add(R"(<path d="M{:.1f} {:.1f}v5" stroke="{}"/>)", p.px(t), p.plot.bottom, ink::text);
    svg.text(p.px(t), p.plot.bottom + 7 + size, p.x.label(t), p.letters, Svg::Anchor::middle);
  }
  svg.add(R"(<path d="M{:.1f} {:.1f}H{:.1f}" stroke="{}"/>)", p.plot.left, p.plot.bottom, p.plot.right,
          ink::text);
}

void draw(Svg& svg, const Chart& chart, const Panel& panel) { Drawing(svg, chart, panel).draw(); }

}  // namespace covary::cli
