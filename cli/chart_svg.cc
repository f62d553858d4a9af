// Charts as SVG: no scripts, no style sheets, one font, so that every viewer shows the same.
#include <fmt/format.h>

#include "axis.h"
#include "chart.h"
#include "chart_range.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr const char* ink = "#222222";
constexpr const char* pale = "#e4e4e4";
constexpr const char* blue = "#1b4f8a";
constexpr const char* light_blue = "#c9dbee";
constexpr const char* brown = "#b2581a";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else
      out += c;
  }
  return out;
}

/// Where things go, in pixels.
class Sheet {
 public:
  Sheet(const Chart& chart, double width, double height) : chart_(chart), width_(width), height_(height) {
    const Extent e = extent(chart);
    x_ = make_axis(e.x_low, e.x_high, 10, true);
    y_ = make_axis(e.y_low - e.pad(), e.y_high + e.pad(), 6, true);
  }

  std::string draw() {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"13\" fill=\"{2}\">\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
        width_, height_, ink);
    grid();
    for (const Chart::Band& b : chart_.bands) band(b);
    for (const Chart::Line& l : chart_.lines) line(l);
    for (const Chart::Points& p : chart_.points) points(p);
    labels();
    legend();
    return out_ + "</svg>\n";
  }

 private:
  double left() const { return 62; }
  double right() const { return width_ - 20; }
  double top() const { return 66; }
  double bottom() const { return height_ - 50; }
  double px(double x) const { return left() + x_.place(x) * (right() - left()); }
  double py(double y) const { return bottom() - y_.place(y) * (bottom() - top()); }

  template <class... T>
  void add(fmt::format_string<T...> text, T&&... values) {
    out_ += fmt::format(text, std::forward<T>(values)...) + "\n";
  }

  void grid() {
    for (const double t : y_.ticks) {
      add(R"(<path d="M{:.1f} {:.1f}H{:.1f}" stroke="{}"/>)", left(), py(t), right(), pale);
      add(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", left() - 9, py(t) + 4.5, y_.label(t));
    }
    for (const double t : x_.ticks) {
      add(R"(<path d="M{:.1f} {:.1f}v6" stroke="{}"/>)", px(t), bottom(), ink);
      add(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)", px(t), bottom() + 21, x_.label(t));
    }
    add(R"(<path d="M{:.1f} {:.1f}H{:.1f}" stroke="{}"/>)", left(), bottom(), right(), ink);
  }

  std::string path(const Vector& x, const Vector& y) const {
    std::string d;
    for (Index i = 0; i < x.size(); ++i)
      d += fmt::format("{}{:.2f} {:.2f}", i == 0 ? "M" : "L", px(x[i]), py(y[i]));
    return d;
  }

  void band(const Chart::Band& b) {
    const std::string back = path(b.x.reverse(), b.lower.reverse());
    add(R"(<path d="{}L{}Z" fill="{}"/>)", path(b.x, b.upper), back.substr(1), light_blue);
  }

  static std::string pen(Chart::Style style) {
    switch (style) {
      case Chart::Style::sample:
        return fmt::format(R"(stroke="{}" stroke-width="1" stroke-opacity="0.45")", blue);
      case Chart::Style::truth:
        return fmt::format(R"(stroke="{}" stroke-width="1.8" stroke-dasharray="7 4")", brown);
      default:
        return fmt::format(R"(stroke="{}" stroke-width="2.4")", blue);
    }
  }

  void line(const Chart::Line& l) {
    add(R"(<path d="{}" fill="none" stroke-linejoin="round" {}/>)", path(l.x, l.y), pen(l.style));
  }

  void dot(double x, double y) {
    add(R"(<circle cx="{:.2f}" cy="{:.2f}" r="3.2" fill="{}" stroke="#ffffff" stroke-width="0.8"/>)", x, y,
        ink);
  }

  void points(const Chart::Points& p) {
    for (Index i = 0; i < p.x.size(); ++i) dot(px(p.x[i]), py(p.y[i]));
  }

  void labels() {
    add(R"(<text x="{:.1f}" y="24" font-size="16" font-weight="bold">{}</text>)", left(),
        escaped(chart_.title));
    add(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)", (left() + right()) / 2, height_ - 10,
        escaped(chart_.x_label));
    add(R"svg(<text transform="translate(16 {:.1f}) rotate(-90)" text-anchor="middle">{}</text>)svg",
        (top() + bottom()) / 2, escaped(chart_.y_label));
  }

  void legend_text(double& x, const std::string& label) {
    add(R"(<text x="{:.1f}" y="50">{}</text>)", x + 32, escaped(label));
    x += 32 + 7.0 * static_cast<double>(shown_width(label)) + 22;
  }

  void legend() {
    double x = left();
    for (const Chart::Points& p : chart_.points) {
      if (p.label.empty()) continue;
      dot(x + 13, 45.5);
      legend_text(x, p.label);
    }
    for (auto l = chart_.lines.rbegin(); l != chart_.lines.rend(); ++l) {
      if (l->label.empty()) continue;
      add(R"(<path d="M{:.1f} 45.5h26" fill="none" {}/>)", x, pen(l->style));
      legend_text(x, l->label);
    }
    for (const Chart::Band& b : chart_.bands) {
      if (b.label.empty()) continue;
      add(R"(<rect x="{:.1f}" y="39" width="26" height="13" fill="{}"/>)", x, light_blue);
      legend_text(x, b.label);
    }
  }

  const Chart& chart_;
  double width_, height_;
  Axis x_, y_;
  std::string out_;
};

}  // namespace

std::string as_svg(const Chart& chart, double width, double height) {
  return Sheet(chart, width, height).draw();
}

}  // namespace covary::cli
