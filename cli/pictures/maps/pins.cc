#include "pictures/maps/pins.h"

#include <algorithm>
#include <cmath>

#include "pictures/color.h"

namespace covary::cli {
namespace {

constexpr double disc = 9.5, half_side = 5.5, half_cross = 4.2, half_diamond = 13.5;
constexpr int rounds = 200;

struct Spot {
  double x = 0, y = 0;
};

std::vector<Spot> spots(const Pins& pins, const Panel& panel) {
  std::vector<Spot> out;
  for (Index i = 0; i < pins.x.size(); ++i) out.push_back({panel.px(pins.x[i]), panel.py(pins.y[i])});
  return out;
}

/// Half of what two discs lack on either; those on the same spot part sideways.
bool part(Spot& a, Spot& b, double least) {
  double dx = b.x - a.x, dy = b.y - a.y, d = std::hypot(dx, dy);
  if (d >= least) return false;
  if (d < 1e-6) dx = 1, dy = 0, d = 1e-6;
  const double length = std::hypot(dx, dy), move = 0.5 * (least - d) + 0.05;
  a.x -= move * dx / length, a.y -= move * dy / length;
  b.x += move * dx / length, b.y += move * dy / length;
  return true;
}

/// The same spots with no disc on another, inside the plot, near to where they were.
std::vector<Spot> parted(std::vector<Spot> all, const Box& plot) {
  bool moved = true;
  for (int round = 0; moved && round < rounds; ++round) {
    moved = false;
    for (size_t i = 0; i < all.size(); ++i)
      for (size_t j = 0; j < i; ++j) moved = part(all[j], all[i], 2 * disc + 1) || moved;
    for (Spot& s : all) {
      s.x = std::clamp(s.x, plot.left + disc, std::max(plot.left + disc, plot.right - disc));
      s.y = std::clamp(s.y, plot.top + disc, std::max(plot.top + disc, plot.bottom - disc));
    }
  }
  return all;
}

void draw_disc(Svg& svg, Spot at, const std::string& text, double size) {
  svg.add(R"(<ellipse cx="{:.1f}" cy="{:.1f}" rx="{}" ry="{}" fill="{}" stroke="{}" stroke-width="1.5"/>)",
          at.x, at.y, disc, disc, ink::text, ink::white);
  svg.add(
      R"(<text x="{:.1f}" y="{:.1f}" font-size="{}" font-weight="bold" text-anchor="middle" fill="{}">{}</text>)",
      at.x, at.y + 0.36 * size, size, ink::white, text);
}

/// White, and larger than a disc.
void draw_numbered_diamond(Svg& svg, Spot at, const std::string& text, double size) {
  svg.add(
      R"(<path d="M{0:.1f} {1:.1f}l{2} {2}l-{2} {2}l-{2} -{2}z" fill="{3}" stroke="{4}" stroke-width="1.5"/>)",
      at.x, at.y - half_diamond, half_diamond, ink::white, ink::text);
  svg.add(
      R"(<text x="{:.1f}" y="{:.1f}" font-size="{}" font-weight="bold" text-anchor="middle" fill="{}">{}</text>)",
      at.x, at.y + 0.36 * size, size, ink::text, text);
}

void draw_square(Svg& svg, Spot at) {
  svg.add(R"(<rect x="{:.1f}" y="{:.1f}" width="{}" height="{}" fill="{}" stroke="{}" stroke-width="2"/>)",
          at.x - half_side, at.y - half_side, 2 * half_side, 2 * half_side, ink::white, ink::text);
}

/// A cross on a light rim, so that it shows on dark and light.
void draw_cross(Svg& svg, Spot at) {
  const std::string d = fmt::format("M{0:.1f} {1:.1f}l{2} {2}m0 -{2}l-{2} {2}", at.x - half_cross,
                                    at.y - half_cross, 2 * half_cross);
  svg.add(R"(<path d="{}" fill="none" stroke="{}" stroke-width="4"/>)", d, ink::white);
  svg.add(R"(<path d="{}" fill="none" stroke="{}" stroke-width="1.8"/>)", d, ink::text);
}

void draw_diamond(Svg& svg, Spot at) {
  svg.add(R"(<path d="M{:.1f} {:.1f}l5 5l-5 5l-5 -5z" fill="none" stroke="{}" stroke-width="1.6"/>)", at.x,
          at.y - 5, ink::text);
}

void draw_one(Svg& svg, Pins::Kind kind, Spot at) {
  if (kind == Pins::Kind::standing) draw_square(svg, at);
  if (kind == Pins::Kind::forbidden) draw_cross(svg, at);
  if (kind == Pins::Kind::target) draw_diamond(svg, at);
}

bool is_numbered(Pins::Kind kind) { return kind == Pins::Kind::numbered || kind == Pins::Kind::other; }

void draw_number(Svg& svg, Pins::Kind kind, Spot at, const std::string& text, double size) {
  kind == Pins::Kind::other ? draw_numbered_diamond(svg, at, text, size) : draw_disc(svg, at, text, size);
}

/// A disc or diamond, and how large its number is written.
struct Numbered {
  Pins::Kind kind;
  int number;
  double size;
};

double number_size(int last) { return last > 99 ? 8.5 : 10.5; }

}  // namespace

void draw(Svg& svg, const std::vector<Pins>& all, const Panel& panel) {
  std::vector<Numbered> numbered;
  std::vector<Spot> home;
  for (const Pins& pins : all) {
    const std::vector<Spot> here = spots(pins, panel);
    const int last = pins.first + static_cast<int>(here.size()) - 1;
    for (size_t i = 0; i < here.size(); ++i)
      if (is_numbered(pins.kind))
        numbered.push_back({pins.kind, pins.first + static_cast<int>(i), number_size(last)}),
            home.push_back(here[i]);
      else
        draw_one(svg, pins.kind, here[i]);
  }
  const std::vector<Spot> shown = parted(home, panel.plot);
  for (size_t i = 0; i < home.size(); ++i) {
    if (std::hypot(home[i].x - shown[i].x, home[i].y - shown[i].y) < 1.5) continue;
    svg.add(R"(<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}" stroke="{}" stroke-width="1.2"/>)", home[i].x,
            home[i].y, shown[i].x, shown[i].y, ink::text);
    svg.add(R"(<ellipse cx="{:.1f}" cy="{:.1f}" rx="2.4" ry="2.4"/>)", home[i].x, home[i].y);
  }
  for (size_t i = 0; i < home.size(); ++i)
    draw_number(svg, numbered[i].kind, shown[i], std::to_string(numbered[i].number), numbered[i].size);
}

Key key_of(const Pins& pins) {
  return {pins.label, [kind = pins.kind](Svg& svg, double x, double y) {
            const Spot at{x + 13, y};
            if (is_numbered(kind))
              draw_number(svg, kind, at, "1", number_size(1));
            else
              draw_one(svg, kind, at);
          }};
}

}  // namespace covary::cli
