#include "records/record_kernel.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "bind.h"
#include "covary/kernels/compose.h"
#include "covary/kernels/graphs/graph.h"
#include "covary/kernels/sets/item_set.h"

namespace covary::python {
namespace {

using namespace nb::literals;

template <class X>
const Entry<X>* entry_of(const std::string& name) {
  const auto& all = registry<X>();
  const auto at = std::find_if(all.begin(), all.end(), [&](const Entry<X>& e) { return e.name == name; });
  return at == all.end() ? nullptr : &*at;
}

bool is_combinator(const std::string& name) {
  const auto& all = combinators<Row>();
  return std::any_of(all.begin(), all.end(), [&](const auto& c) { return c.name == name; });
}

template <class X>
bool check_call(const std::string& text, const Expression& e) {
  const Entry<X>* entry = entry_of<X>(e.name);
  if (entry) (void)entry->make(internal::named_arguments(text, e, entry->parameters));
  return entry != nullptr;
}

/// Of all registries, each once.
std::vector<std::string> known_names() {
  std::vector<std::string> out = internal::callable_names<Row>();
  const auto add = [&](const auto& all) {
    for (const auto& e : all)
      if (std::find(out.begin(), out.end(), e.name) == out.end()) out.push_back(e.name);
  };
  add(registry<std::string>()), add(registry<ItemSet>()), add(registry<Graph>());
  return out;
}

[[noreturn]] void no_objects(const RecordKernel& k) {
  throw Error(Problem::usage,
              "kernel: " + k.text +
                  " reads columns by their types: fit a model to see its covariances, or ask a "
                  "kernel over one list of texts, sets or graphs");
}

std::string in_brackets(const std::string& text) {
  return internal::read_expression(text).kind == Expression::Kind::sum ? "(" + text + ")" : text;
}

RecordKernel made(std::string text, const Functions& a, const Functions& b) {
  Functions all = a;
  for (const auto& f : b)
    if (std::none_of(a.begin(), a.end(), [&](const auto& g) { return g->name == f->name; })) all.push_back(f);
  check_expression(text, all);
  return {std::move(text), std::move(all)};
}

RecordKernel sum(const KernelText& a, const KernelText& b) {
  return made(a.kernel + " + " + b.kernel, a.functions, b.functions);
}

RecordKernel product(const KernelText& a, const KernelText& b) {
  return made(in_brackets(a.kernel) + " * " + in_brackets(b.kernel), a.functions, b.functions);
}

/// A kernel, or a number as a constant one.
KernelText operand(nb::handle h) {
  double number = 0;
  return nb::try_cast(h, number) ? KernelText{number_text(number), {}} : said(h);
}

bool is_operand(nb::handle h) {
  double number = 0;
  return nb::try_cast(h, number) || nb::isinstance<Kernel<Row>>(h) || nb::isinstance<RecordKernel>(h);
}

bool is_zero(nb::handle h) {
  double number = 1;
  return nb::try_cast(h, number) && number == 0;
}

using Combine = RecordKernel (*)(const KernelText&, const KernelText&);

/// NotImplemented for what is neither a kernel nor a number, so that Python says so.
template <Combine f>
nb::object combined(nb::handle a, nb::handle b) {
  if (!is_operand(a) || !is_operand(b)) return nb::borrow(Py_NotImplemented);
  if (f == &sum && is_zero(b)) return nb::borrow(a);  // Python's sum(...) begins with 0
  return nb::cast(f(operand(a), operand(b)));
}

void add_operators(nb::class_<RecordKernel>& c) {
  c.attr("__array_ufunc__") = nb::none();
  c.def(
      "__add__", [](nb::handle a, nb::handle b) { return combined<&sum>(a, b); }, nb::is_operator());
  c.def(
      "__radd__",
      [](nb::handle a, nb::handle b) { return is_zero(b) ? nb::borrow(a) : combined<&sum>(b, a); },
      nb::is_operator());
  c.def(
      "__mul__", [](nb::handle a, nb::handle b) { return combined<&product>(a, b); }, nb::is_operator());
  c.def(
      "__rmul__", [](nb::handle a, nb::handle b) { return combined<&product>(b, a); }, nb::is_operator());
  c.def(
      "__eq__",
      [](const RecordKernel& a, const RecordKernel& b) {
        return a.text == b.text && a.functions == b.functions;
      },
      nb::is_operator());
  c.def("__hash__", [](const RecordKernel& a) { return nb::hash(nb::str(a.text.c_str())); });
}

}  // namespace

void add_calls(const Expression& e, std::vector<const Expression*>& out) {
  if (e.kind == Expression::Kind::call && e.parts.empty()) out.push_back(&e);
  for (const Expression& part : e.parts) add_calls(part, out);
}

bool needs_types(const Expression& e) {
  std::vector<const Expression*> calls;
  add_calls(e, calls);
  return std::any_of(calls.begin(), calls.end(), [](const Expression* c) {
    const Entry<Row>* entry = entry_of<Row>(c->name);
    if (!entry)
      return entry_of<std::string>(c->name) || entry_of<ItemSet>(c->name) || entry_of<Graph>(c->name);
    const auto foreign = [&](const Argument& a) {
      return !a.unit.empty() && std::count(entry->units.begin(), entry->units.end(), a.unit) == 0;
    };
    return entry->reads == Reads::nodes || std::any_of(c->arguments.begin(), c->arguments.end(), foreign);
  });
}

void check_expression(const std::string& text, const Functions& functions) {
  const Expression e = internal::read_expression(text);
  std::vector<const Expression*> calls;
  add_calls(e, calls);
  for (const Expression* c : calls) {
    const auto own = [&](const auto& f) { return f->name == c->name; };
    if (is_combinator(c->name) || std::any_of(functions.begin(), functions.end(), own)) continue;
    if (check_call<Row>(text, *c) || check_call<std::string>(text, *c) || check_call<ItemSet>(text, *c) ||
        check_call<Graph>(text, *c))
      continue;
    throw internal::unknown_kernel(text, *c, known_names());
  }
}

nb::object kernel_object(const KernelText& said) {
  if (!needs_types(internal::read_expression(said.kernel))) return nb::cast(parsed(said));
  check_expression(said.kernel, said.functions);
  return nb::cast(RecordKernel{said.kernel, said.functions});
}

void bind_record_kernels(nb::module_& m) {
  nb::class_<RecordKernel> c(
      m, "RecordKernel",
      "A kernel that reads columns by their types: texts, sets, graphs, nodes, dates with "
      "units. An immutable value; + and * compose it with any other.");
  add_operators(c);
  c.def("__repr__", [](const RecordKernel& k) { return k.text; });
  c.def("__getstate__", [](const RecordKernel& k) { return state_of(KernelText{k.text, k.functions}); });
  c.def("__setstate__", [](RecordKernel& k, const nb::object& state) {
    const KernelText s = said_from(state);
    new (&k) RecordKernel{s.kernel, s.functions};
  });
  c.def(
      "cross",
      [](const RecordKernel& k, nb::handle a, nb::handle b) {
        if (auto out = object_cross(k.text, a, b)) return *out;
        no_objects(k);
      },
      "a"_a, "b"_a = nb::none(),
      "n x m: the covariances of the texts, sets or graphs of a and those of b (a).");
  c.def(
      "diag",
      [](const RecordKernel& k, nb::handle a) {
        if (auto out = object_diag(k.text, a)) return *out;
        no_objects(k);
      },
      "a"_a, "n: the variance of each.");
  m.def("object_kind", &object_kind, "text"_a,
        "text, set or graph: what an expression is over; empty: rows.");
  m.def(
      "check_names", [](const std::string& text) { check_expression(text); }, "text"_a,
      "Raises ValueError unless the expression can be read, and every kernel and parameter in it exists.");
}

}  // namespace covary::python
