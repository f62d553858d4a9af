// How much room text takes in a picture, and text made to fit into it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace covary::cli {

/// The size and weight of letters.
struct Lettering {
  double size = 13;
  bool bold = false;
};

/// The width of UTF-8 text in pixels, on the wide side: as in DejaVu Sans, the widest of the fonts asked for.
double text_width(std::string_view text, const Lettering& letters);

/// `text`, or as much of its beginning as fits and an ellipsis. A unit in brackets at the end is kept.
std::string shortened(const std::string& text, double room, const Lettering& letters);

/// The same for names that are to be told apart: where their beginnings are alike, the middle or the beginning is
/// what is left out.
std::vector<std::string> shortened_apart(const std::vector<std::string>& names, double room,
                                         const Lettering& letters);

/// At most `most` lines broken at spaces; what is left over ends in an ellipsis.
std::vector<std::string> wrapped(const std::string& text, double room, size_t most, const Lettering& letters);

/// UTF-8 that XML allows: control characters become spaces, what is not UTF-8 a replacement character.
std::string printable(std::string_view text);

}  // namespace covary::cli
