#include "covary/kernels/kernel.h"

#include <fmt/format.h>

#include <cmath>

#include "covary/base/error.h"

namespace covary {

std::string number_text(double value) { return fmt::format("{}", value); }

std::string full_name(const Parameter& p, const std::vector<std::string>& columns) {
  const std::string place = p.item < 0 ? "" : "." + std::to_string(p.item + 1);
  if (p.column < 0) return p.path + place;
  const auto k = static_cast<size_t>(p.column);
  return p.path + "." + (k < columns.size() ? columns[k] : std::to_string(k + 1)) + place;
}

std::vector<Parameter> internal::unnamed_parameters(const Vector& theta) {
  std::vector<Parameter> all;
  for (Index i = 0; i < theta.size(); ++i)
    all.push_back({fmt::format("theta.{}", i + 1), Role::other, theta[i]});
  return all;
}

std::vector<Parameter> internal::prefixed(const std::string& prefix, std::vector<Parameter> parameters) {
  for (Parameter& p : parameters) p.path = prefix + p.path;
  return parameters;
}

void internal::check_given(const std::vector<Parameter>& parameters) {
  for (const Parameter& p : parameters)
    if (std::isnan(p.value))
      throw Error(
          Problem::usage,
          fmt::format("kernel: '{}' was not given, and there are no data to fit it to", full_name(p)));
}

void internal::check_range(const std::string& kernel, const std::string& parameter, double value,
                           double lower, double upper) {
  if (value >= lower && value <= upper) return;
  throw Error(Problem::usage, fmt::format("{}: {} must be a number from {} to {}, found {}", kernel,
                                          parameter, lower, upper, value));
}

double internal::to_theta(Scale scale, double value) {
  if (scale == Scale::identity) return value;
  return scale == Scale::log ? std::log(value) : std::log(value / (1 - value));
}

double internal::from_theta(Scale scale, double theta) {
  if (scale == Scale::identity) return theta;
  return scale == Scale::log ? std::exp(theta) : 1 / (1 + std::exp(-theta));
}

/// The step is a part in 2e5 of the column's largest distance from its mean: near the cube root of the
/// rounding.
Matrix internal::differences_in_inputs(const std::function<Matrix(Rows)>& cross, Rows a, const Matrix& w) {
  constexpr double step = 6e-6;
  Matrix out(a.rows(), a.cols());
  for (Index c = 0; c < a.cols(); ++c) {
    const double mean = a.rows() ? a.col(c).mean() : 0;
    const double size = a.rows() ? (a.col(c).array() - mean).abs().maxCoeff() : 0;
    const double h = step * (size > 0 ? size : std::max(1.0, std::abs(mean)));
    Matrix up = a, down = a;
    up.col(c).array() += h, down.col(c).array() -= h;
    const Vector sum = w.cwiseProduct(cross(up) - cross(down)).rowwise().sum();
    out.col(c) = sum.cwiseQuotient(up.col(c) - down.col(c));
  }
  return out;
}

}  // namespace covary
