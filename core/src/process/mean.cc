#include "covary/process/mean.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "covary/kernels/expression.h"

namespace covary {
using namespace internal;
namespace {

/// n x (1 + d degree): 1, z_1, ..., z_1^degree, z_2, ... with z = (x - center)/scale.
Matrix powers(Rows x, int degree, const Vector& center, const Vector& scale) {
  Matrix f(x.rows(), 1 + x.cols() * degree);
  f.col(0).setOnes();
  for (Index k = 0; k < x.cols(); ++k) {
    const Vector z = (x.col(k).array() - center[k]) / scale[k];
    for (int j = 0; j < degree; ++j) {
      const Index at = 1 + k * degree + j;
      f.col(at) = j == 0 ? z : Vector(f.col(at - 1).cwiseProduct(z));
    }
  }
  return f;
}

double binomial(int n, int k) {
  double b = 1;
  for (int i = 1; i <= k; ++i) b = b * (n - k + i) / i;
  return b;
}

/// Coefficients of powers of z = (x - center)/scale -> coefficients of powers of x.
Matrix expansion(int degree, const Vector& center, const Vector& scale) {
  const Index p = 1 + center.size() * degree;
  Matrix t = Matrix::Zero(p, p);
  t(0, 0) = 1;
  for (Index k = 0; k < center.size(); ++k)
    for (int j = 1; j <= degree; ++j)  // z^j = scale^-j sum_i (j over i) x^i (-center)^(j - i)
      for (int i = 0; i <= j; ++i)
        t(i == 0 ? 0 : k * degree + i, k * degree + j) +=
            binomial(j, i) * std::pow(-center[k], j - i) / std::pow(scale[k], j);
  return t;
}

Mean<Row> polynomial_in(int degree, const Vector& center, const Vector& scale, const Mean<Row>& like) {
  Mean<Row> m = like;
  m.basis = [degree, center, scale](Rows x) -> Matrix { return powers(x, degree, center, scale); };
  m.to_user = expansion(degree, center, scale);
  m.centered = nullptr;
  return m;
}

std::string polynomial_text(int degree) {
  return degree == 1 ? "linear" : fmt::format("polynomial(degree={})", degree);
}

}  // namespace

std::string internal::constant_mean_text(double value) { return fmt::format("constant({})", value); }

Mean<Row> polynomial_mean(int degree, const std::vector<std::string>& columns) {
  Mean<Row> m;
  m.text = polynomial_text(degree);
  m.basis = [degree](Rows x) -> Matrix {
    return powers(x, degree, Vector::Zero(x.cols()), Vector::Ones(x.cols()));
  };
  m.terms = {"1"};
  m.level = true;
  for (const std::string& c : columns)
    for (int j = 1; j <= degree; ++j) m.terms.push_back(j == 1 ? c : fmt::format("{}^{}", c, j));
  m.centered = [m, degree](Rows x) {
    const Vector low = x.colwise().minCoeff(), high = x.colwise().maxCoeff();
    const Vector half = (high - low) / 2;
    return polynomial_in(degree, low + half, (half.array() > 0).select(half, Vector::Ones(half.size())), m);
  };
  return m;
}

Mean<Row> polynomial_mean(int degree, const Vector& coefficients) {
  Mean<Row> m;
  m.text = fmt::format("{}({})", degree == 1 ? "linear" : "polynomial", fmt::join(coefficients, ", "));
  m.known = [degree, coefficients](Rows x) -> Vector {
    const Matrix f = powers(x, degree, Vector::Zero(x.cols()), Vector::Ones(x.cols()));
    if (f.cols() != coefficients.size())
      throw Error(Problem::usage, fmt::format("mean: {} coefficients were expected for {} columns, found {}",
                                              f.cols(), x.cols(), coefficients.size()));
    return f * coefficients;
  };
  return m;
}

static Mean<Row> mean_of_numbers(const std::string& text, const std::vector<std::string>& columns) {
  const Expression e = read_expression(text);
  const std::string expected = "zero, constant, linear or polynomial(degree=2)";
  if (e.kind != Expression::Kind::call || !e.parts.empty())
    throw Error(Problem::usage, fmt::format("mean: expected {}, found '{}'", expected, text));
  Vector given(std::ssize(e.arguments));
  const bool degree_given =
      e.name == "polynomial" && e.arguments.size() == 1 && e.arguments[0].name == "degree";
  for (size_t i = 0; i < e.arguments.size(); ++i) {
    const Argument& a = e.arguments[i];
    if (a.list || a.values.empty() || (!degree_given && !a.name.empty()))
      throw Error(Problem::usage, fmt::format("mean: expected plain numbers in '{}'", text));
    given[static_cast<Index>(i)] = a.values[0];
  }
  if (e.name == "zero" && given.size() == 0) return zero_mean<Row>();
  if (e.name == "constant" && given.size() == 0) return constant_mean<Row>();
  if (e.name == "constant" && given.size() == 1) return constant_mean<Row>(given[0]);
  if (e.name == "linear" && given.size() == 0) return polynomial_mean(1, columns);
  if (e.name == "linear") return polynomial_mean(1, given);
  if (e.name == "polynomial" && given.size() == 0) return polynomial_mean(2, columns);
  if (degree_given && given[0] >= 1 && given[0] <= 8 && given[0] == std::floor(given[0]))
    return polynomial_mean(static_cast<int>(given[0]), columns);
  throw Error(Problem::usage,
              fmt::format("mean: expected {}, found '{}'{}", expected, text,
                          did_you_mean(e.name, {"zero", "constant", "linear", "polynomial"})));
}

Mean<Row> parse_mean(const std::string& text, const Schema& columns) {
  if (columns.all_numbers()) return mean_of_numbers(text, columns.names());
  std::vector<Index> numbers;
  for (Index k = 0; k < columns.size(); ++k)
    if (holds_numbers(columns[k].type)) numbers.push_back(k);
  const Mean<Row> m = mean_of_numbers(text, columns.only(numbers).names());
  if (numbers.empty() && (m.terms.size() > 1 || m.text.starts_with("linear") || m.text.starts_with("poly")))
    throw Error(Problem::usage,
                fmt::format("mean: '{}' needs a column of numbers or dates, and there is none", text));
  return seeing(numbers, m);
}

Mean<Row> internal::seeing(const std::vector<Index>& columns, const Mean<Row>& m) {
  Mean<Row> out = m;
  if (m.known)
    out.known = [columns, f = m.known](Rows x) -> Vector { return f(Matrix(x(Eigen::all, columns))); };
  if (m.basis)
    out.basis = [columns, f = m.basis](Rows x) -> Matrix { return f(Matrix(x(Eigen::all, columns))); };
  if (m.centered)
    out.centered = [columns, f = m.centered](Rows x) {
      return seeing(columns, f(Matrix(x(Eigen::all, columns))));
    };
  return out;
}

Mean<Row> internal::holding(const HeldColumns& held, const Mean<Row>& m) {
  if (held.empty()) return m;
  Mean<Row> out = m;
  if (m.known) out.known = [held, f = m.known](Rows x) -> Vector { return f(with_held(x, held)); };
  if (m.basis) out.basis = [held, f = m.basis](Rows x) -> Matrix { return f(with_held(x, held)); };
  if (m.centered)
    out.centered = [held, f = m.centered](Rows x) { return holding(held, f(with_held(x, held))); };
  return out;
}

}  // namespace covary
