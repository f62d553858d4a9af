#include "pictures/marks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "pictures/color.h"

namespace covary::cli {
namespace {

constexpr int grey_levels = 8;               // of grey
constexpr double most_marked_cells = 20000;  // of one set of points: bounds the file
constexpr double tick_height = 7, bin_width = 4;
constexpr size_t most_ticks = 150;  // at different half pixels

double mark_radius(double crowd) {
  if (crowd <= 150) return 3.2;
  if (crowd <= 400) return 2.5;
  return crowd <= 1200 ? 1.9 : crowd <= 5000 ? 1.4 : 1;
}

double mark_opacity(double crowd) { return crowd <= 600 ? 1 : crowd <= 2000 ? 0.6 : 0.45; }

void draw_circles(Svg& svg, bool dot, const Spots& at, double crowd, const std::string& color) {
  const double r = mark_radius(crowd);
  if (dot)
    svg.add(R"(<g fill="{}" fill-opacity="{}" stroke="{}" stroke-width="{}">)", color, mark_opacity(crowd),
            ink::white, r > 2 ? 0.8 : 0);
  else
    svg.add(R"(<g fill="none" stroke="{}" stroke-width="{}" stroke-opacity="0.6">)", color,
            r > 2 ? 0.8 : 0.5);
  for (const auto& [x, y] : at) svg.add(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}"/>)", x, y, r);
  svg.add("</g>");
}

/// Two strokes of half-length s times sqrt(2) through each spot.
std::string crosses(const Spots& at, double s) {
  std::string d;
  for (const auto& [x, y] : at)
    fmt::format_to(std::back_inserter(d), "M{:.1f} {:.1f}l{:.1f} {:.1f}m0 {:.1f}l{:.1f} {:.1f}", x - s, y - s,
                   2 * s, 2 * s, -2 * s, -2 * s, 2 * s);
  return d;
}

/// Each with as much ink as a dot, pi r^2 = 4 sqrt(2) s w, so that a twentieth looks like a twentieth.
void draw_exceptions(Svg& svg, const Spots& at, double crowd) {
  const double r = mark_radius(crowd), s = 1.3 * r;
  const double width = std::numbers::pi * r * r / (4 * std::numbers::sqrt2 * s);
  svg.add(R"(<path d="{}" fill="none" stroke="{}" stroke-width="{:.2f}" stroke-opacity="{}"/>)",
          crosses(at, s), ink::brown, width, mark_opacity(crowd));
}

/// On a light rim, to be seen anywhere.
void draw_crosses(Svg& svg, const Spots& at, double crowd) {
  const std::string d = crosses(at, mark_radius(crowd) + 1.2);
  svg.add(R"(<path d="{}" fill="none" stroke="{}" stroke-width="4.2"/>)", d, ink::white);
  svg.add(R"(<path d="{}" fill="none" stroke="{}" stroke-width="2"/>)", d, ink::brown);
}

/// On a light rim.
void draw_diamonds(Svg& svg, const Spots& at) {
  const double s = at.size() <= 15 ? 4.6 : 3.4;
  std::string d;
  for (const auto& [x, y] : at)
    fmt::format_to(std::back_inserter(d), "M{:.1f} {:.1f}l{} {}l{} {}l{} {}z", x - s, y, s, -s, s, s, -s, s);
  svg.add(R"(<path d="{}" fill="{}" stroke="{}" stroke-width="0.8"/>)", d, ink::blue, ink::white);
}

Box around(const Spots& at) {
  Box b{at[0].first, at[0].second, at[0].first, at[0].second};
  for (const auto& [x, y] : at) {
    b.left = std::min(b.left, x), b.right = std::max(b.right, x);
    b.top = std::min(b.top, y), b.bottom = std::max(b.bottom, y);
  }
  return b;
}

/// Squares of a few pixels; their grey says the logarithm of how many spots they hold.
void draw_cells(Svg& svg, const Spots& at) {
  const Box b = around(at);
  const double side = std::max(3.0, std::ceil(std::sqrt(b.width() * b.height() / most_marked_cells)));
  std::map<std::pair<long, long>, int> counts;  // by row, then by column
  int most = 0;
  for (const auto& [x, y] : at)
    most = std::max(most, ++counts[{long((y - b.top) / side), long((x - b.left) / side)}]);
  const auto level = [&](int count) {
    return static_cast<size_t>((grey_levels - 1) * std::log(count) / std::log(std::max(2, most)));
  };
  std::vector<std::string> paths(grey_levels);
  for (auto c = counts.begin(); c != counts.end();) {
    const auto [row, first] = c->first;
    const size_t grey = level(c->second);
    long n = 0;
    while (c != counts.end() && c->first == std::pair{row, first + n} && level(c->second) == grey) ++n, ++c;
    fmt::format_to(std::back_inserter(paths[grey]), "M{:.1f} {:.1f}h{}v{}h-{}z",
                   b.left + double(first) * side, b.top + double(row) * side, double(n) * side, side,
                   double(n) * side);
  }
  svg.add(R"(<g shape-rendering="crispEdges">)");
  for (size_t k = 0; k < grey_levels; ++k)
    if (!paths[k].empty())
      svg.add(R"(<path d="{}" fill="{}"/>)", paths[k], cell_fill(double(k) / (grey_levels - 1)));
  svg.add("</g>");
}

void draw_histogram(Svg& svg, const std::vector<double>& x, const Box& plot) {
  const auto bins = static_cast<size_t>(std::max(1.0, std::ceil(plot.width() / bin_width)));
  std::vector<double> counts(bins);
  for (const double at : x)
    counts[std::min(bins - 1, static_cast<size_t>(std::max(0.0, (at - plot.left) / bin_width)))] += 1;
  const double most = *std::max_element(counts.begin(), counts.end());
  std::string d;
  for (size_t i = 0; i < bins; ++i) {
    const double left = plot.left + double(i) * bin_width, right = std::min(plot.right, left + bin_width);
    if (counts[i] > 0)
      fmt::format_to(std::back_inserter(d), "M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}z", left, plot.bottom, right,
                     plot.bottom - std::max(0.5, rug_room * counts[i] / most), left);
  }
  svg.add(R"(<path d="{}" fill="{}" fill-opacity="0.4"/>)", d, ink::text);
}

}  // namespace

