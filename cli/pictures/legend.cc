#include "pictures/legend.h"

#include <algorithm>

#include "pictures/color.h"
#include "pictures/marks.h"
#include "pictures/panel.h"

namespace covary::cli {
namespace {

constexpr double mark_width = 26, after_mark = 6, after_label = 18;

/// The dot of a key is an ellipse: every circle in the file is an observation.
void point_mark(Svg& svg, Chart::Mark mark, double x, double y) {
  if (mark != Chart::Mark::dot && mark != Chart::Mark::ring) return draw_marks(svg, mark, {{x, y}}, 1);
  const std::string look =
      mark == Chart::Mark::ring ? fmt::format(R"( fill="none" stroke="{}")", ink::text) : "";
  svg.add(R"(<ellipse cx="{:.1f}" cy="{:.1f}" rx="3.2" ry="3.2"{}/>)", x, y, look);
}

/// From few to many.
void cells_mark(Svg& svg, double x, double y) {
  for (int k = 0; k < 4; ++k)
    svg.add(R"(<rect x="{:.1f}" y="{:.1f}" width="6" height="6" fill="{}"/>)", x - 12 + 6 * k, y - 3,
            cell_fill(k / 3.0));
}

Key point_key(const Chart::Points& p) {
  return {p.label, [mark = p.mark, cells = p.x.size() > most_marks](Svg& svg, double x, double y) {
            cells ? cells_mark(svg, x + mark_width / 2, y) : point_mark(svg, mark, x + mark_width / 2, y);
          }};
}

Key line_key(const Chart::Line& l) {
  return {l.label, [ink = pen(l)](Svg& svg, double x, double y) {
            svg.add(R"(<path d="M{:.1f} {:.1f}h{}" fill="none" {}/>)", x, y, mark_width, ink);
          }};
}

Key bar_key(const Chart::Bars& b, size_t i) {
  return {b.label, [i, width = b.width](Svg& svg, double x, double y) {
            svg.add(R"(<path d="M{:.1f} {:.1f}v14" {}/>)", x + mark_width / 2, y - 7, bar_pen(i, 1, width));
          }};
}

Key region_key(const Chart::Region& r, const std::string& fill) {
  return {r.label, [fill](Svg& svg, double x, double y) {
            svg.add(R"(<ellipse cx="{:.1f}" cy="{:.1f}" rx="{}" ry="6" fill="{}" {}/>)", x + mark_width / 2,
                    y, mark_width / 2, fill, pen(Chart::Style::sample));
          }};
}

Key band_key(const Chart::Band& b, const std::string& fill) {
  return {b.label, [fill](Svg& svg, double x, double y) {
            svg.add(R"(<rect x="{:.1f}" y="{:.1f}" width="{}" height="12" {}/>)", x, y - 6, mark_width, fill);
          }};
}

}  // namespace

Legend::Legend(const std::vector<Chart>& panels, double room, const Lettering& letters) : letters_(letters) {
  for (const Chart& c : panels) {
    for (const Chart::Points& p : c.points) add(point_key(p));
    for (auto l = c.lines.rbegin(); l != c.lines.rend(); ++l) add(line_key(*l));
    for (size_t i = c.regions.size(); i-- > 0;) add(region_key(c.regions[i], band_fill(i, c.regions.size())));
    for (size_t i = c.bars.size(); i-- > 0;) add(bar_key(c.bars[i], i));
    for (size_t i = c.bands.size(); i-- > 0;)
      add(band_key(c.bands[i], c.bands[i].series < 0 ? fill_of(c, i) : series_fill(0)));
  }
  wrap(room);
}

Legend::Legend(std::vector<Key> keys, double room, const Lettering& letters) : letters_(letters) {
  for (Key& k : keys) add(std::move(k));
  wrap(room);
}

void Legend::add(Key key) {
  const bool known =
      std::any_of(keys_.begin(), keys_.end(), [&](const Key& k) { return k.label == key.label; });
  if (!known && !key.label.empty()) keys_.push_back(std::move(key));
}

void Legend::wrap(double room) {
  double used = room;
  for (size_t i = 0; i < keys_.size(); ++i) {
    keys_[i].label = shortened(keys_[i].label, room - mark_width - after_mark, letters_);
    const double width = mark_width + after_mark + text_width(keys_[i].label, letters_);
    if (lines_.empty() || used + width > room) lines_.emplace_back(), used = 0;
    lines_.back().push_back(i);
    used += width + after_label;
  }
}

void Legend::draw(Svg& svg, double left, double top) const {
  double y = top + line_height() / 2;
  for (const std::vector<size_t>& line : lines_) {
    double x = left;
    for (const size_t i : line) {
      keys_[i].mark(svg, x, y);
      svg.text(x + mark_width + after_mark, y + 0.35 * letters_.size, keys_[i].label, letters_);
      x += mark_width + after_mark + text_width(keys_[i].label, letters_) + after_label;
    }
    y += line_height();
  }
}

}  // namespace covary::cli
