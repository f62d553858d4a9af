// Degrees of longitude and latitude are not of one length.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "pictures/maps/heat_map.h"

namespace covary::cli {
namespace {

/// Whether a word of the name, in letters of any case, is one of these. A unit that is no degree says no.
bool named(const std::string& name, const std::vector<std::string>& words) {
  std::string plain, word;
  for (const char c : name.substr(0, name.find('[')))
    plain += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  const std::string unit = name.find('[') == name.npos ? "" : name.substr(name.find('[') + 1);
  if (!unit.empty() && !unit.starts_with("deg") && !unit.starts_with("\u00b0")) return false;
  for (const char c : plain + " ") {
    if (c >= 'a' && c <= 'z') {
      word += c;
      continue;
    }
    if (std::count(words.begin(), words.end(), word) > 0) return true;
    word.clear();
  }
  return false;
}

bool within(const Vector& x, double low, double high) {
  return x.size() > 0 && x.minCoeff() >= low && x.maxCoeff() <= high;
}

bool longitudes(const std::string& name, const Vector& x) {
  return named(name, {"lon", "long", "lng", "longitude"}) && within(x, -180, 360);
}

bool latitudes(const std::string& name, const Vector& x) {
  return named(name, {"lat", "latitude"}) && within(x, -90, 90);
}

/// cos of the middle latitude, not below 0.05: near a pole no map on a grid is true.
double shrinkage(const Vector& latitude) {
  const double middle = (latitude.minCoeff() + latitude.maxCoeff()) / 2;
  return std::max(0.05, std::cos(middle * std::numbers::pi / 180));
}

}  // namespace

double geographic_aspect(const std::string& x_name, const std::string& y_name, const Vector& x,
                         const Vector& y) {
  if (longitudes(x_name, x) && latitudes(y_name, y)) return 1 / shrinkage(y);
  if (latitudes(x_name, x) && longitudes(y_name, y)) return shrinkage(x);
  return 0;
}

}  // namespace covary::cli
