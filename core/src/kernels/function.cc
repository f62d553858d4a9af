#include "covary/kernels/function.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "covary/base/names.h"
#include "covary/base/row_names.h"
#include "covary/kernels/expression.h"

namespace covary {
using namespace internal;
namespace {

constexpr double step = 6e-6;       // cube root of the rounding: where central differences are best
constexpr double tolerance = 1e-6;  // of symmetry, in units of the largest covariance
constexpr Index rows_at_once = 32;  // of blocks that only their diagonal is wanted of

Role role_of(const std::string& name) {
  if (name == "lengthscale") return Role::lengthscale;
  if (name == "variance") return Role::variance;
  return name == "period" ? Role::period : Role::scale;
}

struct OfFunction {
  std::shared_ptr<const BlockFunction> function;
  Vector values;

  Matrix cross(Rows a, Rows b) const {
    Matrix k = block(a, b, values);
    if (a.data() == b.data() && a.rows() == b.rows()) check_symmetric(k);
    return k;
  }
  Vector diag(Rows a) const;
  Vector pullback(Rows a, Rows b, const Matrix& w) const;
  Vector theta() const { return values.array().log(); }
  OfFunction with(const Vector& t) const { return {function, t.array().exp()}; }
  Expression node() const {
    Expression e = call_node(function->name, parameters());
    e.function = function;
    return e;
  }
  std::vector<Parameter> parameters() const {
    std::vector<Parameter> all;
    for (size_t i = 0; i < function->parameters.size(); ++i)
      all.push_back({function->parameters[i], role_of(function->parameters[i]), values[Index(i)]});
    return all;
  }

 private:
  std::string words(const Vector& at) const {
    std::string out;
    for (size_t i = 0; i < function->parameters.size(); ++i)
      out += (i ? ", " : "") + function->parameters[i] + "=" + number_text(at[Index(i)]);
    return out;
  }
  [[noreturn]] void refuse(const std::string& what, const Vector& at) const {
    const std::string where = values.size() ? " at " + words(at) : "";
    throw Error(Problem::data, fmt::format("kernel: the function {} {}{}", function->name, what, where));
  }
  void check(const Matrix& k, const char* of, Index rows, Index columns, const Vector& at) const;
  Matrix block(const Rows& a, const Rows& b, const Vector& at) const {
    Matrix k = function->cross(a, b, at);
    check(k, "covariances", a.rows(), b.rows(), at);
    return k;
  }
  void check_symmetric(const Matrix& k) const;
  Vector given_diag(const Rows& a) const;
};

void OfFunction::check(const Matrix& k, const char* of, Index rows, Index columns, const Vector& at) const {
  if (k.rows() != rows || k.cols() != columns)
    refuse(fmt::format("gave {} x {} numbers for {} x {} {}", k.rows(), k.cols(), rows, columns, of), at);
  if (k.allFinite()) return;
  for (Index j = 0; j < columns; ++j)
    for (Index i = 0; i < rows; ++i)
      if (!std::isfinite(k(i, j)))
        refuse(fmt::format("gave {} in {}, column {} of {} x {} {}, expected finite numbers", k(i, j),
                           row_words(i), row_number(j), rows, columns, of),
               at);
}

void OfFunction::check_symmetric(const Matrix& k) const {
  Index i = 0, j = 0;
  if (k.size() == 0 || (k - k.transpose()).cwiseAbs().maxCoeff(&i, &j) <= tolerance * k.cwiseAbs().maxCoeff())
    return;
  refuse(fmt::format("is not symmetric: of one block with itself it gave {} in {}, column {} and {} in "
                     "{}, column {}",
                     k(i, j), row_words(i), row_number(j), k(j, i), row_words(j), row_number(i)),
         values);
}

/// As the function says; the first one is looked at.
Vector OfFunction::given_diag(const Rows& a) const {
  Vector d = function->diag(a, values);
  check(d, "variances", a.rows(), 1, values);
  const double first = a.rows() ? block(a.topRows(1), a.topRows(1), values)(0, 0) : 0;
  if (a.rows() && !(std::abs(d[0] - first) <= tolerance * std::abs(first)))
    refuse(fmt::format("and its diag disagree: {} and {} for the same point", first, d[0]), values);
  return d;
}

Vector OfFunction::diag(Rows a) const {
  if (function->diag) return given_diag(a);
  Vector d(a.rows());
  for (Index i = 0; i < a.rows(); i += rows_at_once) {
    const auto some = a.middleRows(i, std::min(rows_at_once, a.rows() - i));
    d.segment(i, some.rows()) = block(some, some, values).diagonal();
  }
  return d;
}

Vector OfFunction::pullback(Rows a, Rows b, const Matrix& w) const {
  Vector g(values.size());
  for (Index i = 0; i < g.size(); ++i) {
    Vector up = values, down = values;
    up[i] *= std::exp(step), down[i] *= std::exp(-step);
    g[i] = w.cwiseProduct(block(a, b, up) - block(a, b, down)).sum() / std::log(up[i] / down[i]);
  }
  return g;
}

void check_name(const std::string& name) {
  if (quoted_if_needed(name) != name)
    throw Error(Problem::usage,
                fmt::format("function: expected a name of letters, digits and _, found '{}'", name));
  const std::vector<std::string> taken = callable_names<Row>();
  if (std::find(taken.begin(), taken.end(), name) != taken.end())
    throw Error(Problem::usage, fmt::format("function: '{}' is the name of a kernel: give it another", name));
}

void collect(const Expression& e, Functions& out) {
  if (e.function) out.push_back(e.function);
  for (const Expression& part : e.parts) collect(part, out);
}

}  // namespace

Kernel<Row> internal::kernel_of(std::shared_ptr<const BlockFunction> function, Vector values) {
  check_name(function->name);
  assert(values.size() == std::ssize(function->parameters));
  for (Index i = 0; i < values.size(); ++i)
    check_range(function->name, function->parameters[static_cast<size_t>(i)], values[i]);
  return OfFunction{std::move(function), std::move(values)};
}

Functions internal::functions_in(const Kernel<Row>& kernel) {
  Functions all;
  collect(kernel.node(), all);
  return all;
}

}  // namespace covary
