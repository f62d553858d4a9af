#include "covary/predictive/transform.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/constants.h"
#include "covary/base/error.h"
#include "covary/gaussian/univariate.h"

namespace covary {
using namespace internal;

/// One transform: g, its inverse and log g', where it is defined, and the moments of its inverse.
struct internal::TransformEntry {
  const char* name;
  double lower, upper;  // of y, both excluded
  double (*forward)(double y);
  double (*inverse)(double z);
  double (*log_derivative)(double y);
  Transform::Moments (*moments)(double m, double s);
  const char* moments_by;
};

namespace {

using Moments = Transform::Moments;
constexpr double log_ten = std::numbers::ln10;
constexpr double normal_peak = 0.398942280401432677939946059934;  // 1/sqrt(2 pi)

/// exp(z), z ~ N(m, s^2): E = exp(m + s^2/2), sd = E sqrt(exp(s^2) - 1).
Moments log_normal(double m, double s) {
  const double mean = std::exp(m + 0.5 * s * s);
  return {mean, mean * std::sqrt(std::expm1(s * s))};
}

Moments log10_normal(double m, double s) { return log_normal(log_ten * m, log_ten * s); }

Moments shifted_log_normal(double m, double s) {
  const Moments y = log_normal(m, s);
  return {y.mean < 2 ? std::expm1(m + 0.5 * s * s) : y.mean - 1, y.sd};
}

/// sinh(z): E = sinh(m) exp(s^2/2), var = (exp(s^2) - 1) (exp(s^2) cosh(2 m) + 1)/2.
Moments sinh_normal(double m, double s) {
  const double grow = std::exp(s * s);
  return {std::sinh(m) * std::sqrt(grow), std::sqrt(0.5 * std::expm1(s * s) * (grow * std::cosh(2 * m) + 1))};
}

/// max(z, 0)^2, with a = m/s and P = Phi(a), p = phi(a):
///   E y   = (m^2 + s^2) P + m s p
///   E y^2 = (m^4 + 6 m^2 s^2 + 3 s^4) P + (m^3 s + 5 m s^3) p;  var y = 4 m^2 s^2 + 2 s^4 where P = 1.
Moments rectified_square(double m, double s) {
  if (s == 0) return {std::max(m, 0.0) * std::max(m, 0.0), 0};
  const double a = m / s, v = s * s;
  if (a > 8) return {m * m + v, std::sqrt(4 * m * m * v + 2 * v * v)};
  const double share = student_cdf(a, infinity), peak = normal_peak * std::exp(-0.5 * a * a);
  const double mean = v * ((a * a + 1) * share + a * peak);
  const double square = v * v * ((a * a * a * a + 6 * a * a + 3) * share + (a * a * a + 5 * a) * peak);
  return {mean, std::sqrt(std::max(0.0, square - mean * mean))};
}

double logistic(double z) { return z < 0 ? std::exp(z) / (1 + std::exp(z)) : 1 / (1 + std::exp(-z)); }

/// E h(z) by the trapezoidal rule in u = (z - m)/s over -9 .. 9, its step halved until that changes nothing:
/// with a normal weight the error falls exponentially. h is bounded.
template <class H>
double expected(const H& h, double m, double s) {
  constexpr double reach = 9;
  const auto sum = [&](double first, double step) {
    double all = 0;
    for (double u = first; u < reach; u += step) all += std::exp(-0.5 * u * u) * h(m + s * u);
    return normal_peak * all;
  };
  double step = 0.5, total = sum(-reach, step), value = step * total;
  for (int halving = 0; halving < 14; ++halving) {
    total += sum(-reach + 0.5 * step, step);
    step *= 0.5;
    const double finer = step * total;
    if (std::abs(finer - value) <= 1e-13 * std::abs(finer)) return finer;
    value = finer;
  }
  return value;
}

/// 1/(1 + exp(-z)): no closed form.
Moments logistic_normal(double m, double s) {
  if (s == 0) return {logistic(m), 0};
  const double mean = expected(logistic, m, s);
  const auto square = [mean](double z) { return (logistic(z) - mean) * (logistic(z) - mean); };
  return {mean, std::sqrt(expected(square, m, s))};
}

constexpr std::array<TransformEntry, 6> entries{
    {{"log", 0, infinity, [](double y) { return std::log(y); }, [](double z) { return std::exp(z); },
      [](double y) { return -std::log(y); }, &log_normal, "closed form"},
     {"log10", 0, infinity, [](double y) { return std::log10(y); },
      [](double z) { return std::pow(10.0, z); }, [](double y) { return -std::log(y * log_ten); },
      &log10_normal, "closed form"},
     {"log1p", -1, infinity, [](double y) { return std::log1p(y); }, [](double z) { return std::expm1(z); },
      [](double y) { return -std::log1p(y); }, &shifted_log_normal, "closed form"},
     {"sqrt", 0, infinity, [](double y) { return std::sqrt(y); }, [](double z) { return z > 0 ? z * z : 0; },
      [](double y) { return -std::log(2 * std::sqrt(y)); }, &rectified_square, "closed form"},
     {"asinh", -infinity, infinity, [](double y) { return std::asinh(y); },
      [](double z) { return std::sinh(z); }, [](double y) { return -std::log(std::hypot(1.0, y)); },
      &sinh_normal, "closed form"},
     {"logit", 0, 1, [](double y) { return std::log(y) - std::log1p(-y); }, &logistic,
      [](double y) { return -std::log(y) - std::log1p(-y); }, &logistic_normal, "quadrature"}}};

std::string domain_of(const TransformEntry& e) {
  if (std::isinf(e.upper)) return fmt::format("values above {}", e.lower);
  return fmt::format("values between {} and {}, both excluded", e.lower, e.upper);
}

/// Hints for other names of the transforms, and for transforms that are not offered.
std::string hint(const std::string& name) {
  if (name == "ln") return ", did you mean 'log'?";
  if (name == "reciprocal" || name == "inverse" || name == "1/")
    return ": under a normal z the mean of 1/z does not exist; log is what is usually meant";
  if (name == "boxcox" || name == "box_cox" || name == "yeojohnson")
    return ": log and sqrt are its usual cases";
  return did_you_mean(name, transform_names());
}

}  // namespace

Transform::Transform(std::string_view name) {
  if (name.empty()) return;
  for (const TransformEntry& e : entries)
    if (e.name == name) entry_ = &e;
  if (entry_ == nullptr)
    throw Error(Problem::usage, fmt::format("no transform of the target is named '{}'{} (there are {})", name,
                                            hint(std::string(name)), fmt::join(transform_names(), ", ")));
}

std::vector<std::string> transform_names() {
  std::vector<std::string> names;
  for (const TransformEntry& e : entries) names.emplace_back(e.name);
  return names;
}

std::string Transform::name() const { return entry_ ? entry_->name : ""; }

std::string Transform::of(const std::string& column) const {
  return entry_ ? fmt::format("{}({})", entry_->name, column) : column;
}

bool Transform::takes(double y) const { return !entry_ || (y > entry_->lower && y < entry_->upper); }

std::string Transform::refusal(const std::string& column, double y) const {
  const bool zero = entry_->lower == 0 && y == 0;
  return fmt::format("{} needs {}, found {}{}", of(column), domain_of(*entry_), y,
                     zero && std::isinf(entry_->upper) ? "; log1p takes 0" : "");
}

double Transform::operator()(double y) const { return entry_ ? entry_->forward(y) : y; }
double Transform::inverse(double z) const { return entry_ ? entry_->inverse(z) : z; }
double Transform::log_derivative(double y) const { return entry_ ? entry_->log_derivative(y) : 0; }

Vector Transform::operator()(const Vector& y) const {
  if (!entry_) return y;
  for (Index i = 0; i < y.size(); ++i)
    if (!takes(y[i])) throw Error(Problem::data, fmt::format("row {}: {}", i + 1, refusal("y", y[i])));
  return y.unaryExpr([this](double v) { return entry_->forward(v); });
}

Vector Transform::inverse(const Vector& z) const {
  return entry_ ? Vector(z.unaryExpr([this](double v) { return entry_->inverse(v); })) : z;
}

Matrix Transform::inverse(const Matrix& z) const {
  return entry_ ? Matrix(z.unaryExpr([this](double v) { return entry_->inverse(v); })) : z;
}

double Transform::log_jacobian(const Vector& y) const {
  double sum = 0;
  if (entry_)
    for (const double v : y) sum += entry_->log_derivative(v);
  return sum;
}

Transform::Moments Transform::moments(double m, double s) const {
  return entry_ ? entry_->moments(m, s) : Moments{m, s};
}

std::string Transform::moments_by() const { return entry_ ? entry_->moments_by : "closed form"; }

TargetColumn parse_target(const std::string& typed, const std::vector<std::string>& columns) {
  const size_t open = typed.find('(');
  const bool is_column = std::find(columns.begin(), columns.end(), typed) != columns.end();
  if (is_column || open == 0 || open == typed.npos || typed.back() != ')') return {typed};
  const auto trimmed = [](const std::string& text) {
    const size_t first = text.find_first_not_of(' ');
    return first == text.npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
  };
  std::string column = trimmed(typed.substr(open + 1, typed.size() - open - 2));
  if (column.size() > 1 && column.front() == '"' && column.back() == '"')
    column = column.substr(1, column.size() - 2);
  const std::string function = trimmed(typed.substr(0, open));
  const std::vector<std::string> names = transform_names();
  const bool known = std::find(names.begin(), names.end(), function) != names.end();
  if (!known && std::find(columns.begin(), columns.end(), column) == columns.end())
    return {typed};  // neither: a column that is called so, and is missing
  return {column, Transform(function)};
}

}  // namespace covary
