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
  Noise out;
  out.variance = variance;
  return out;
}

Noise Noise::learn() {
  Noise out;
  out.kind_ = Kind::learned, out.variance = std::numeric_limits<double>::quiet_NaN();
  return out;
}

Noise Noise::learn(double start) {
  if (!(start > 0 && std::isfinite(start)))
    throw Error(Problem::usage, fmt::format("noise: the start must be a positive number, found {}", start));
  Noise out = learn();
  out.variance = start;
  return out;
}

Noise Noise::rows(Vector sd) {
  for (Index i = 0; i < sd.size(); ++i)
    if (!(sd[i] > 0 && std::isfinite(sd[i])))
      throw Error(Problem::data,
                  fmt::format("noise: {}: the standard deviation must be a positive number, found {}",
                              row_words(i), sd[i]));
  Noise out;
  out.kind_ = Kind::rows, out.sd = std::move(sd);
  return out;
}

Vector Noise::variances(Index n) const {
  if (is_learned()) throw Error(Problem::usage, "noise: the variance is still to be learned: fit first");
  if (is_given()) return Vector::Constant(n, variance);
  if (sd.size() != n)
    throw Error(Problem::usage,
                fmt::format("noise: {} standard deviations were given for {} rows", sd.size(), n));
  return sd.array().square();
}

Noise Noise::of_rows(const std::vector<Index>& rows) const {
  Noise out = *this;
  if (per_row()) out.sd = sd(rows);
  return out;
}

Noise Noise::rescaled(double scale) const {
  Noise out = *this;
  out.variance = variance / scale / scale;
  out.sd = sd / scale;
  return out;
}

std::string Noise::text() const {
  if (is_learned()) return "learn";
  return per_row() ? "rows" : fmt::format("{}", variance);
}

}  // namespace covary
