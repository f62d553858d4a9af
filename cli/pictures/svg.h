// Scalable vector graphics: no scripts, no style sheets, one font, so that every viewer shows the same.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "pictures/lettering.h"

namespace covary::cli {

/// The pens and fills of every picture: told apart by lightness, shape or dashes, never by hue alone.
namespace ink {
constexpr const char* text = "#222222";
constexpr const char* blue = "#1b4f8a";
constexpr const char* brown = "#b2581a";
constexpr const char* white = "#ffffff";
}  // namespace ink

/// A part of a picture, in pixels; y grows downwards.
struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

/// A picture as it grows. Text is escaped here; attributes are ours.
class Svg {
 public:
  Svg(double width, double height, double letters);

  enum class Anchor { start, middle, end };
  void text(double x, double y, const std::string& text, const Lettering& letters,
            Anchor anchor = Anchor::start);
  /// Centered on x, with a light rim, to be read on any ground.
  void on_anything(double x, double y, const std::string& text, const Lettering& letters);
  /// Read from below, centered on (x, y) or ending there.
  void upright(double x, double y, const std::string& text, const Lettering& letters,
               Anchor anchor = Anchor::middle);

  /// One element, or several, as they stand.
  template <class... T>
  void add(fmt::format_string<T...> element, T&&... values) {
    fmt::format_to(std::back_inserter(out_), element, std::forward<T>(values)...);
    out_ += '\n';
  }
  /// The whole picture.
  std::string finish() && { return std::move(out_) + "</svg>\n"; }

 private:
  std::string font(const Lettering& letters) const;
  std::string out_;
  double letters_;  // the size that needs no saying
};

}  // namespace covary::cli
