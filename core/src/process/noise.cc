#include "covary/process/noise.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "covary/base/error.h"
#include "covary/base/row_names.h"

namespace covary {

Noise Noise::of(double variance) {
  if (!(variance >= 0 && std::isfinite(variance)))
    throw Error(Problem::usage,
                fmt::format("noise: the variance must be 0 or a positive number, found {}", variance));
  return {Kind::given, variance, {}};
}

Noise Noise::learn() { return {Kind::learned, std::numeric_limits<double>::quiet_NaN(), {}}; }

Noise Noise::learn(double start) {
  if (!(start > 0 && std::isfinite(start)))
    throw Error(Problem::usage, fmt::format("noise: the start must be a positive number, found {}", start));
  return {Kind::learned, start, {}};
}

Noise Noise::rows(Vector sd) {
  for (Index i = 0; i < sd.size(); ++i)
    if (!(sd[i] > 0 && std::isfinite(sd[i])))
      throw Error(Problem::data,
                  fmt::format("noise: {}: the standard deviation must be a positive number, found {}",
                              row_words(i), sd[i]));
  return {Kind::rows, 0, std::move(sd)};
}

Vector Noise::variances(Index n) const {
  if (kind == Kind::learned)
    throw Error(Problem::usage, "noise: the variance is still to be learned: fit first");
  if (kind == Kind::given) return Vector::Constant(n, variance);
  if (sd.size() != n)
    throw Error(Problem::usage,
                fmt::format("noise: {} standard deviations were given for {} rows", sd.size(), n));
  return sd.array().square();
}

std::string Noise::text() const {
  if (kind == Kind::learned) return "learn";
  return kind == Kind::rows ? "rows" : fmt::format("{}", variance);
}

}  // namespace covary
