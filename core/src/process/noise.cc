#include "covary/process/noise.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "covary/base/error.h"
#include "covary/base/read_number.h"
#include "covary/base/row_names.h"
#include "covary/predictive/student_t.h"

namespace covary {
using namespace internal;

static_assert(LikelihoodFamily<Noise>);

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

Noise Noise::parse(const std::string& text) {
  if (text == "learn") return learn();
  const bool learned = text.starts_with("learn(") && text.ends_with(')');
  const std::string_view digits =
      learned ? std::string_view(text).substr(6, text.size() - 7) : std::string_view(text);
  double value = 0;
  const auto [end, error] = read_number(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size())
    throw Error(Problem::usage,
                fmt::format("noise: expected a variance, learn or learn(START), found '{}'", text));
  return learned ? learn(value) : of(value);
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

Vector Noise::log_density(const Vector& y, const Vector& f) const {
  const Eigen::ArrayXd v = known().variances(y.size()).array();
  return -0.5 * ((2 * std::numbers::pi * v).log() + (y - f).array().square() / v);
}

Vector Noise::slopes(const Vector& y, const Vector& f) const {
  return (y - f).cwiseQuotient(known().variances(y.size()));
}

Vector Noise::curvatures(const Vector& y, const Vector&) const {
  return -known().variances(y.size()).cwiseInverse();
}

Marginals Noise::observed(Marginals f) const {
  f.variance += known().variances(f.mean.size());
  return f;
}

Prediction Noise::predictive(const Marginals& f) const {
  const Marginals y = observed(f);
  return {StudentT{y.mean, y.sd(), y.freedom}, y.clamped};
}

Vector Noise::theta() const { return is_learned() ? Vector::Constant(1, std::log(variance)) : Vector(0); }

Noise Noise::with(const Vector& theta) const {
  Noise out = *this;
  if (is_learned()) out.variance = std::exp(theta[0]);
  return out;
}

Vector Noise::start(double of_y) const {
  return is_learned() ? Vector::Constant(1, std::log(0.01 * of_y)) : Vector(0);
}

std::vector<Parameter> Noise::parameters() const {
  if (!is_learned()) return {};
  return {{"noise", Role::noise, variance}};
}

std::string Noise::text() const {
  if (is_learned()) return std::isnan(variance) ? "learn" : fmt::format("learn({})", variance);
  return per_row() ? "rows" : fmt::format("{}", variance);
}

}  // namespace covary
