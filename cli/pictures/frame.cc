#include "pictures/frame.h"

#include <cmath>

#include "covary/base/error.h"

namespace covary::cli {
namespace {

constexpr double line_spacing = 1.35;  // from one line to the next, in sizes

}  // namespace

Letters letters_for(double width) {
  const double size = width < 520 ? 11.5 : 13;
  return {{size}, {std::round(1.23 * size), true}, {size, true}};
}

double Heading::height() const {
  const double lines = line_spacing * (letters.title.size * static_cast<double>(title.size()) +
                                       letters.body.size * static_cast<double>(notes.size()));
  return border + lines;
}

Heading make_heading(const std::string& title, const std::vector<std::string>& notes, double width) {
  Heading h{{}, {}, letters_for(width)};
  const double room = width - 2 * border;
  h.title = wrapped(title, room, 3, h.letters.title);
  for (const std::string& note : notes)
    for (std::string& l : wrapped(note, room, 3, h.letters.body)) h.notes.push_back(std::move(l));
  return h;
}

void draw(Svg& svg, const Heading& h) {
  double y = border;
  for (const std::string& l : h.title) {
    svg.text(border, y + h.letters.title.size, l, h.letters.title);
    y += line_spacing * h.letters.title.size;
  }
  for (const std::string& l : h.notes) {
    svg.text(border, y + h.letters.body.size, l, h.letters.body);
    y += line_spacing * h.letters.body.size;
  }
}

double chosen_height(double given, double needed, double least) {
  if (given == 0) return std::round(needed);
  if (given < least)
    throw Error(Problem::usage,
                fmt::format("a height of {} pixels is too little for this picture: it needs {}", given,
                            std::ceil(least)));
  return given;
}

}  // namespace covary::cli
