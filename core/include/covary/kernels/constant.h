// A kernel that is the same for all points.
#pragma once
#include <cmath>

#include "covary/kernels/kernel.h"
#include "covary/kernels/split.h"

namespace covary {

/// Shortest decimal form that reads back to the same double.
std::string number_text(double value);

namespace internal {
/// Throws a usage Error unless lower <= value <= upper.
void check_range(const std::string& kernel, const std::string& parameter, double value, double lower = 1e-100,
                 double upper = 1e100);

/// `parameters` with `prefix` before each path.
std::vector<Parameter> prefixed(const std::string& prefix, std::vector<Parameter> parameters);
}  // namespace internal

/// k(x, z) = variance.
template <class X>
struct Constant {
  double variance = std::numeric_limits<double>::quiet_NaN();
  Matrix cross(Batch<X> a, Batch<X> b) const { return Matrix::Constant(count(a), count(b), variance); }
  Vector diag(Batch<X> a) const { return Vector::Constant(count(a), variance); }
  Vector pullback(Batch<X>, Batch<X>, const Matrix& w) const {
    return Vector::Constant(1, variance * w.sum());
  }
  Matrix pullback_inputs(Rows a, Rows, const Matrix&) const requires std::same_as<X, Row> {
    return Matrix::Zero(a.rows(), a.cols());
  }
  Vector theta() const { return Vector::Constant(1, std::log(variance)); }
  Constant with(const Vector& t) const { return {std::exp(t[0])}; }
  Expression node() const {
    return std::isnan(variance) ? call_node("constant", parameters())
                                : internal::parts_node(Expression::Kind::number, {}, variance);
  }
  std::vector<Parameter> parameters() const { return {{"variance", Role::variance, variance}}; }
  Vector start(Batch<X>, double v) const { return Vector::Constant(1, std::log(v)); }
  Kernel<X> amplified() const { return *this; }
  FeatureMap<X> features(Random&, Index m) const {
    return {m, [sd = std::sqrt(variance / double(m)), m](Batch<X> x) -> Matrix {
              return Matrix::Constant(count(x), m, sd);
            }};
  }
  Split<X> split(Batch<X>) const {
    const auto none = [](Batch<X> x) -> Matrix { return Matrix::Zero(count(x), 1); };
    return {{}, Vector::Constant(1, std::sqrt(variance)), {1, none}};
  }
};

}  // namespace covary
