#include "covary/kernels/kernel.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "arrays.h"
#include "bind.h"
#include "covary/base/names.h"
#include "covary/kernels/explain.h"
#include "covary/kernels/expression.h"
#include "function.h"
#include "records/record_kernel.h"

namespace covary::python {
namespace {

using namespace nb::literals;
using Names = std::vector<std::string>;
using RowKernel = Kernel<Row>;

[[noreturn]] void refuse(const std::string& what) { throw nb::type_error(what.c_str()); }

RowKernel evaluable(const RowKernel& k, const Names& columns) {
  internal::check_given(k.parameters());
  return placed(k, columns);
}

nb::dict described(const Parameter& p, const Names& columns) {
  nb::dict d;
  d["name"] = full_name(p, columns), d["role"] = internal::role_text(p.role);
  d["value"] = std::isnan(p.value) ? nb::object(nb::none()) : nb::object(nb::float_(p.value));
  d["fixed"] = p.fixed;
  return d;
}

nb::list parameters(const RowKernel& k, const Names& columns) {
  nb::list all;
  for (const Parameter& p : k.parameters()) all.append(described(p, columns));
  return all;
}

RowKernel with_theta(const RowKernel& k, nb::handle theta) {
  const Vector t = values(theta, "theta");
  if (t.size() != k.theta().size())
    throw Error(Problem::usage, "theta: " + k.text() + " has " + std::to_string(k.theta().size()) +
                                    " parameters to learn, found " + std::to_string(t.size()));
  return k.with(t);
}

Matrix cross(const RowKernel& k, nb::handle a, nb::handle b, const Names& columns) {
  if (auto out = object_cross(k.text(), a, b)) return *out;
  const RowKernel kernel = evaluable(k, columns);
  const Points left(a, "a", Numbers::finite), right(b.is_none() ? a : b, "b", Numbers::finite);
  if (left.rows().cols() != right.rows().cols())
    throw Error(Problem::usage, "kernel: a and b have different numbers of columns");
  const nb::gil_scoped_release free;
  return kernel.cross(left.rows(), right.rows());
}

Vector diagonal(const RowKernel& k, nb::handle a, const Names& columns) {
  if (auto out = object_diag(k.text(), a)) return *out;
  const RowKernel kernel = evaluable(k, columns);
  const Points points(a, "a", Numbers::finite);
  const nb::gil_scoped_release free;
  return kernel.diag(points.rows());
}

constexpr int highest_power = 8;

/// k + 0 is k, so that Python's sum(...) works.
RowKernel plus(const RowKernel& k, double number) { return number == 0 ? k : k + number; }

/// k * k * ... : each factor has parameters of its own to learn.
RowKernel power(const RowKernel& k, double exponent) {
  if (!(exponent >= 1 && exponent <= highest_power) || exponent != std::floor(exponent))
    throw Error(Problem::usage, "kernel: expected a whole power from 1 to " + std::to_string(highest_power) +
                                    ", found " + number_text(exponent));
  RowKernel out = k;
  for (int i = 1; i < int(exponent); ++i) out = out * k;
  return out;
}

RowKernel divided(const RowKernel& k, double number) {
  if (number == 0) throw Error(Problem::usage, "kernel: it cannot be divided by 0");
  return (1 / number) * k;
}

/// What is no kernel, said in words.
void add_refusals(nb::class_<RowKernel>& c) {
  const auto difference = [](const RowKernel&, nb::handle) -> RowKernel {
    refuse(
        "a difference of kernels is not a kernel: it need not be positive semi-definite; kernels can be "
        "added "
        "and multiplied");
  };
  c.def("__sub__", difference, nb::arg().none());
  c.def("__rsub__", difference, nb::arg().none());
  c.def("__neg__", [](const RowKernel&) -> RowKernel {
    refuse("a negative kernel is not a kernel: variances cannot be negative");
  });
  c.def(
      "__rtruediv__",
      [](const RowKernel&, nb::handle) -> RowKernel {
        refuse("a number divided by a kernel is not a kernel: it need not be positive semi-definite");
      },
      nb::arg().none());
  c.def(
      "__rpow__",
      [](const RowKernel&, nb::handle) -> RowKernel {
        refuse("a power whose exponent is a kernel is not a kernel");
      },
      nb::arg().none());
}

void add_operators(nb::class_<RowKernel>& c) {
  c.attr("__array_ufunc__") = nb::none();  // NumPy's numbers leave + and * to the kernel
  c.def(
      "__pow__", [](const RowKernel& a, double b) { return power(a, b); }, nb::is_operator());
  c.def(
      "__truediv__", [](const RowKernel& a, double b) { return divided(a, b); }, nb::is_operator());
  c.def(
      "__add__", [](const RowKernel& a, const RowKernel& b) { return a + b; }, nb::is_operator());
  c.def(
      "__add__", [](const RowKernel& a, double b) { return plus(a, b); }, nb::is_operator());
  c.def(
      "__radd__", [](const RowKernel& a, double b) { return b == 0 ? a : b + a; }, nb::is_operator());
  c.def(
      "__mul__", [](const RowKernel& a, const RowKernel& b) { return a * b; }, nb::is_operator());
  c.def(
      "__mul__", [](const RowKernel& a, double b) { return a * b; }, nb::is_operator());
  c.def(
      "__rmul__", [](const RowKernel& a, double b) { return b * a; }, nb::is_operator());
  c.def(
      "__eq__",
      [](const RowKernel& a, const RowKernel& b) { return a.text() == b.text() && same_functions(a, b); },
      nb::is_operator());
  c.def("__hash__", [](const RowKernel& a) { return nb::hash(nb::str(a.text().c_str())); });
}

void add_state(nb::class_<RowKernel>& c) {
  c.def("__repr__", &RowKernel::text);
  c.def("__getstate__", [](const RowKernel& k) { return state_of(KernelText{k.text(), functions_of(k)}); });
  c.def("__setstate__",
        [](RowKernel& k, const nb::object& state) { new (&k) RowKernel(parsed(said_from(state))); });
}

void add_verbs(nb::class_<RowKernel>& c) {
  c.def("parameters", &parameters, "columns"_a = Names{},
        "Name, role, value (None: not given) and whether it is fixed, of each parameter.");
  c.def_prop_ro("theta", &RowKernel::theta, "Logarithms of the parameters to learn; nan: not given.");
  c.def("with_theta", &with_theta, "theta"_a, "The same kernel at other parameters.");
  c.def("cross", &cross, "a"_a, "b"_a = nb::none(), "columns"_a = Names{},
        "n x m: the covariances of the rows of a and those of b (a).");
  c.def("diag", &diagonal, "a"_a, "columns"_a = Names{}, "n: the variance at each row.");
}

}  // namespace

Kernel<Row> placed(const Kernel<Row>& k, const std::vector<std::string>& columns) {
  const std::vector<std::string> named = internal::named_columns(internal::read_expression(k.text()));
  if (named.empty()) return k;
  if (columns.empty())
    throw Error(Problem::usage, "kernel: " + k.text() + " names columns: give columns=[...], their order");
  return parse(k.text(), columns, functions_of(k));
}

void bind_kernels(nb::module_& m) {
  nb::class_<RowKernel> c(m, "Kernel",
                          "A kernel: an immutable value. + and * compose; repr is the expression.");
  c.def(
      "__init__",
      [](RowKernel*, const nb::args&, const nb::kwargs&) {
        refuse(
            "a Kernel is made by its function, as covary.se(), or of an expression by covary.parse('se()')");
      },
      nb::sig("def __init__(self) -> None"));
  add_operators(c);
  add_refusals(c);
  add_state(c);
  add_verbs(c);
  m.def(
      "parse",
      [](const std::string& text, const Names& columns) {
        return columns.empty() ? kernel_object({text, {}}) : nb::cast(parsed(KernelText{text, {}}, columns));
      },
      "text"_a, "columns"_a = Names{},
      "The kernel of an expression. columns: the names that on(...) may use; else any.");
  m.def(
      "parse_over", [](const std::string& text, const Schema& columns) { return parse(text, columns); },
      "text"_a, "columns"_a, "The kernel of an expression over typed columns.");
  m.def(
      "fixed",
      [](nb::handle k) -> nb::object {
        if (nb::isinstance<RowKernel>(k)) return nb::cast(fixed(nb::cast<const RowKernel&>(k)));
        const KernelText of = said(k);
        return kernel_object({"fixed(" + of.kernel + ")", of.functions});
      },
      "kernel"_a, "The kernel with nothing to learn. Every parameter must be given.");
  m.def("quoted", &internal::quoted_if_needed, "name"_a, "A column's name as expressions have it.");
}

}  // namespace covary::python
