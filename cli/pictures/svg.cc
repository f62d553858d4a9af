#include "pictures/svg.h"

namespace covary::cli {
namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

const char* anchor_text(Svg::Anchor anchor) {
  if (anchor == Svg::Anchor::start) return "";
  return anchor == Svg::Anchor::middle ? R"( text-anchor="middle")" : R"( text-anchor="end")";
}

}  // namespace

Svg::Svg(double width, double height, double letters) : letters_(letters) {
  add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"{2}\" fill=\"{3}\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"{4}\"/>",
      width, height, letters, ink::text, ink::white);
}

std::string Svg::font(const Lettering& letters) const {
  std::string out;
  if (letters.size != letters_) out += fmt::format(R"( font-size="{}")", letters.size);
  if (letters.bold) out += R"( font-weight="bold")";
  return out;
}

void Svg::text(double x, double y, const std::string& text, const Lettering& letters, Anchor anchor) {
  if (text.empty()) return;
  add(R"(<text x="{:.1f}" y="{:.1f}"{}{}>{}</text>)", x, y, font(letters), anchor_text(anchor),
      escaped(text));
}

void Svg::on_anything(double x, double y, const std::string& text, const Lettering& letters) {
  add(R"(<text x="{:.1f}" y="{:.1f}"{}{} stroke="{}" stroke-width="3" stroke-opacity="0.8" paint-order="stroke">{}</text>)",
      x, y, font(letters), anchor_text(Anchor::middle), ink::white, escaped(text));
}

void Svg::upright(double x, double y, const std::string& text, const Lettering& letters, Anchor anchor) {
  if (text.empty()) return;
  add(R"svg(<text transform="translate({:.1f} {:.1f}) rotate(-90)"{}{}>{}</text>)svg", x, y, font(letters),
      anchor_text(anchor), escaped(text));
}

}  // namespace covary::cli
