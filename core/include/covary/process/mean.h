// The trend m(x) of a process: known, or basis(x) times coefficients found by generalized least squares.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "covary/kernels/held.h"
#include "covary/kernels/records/schema.h"

namespace covary {

template <class X>
struct Mean {
  std::string text = "zero";  // as typed: zero, constant, linear, polynomial(degree=2), constant(3)
  std::function<Vector(Batch<X>)> known;  // n: the part without unknowns; empty: 0
  std::function<Matrix(Batch<X>)> basis;  // n x p: what the unknown coefficients multiply; empty: none
  std::vector<std::string> terms;         // p: "1", "x", "x^2"
  bool level = false;                     // the first column of the basis is 1 everywhere
  Matrix to_user;                         // p x p: coefficients of the basis -> of the terms; empty: the same
  std::function<Mean(Batch<X>)> centered;  // the same trend in a basis well-conditioned on x; empty: itself

  /// n x p (p = 0 without unknowns).
  Matrix basis_at(Batch<X> x) const { return basis ? basis(x) : Matrix(count(x), 0); }
  Vector known_at(Batch<X> x) const { return known ? known(x) : Vector(Vector::Zero(count(x))); }
  Mean centered_on(Batch<X> x) const { return centered ? centered(x) : *this; }
};

template <class X>
Mean<X> zero_mean() {
  return {};
}

/// An unknown level.
template <class X>
Mean<X> constant_mean() {
  Mean<X> m;
  m.text = "constant";
  m.basis = [](Batch<X> x) -> Matrix { return Matrix::Ones(count(x), 1); };
  m.terms = {"1"};
  m.level = true;
  return m;
}

/// A known level.
template <class X>
Mean<X> constant_mean(double value);

/// 1, x_k, ..., x_k^degree for every column k, with unknown coefficients.
Mean<Row> polynomial_mean(int degree, const std::vector<std::string>& columns = {});

/// The same with known coefficients, in the order 1, x_1, ..., x_1^degree, x_2, ...
Mean<Row> polynomial_mean(int degree, const Vector& coefficients);

/// zero | constant | constant(3) | linear | linear(1, 0.5) | polynomial(degree=2); of the columns that are numbers
/// or dates.
Mean<Row> parse_mean(const std::string& text, const Schema& columns);
inline Mean<Row> parse_mean(const std::string& text, std::initializer_list<std::string> numbers = {}) {
  return parse_mean(text, Schema(std::vector<std::string>(numbers)));
}

namespace internal {
/// m(x) of x with those columns held.
Mean<Row> holding(const HeldColumns& held, const Mean<Row>& m);

/// m(x) of those columns of x.
Mean<Row> seeing(const std::vector<Index>& columns, const Mean<Row>& m);

std::string constant_mean_text(double value);
}  // namespace internal
template <class X>
Mean<X> constant_mean(double value) {
  Mean<X> m;
  m.text = internal::constant_mean_text(value);
  m.known = [value](Batch<X> x) -> Vector { return Vector::Constant(count(x), value); };
  return m;
}

}  // namespace covary
