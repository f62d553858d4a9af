// Cells of the same shade in a row are one stroke, those of one shade one path.
#include "pictures/maps/map_drawing.h"

#include <algorithm>
#include <cmath>

#include "covary/base/random.h"
#include "pictures/maps/contour.h"
#include "pictures/marks.h"

namespace covary::cli {
namespace {

constexpr int shades = 64;
constexpr double smooth_cell = 4;  // pixels along its sides
constexpr Index most_resampled = 300;

/// n values at the middles of equal parts of what the values of z cover, linear between those.
double between(const Matrix& z, double i, double j) {
  const auto inside = [](double at, Index n) { return std::clamp(at, 0.0, double(n - 1)); };
  i = inside(i, z.rows()), j = inside(j, z.cols());
  const Index a = std::min(Index(i), z.rows() - 2), b = std::min(Index(j), z.cols() - 2);
  const double s = i - double(a), t = j - double(b);
  return (1 - s) * ((1 - t) * z(a, b) + t * z(a, b + 1)) + s * ((1 - t) * z(a + 1, b) + t * z(a + 1, b + 1));
}

/// z with at least m by n cells over the same area.
Matrix finer(const Matrix& z, Index m, Index n) {
  if (z.size() == 0 || (m <= z.rows() && n <= z.cols()) || z.rows() < 2 || z.cols() < 2) return z;
  m = std::max(m, z.rows()), n = std::max(n, z.cols());
  Matrix out(m, n);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j)
      out(i, j) = between(z, (double(i) + 0.5) * double(z.rows()) / double(m) - 0.5,
                          (double(j) + 0.5) * double(z.cols()) / double(n) - 0.5);
  return out;
}

double tenths(double x) { return std::round(10 * x) / 10; }

class MapDrawing {
 public:
  MapDrawing(Svg& svg, const HeatMap& map, const Panel& panel, const Axis& values)
      : svg_(svg), map_(map), panel_(panel), values_(values) {}

  void draw(bool contour_lines) {
    cells();
    const Axis levels = contour_levels();
    std::vector<std::vector<Contour>> lines;
    if (contour_lines)
      for (const double level : levels.ticks) lines.push_back(contour(level));
    points();
    std::vector<Box> taken;
    for (size_t k = 0; k < lines.size(); ++k) contour_label(levels.label(levels.ticks[k]), lines[k], taken);
    covary::cli::draw(svg_, map_.pins, panel_);
    draw_axes(svg_, panel_, Grid::ticks);
    color_bar();
  }

 private:
  /// -1: nothing is known.
  int shade(double z) const {
    return std::isnan(z) ? -1 : std::clamp(static_cast<int>(values_.place(z) * shades), 0, shades - 1);
  }
  std::string fill(int s) const { return at(*map_.ramp, (s + 0.5) / shades).hex(); }

  /// Between n columns of cells: a whole pixel, unless they are too narrow for it.
  double edge_x(Index i, Index n) const {
    const double w = panel_.plot.width(), at = panel_.plot.left + w * double(i) / double(n);
    return w >= 2 * double(n) ? std::round(at) : tenths(at);
  }

  /// As many as let a cell be no larger than a few pixels.
  Matrix shown_cells() const {
    if (!map_.smooth) return map_.z;
    const auto enough = [](double pixels) {
      return std::min(most_resampled, static_cast<Index>(std::ceil(pixels / smooth_cell)));
    };
    return finer(map_.z, enough(panel_.plot.width()), enough(panel_.plot.height()));
  }

  /// Strokes as thick as a row of cells is high and half a pixel more, and longer by as much: nothing shows
  /// between them at any size.
  void cells() {
    constexpr double overlap = 0.5;
    const Matrix z = shown_cells();
    if (z.size() == 0) return;
    std::vector<std::string> paths(shades);
    const double height = panel_.plot.height() / double(z.cols());
    for (Index j = 0; j < z.cols(); ++j) {
      const double y = panel_.plot.bottom - (double(j) + 0.5) * height;
      for (Index i = 0; i < z.rows();) {
        const int s = shade(z(i, j));
        const Index first = i;
        while (i < z.rows() && shade(z(i, j)) == s) ++i;
        if (s < 0) continue;
        const double left = edge_x(first, z.rows()),
                     right = edge_x(i, z.rows()) + (i < z.rows() ? overlap : 0);
        fmt::format_to(std::back_inserter(paths[static_cast<size_t>(s)]), "M{} {}h{}", left, tenths(y),
                       tenths(right - left));
      }
    }
    svg_.add(R"(<g shape-rendering="crispEdges" fill="none" stroke-width="{:.1f}">)", height + overlap);
    for (int s = 0; s < shades; ++s)
      if (!paths[static_cast<size_t>(s)].empty())
        svg_.add(R"(<path d="{}" stroke="{}"/>)", paths[static_cast<size_t>(s)], fill(s));
    svg_.add("</g>");
  }

