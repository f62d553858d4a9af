// Pictures in files: SVG as it is, PNG through a converter.
#pragma once
#include <string>

namespace covary::cli {

/// Throws Problem::usage for a name that ends in neither .svg nor .png nor is "-", and Problem::failed for
/// .png where rsvg-convert is not on the PATH. To be called before anything is computed.
void check_picture_name(const std::string& path);

/// Writes the picture whole or not at all; as PNG, of its size in pixels, if the name ends in .png.
void write_picture(const std::string& path, const std::string& svg);

}  // namespace covary::cli
