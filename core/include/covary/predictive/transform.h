// A monotone transform g of the target: the model is a Gaussian process (or a regression) of z = g(y), and
// its predictions are of y.
//
//   name    z = g(y)         y            mean and sd of y where z is N(m, s^2)
//   log     log y            above 0      exp(m + s^2/2), mean sqrt(exp(s^2) - 1)
//   log10   log10 y          above 0      the same, m and s times log 10
//   log1p   log(1 + y)       above -1     as log, less 1
//   sqrt    sqrt y           above 0      of max(z, 0)^2, in closed form: z below 0 is a y of 0
//   asinh   asinh y          any          sinh(m) exp(s^2/2), ...
//   logit   log(y/(1 - y))   0 to 1       by quadrature
//
// Quantiles are exact, whatever g: the inverse of those of z. The density of y is that of z times g'(y), so
// that evidence and scores of models of log(y) and of y can be compared. 1/y is not among them: under a
// normal z the mean of 1/z does not exist.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "covary/base/types.h"

namespace covary {

namespace internal {
struct TransformEntry;
}  // namespace internal

/// A value; the default is the identity.
class Transform {
 public:
  Transform() = default;
  /// By name. Throws Problem::usage, with the names there are, for any other; "" is the identity.
  explicit Transform(std::string_view name);

  bool is_identity() const { return entry_ == nullptr; }
  std::string name() const;                         // "log"; "" of the identity
  std::string of(const std::string& column) const;  // "log(y)"; "y" of the identity
  bool takes(double y) const;                       // whether g(y) is defined, and smooth there
  std::string refusal(const std::string& column, double y) const;  // "log(y) needs values above 0, found -1"

  double operator()(double y) const;
  double inverse(double z) const;
  double log_derivative(double y) const;  // log g'(y)
  Vector operator()(const Vector& y) const;
  Vector inverse(const Vector& z) const;
  Matrix inverse(const Matrix& z) const;
  /// sum_i log g'(y_i): log p(y) - log p(g(y)).
  double log_jacobian(const Vector& y) const;

  struct Moments {
    double mean, sd;
  };
  /// Mean and standard deviation of y where g(y) is N(m, s^2).
  Moments moments(double m, double s) const;
  /// How they are had: "closed form" or "quadrature".
  std::string moments_by() const;

  friend bool operator==(const Transform& a, const Transform& b) { return a.entry_ == b.entry_; }

 private:
  const internal::TransformEntry* entry_ = nullptr;
};

/// log, log10, log1p, sqrt, asinh, logit.
std::vector<std::string> transform_names();

/// A target as typed.
struct TargetColumn {
  std::string column;
  Transform transform = {};
};

/// "y" or "log(y)". A column that is called what was typed is that column. Throws Problem::usage for a
/// function that is no transform; whether the column exists is not looked at.
TargetColumn parse_target(const std::string& typed, const std::vector<std::string>& columns);

}  // namespace covary