  // ---------------------------------------------------------------------------------------------- contours

  /// At least as many as the color bar has ticks, and told in the same way.
  Axis contour_levels() const {
    Axis finer = make_axis(values_.low, values_.high, 7);
    return finer.note() == values_.note() && finer.ticks.size() > values_.ticks.size() ? finer : values_;
  }

  /// In pixels.
  std::vector<Contour> contour(double level) {
    const double w = panel_.plot.width() / double(map_.x.size()),
                 h = panel_.plot.height() / double(map_.y.size());
    std::vector<Contour> lines = contours(map_.z, level);
    std::string d;
    for (Contour& line : lines) {
      char verb = 'M';
      for (auto& [x, y] : line) {
        x = panel_.plot.left + (x + 0.5) * w, y = panel_.plot.bottom - (y + 0.5) * h;
        fmt::format_to(std::back_inserter(d), "{}{:.1f} {:.1f}", verb, x, y);
        verb = 'L';
      }
    }
    if (d.empty()) return lines;
    svg_.add(R"(<path d="{}" fill="none" stroke="{}" stroke-width="2.2" stroke-opacity="0.4"/>)", d,
             ink::white);
    svg_.add(R"(<path d="{}" fill="none" stroke="{}" stroke-width="0.9" stroke-opacity="0.75"/>)", d,
             ink::text);
    return lines;
  }

  static bool apart(const Box& a, const Box& b) {
    return a.left > b.right || b.left > a.right || a.top > b.bottom || b.top > a.bottom;
  }

  /// Once on the longest line that has a free place, else on the next.
  void contour_label(const std::string& text, std::vector<Contour> lines, std::vector<Box>& taken) {
    const Lettering letters{0.85 * panel_.letters.size};
    const double w = text_width(text, letters) / 2 + 3, h = letters.size / 2 + 2;
    std::stable_sort(lines.begin(), lines.end(),
                     [](const Contour& a, const Contour& b) { return a.size() > b.size(); });
    for (const Contour& line : lines)
      for (int k = 0; k <= 20; ++k) {  // from the middle to the ends, by turns
        const int step = 10 + (k % 2 == 0 ? k : -k - 1) / 2;
        const Box box =
            label_box(line[(line.size() - 1) * static_cast<size_t>(std::max(0, step)) / 20], w, h);
        if (!std::all_of(taken.begin(), taken.end(), [&](const Box& b) { return apart(b, box); })) continue;
        taken.push_back(box);
        svg_.on_anything((box.left + box.right) / 2, (box.top + box.bottom) / 2 + 0.36 * letters.size, text,
                         letters);
        return;
      }
  }

  /// Around a point of the line, or as near to it as the edge of the plot allows.
  Box label_box(std::pair<double, double> at, double w, double h) const {
    const Box& plot = panel_.plot;
    const double x = std::clamp(at.first, plot.left + w, std::max(plot.left + w, plot.right - w));
    const double y = std::clamp(at.second, plot.top + h, std::max(plot.top + h, plot.bottom - h));
    return {x - w, y - h, x + w, y + h};
  }

  // ------------------------------------------------------------------------------------------------ points

  /// Circles with a dark rim; small hollow ones are dots.
  void points() {
    const Index n = map_.point_x.size();
    if (n == 0) return;
    const std::vector<Index> drawn = Random(1).subset(n, std::min(n, most_points(map_)));
    const bool filled = map_.point_z.size() > 0;
    const MapPoints look = map_points(std::ssize(drawn), panel_.plot, map_.z.size() == 0);
    const double r = look.radius * (filled ? 1 : 0.75);
    const std::string hollow = r > 1.5 ? fmt::format(R"( fill="{}")", ink::white)
                                       : fmt::format(R"( fill="{}" fill-opacity="0.6")", ink::text);
    svg_.add(R"(<g stroke="{}" stroke-width="{:.2f}" stroke-opacity="{}"{}>)", ink::text, look.rim,
             look.opacity, filled ? "" : hollow);
    for (const Index i : drawn) {
      const std::string inside = filled ? fmt::format(R"( fill="{}")", fill(shade(map_.point_z[i]))) : "";
      svg_.add(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{:.2f}"{}/>)", panel_.px(map_.point_x[i]),
               panel_.py(map_.point_y[i]), r, inside);
    }
    svg_.add("</g>");
  }

  void color_bar() {
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

}  // namespace

Index most_points(const HeatMap& map) { return map.z.size() > 0 ? 2000 : 5000; }

void draw_map(Svg& svg, const HeatMap& map, const Panel& panel, const Axis& values, bool contours) {
  MapDrawing(svg, map, panel, values).draw(contours);
}

}  // namespace covary::cli