void draw_marks(Svg& svg, Chart::Mark mark, const Spots& at, double crowd, const std::string& color) {
  if (at.empty()) return;
  if (std::ssize(at) > most_marks)
    draw_cells(svg, at);
  else if (mark == Chart::Mark::cross)
    draw_crosses(svg, at, crowd);
  else if (mark == Chart::Mark::exception)
    draw_exceptions(svg, at, crowd);
  else if (mark == Chart::Mark::diamond)
    draw_diamonds(svg, at);
  else
    draw_circles(svg, mark == Chart::Mark::dot, at, crowd, color);
}

void draw_rug(Svg& svg, const std::vector<double>& x, const Box& plot) {
  std::set<long> halves;  // ticks at the same half pixel are one
  for (const double at : x) halves.insert(std::lround(2 * at));
  if (halves.size() > most_ticks) return draw_histogram(svg, x, plot);
  std::string d;
  for (const long half : halves)
    fmt::format_to(std::back_inserter(d), "M{:.1f} {:.1f}v-{}", 0.5 * double(half), plot.bottom, tick_height);
  svg.add(R"(<path d="{}" stroke="{}" stroke-width="0.8"/>)", d, ink::text);
}

MapPoints map_points(Index n, const Box& plot, bool alone) {
  const double share = alone ? 0.5 : 0.08;
  const double r = std::sqrt(share * plot.width() * plot.height() / (std::numbers::pi * double(n)));
  const double radius = std::clamp(r, 1.0, (alone ? 6.8 : 3.4) * std::clamp(plot.width() / 420, 0.7, 1.0));
  return {radius, std::clamp(0.25 * radius, 0.3, 1.0), radius > 2.6 ? 1 : 0.6};
}

}  // namespace covary::cli
