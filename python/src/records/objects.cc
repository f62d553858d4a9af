// Covariances of texts, sets and graphs that Python has in lists.
#include <nanobind/stl/string.h>

#include <algorithm>

#include "covary/kernels/graphs/graph.h"
#include "covary/kernels/sets/item_set.h"
#include "records/record_kernel.h"

namespace covary::python {
namespace {

template <class X>
bool has_entry(const std::string& name) {
  const auto& all = registry<X>();
  return std::any_of(all.begin(), all.end(), [&](const Entry<X>& e) { return e.name == name; });
}

bool names_columns(const Expression& e) {
  return !e.columns.empty() || std::any_of(e.parts.begin(), e.parts.end(), names_columns);
}

/// Whether the expression is made of kernels over X alone, and names no columns.
template <class X>
bool is_over(const Expression& e) {
  if (names_columns(e)) return false;
  std::vector<const Expression*> calls;
  add_calls(e, calls);
  return !calls.empty() &&
         std::all_of(calls.begin(), calls.end(), [](const auto* c) { return has_entry<X>(c->name); });
}

template <class X>
X object_of(const std::string& text);
template <>
std::string object_of(const std::string& text) {
  return text;
}
template <>
ItemSet object_of(const std::string& text) {
  return read_item_set(text);
}
template <>
Graph object_of(const std::string& text) {
  return read_graph(text);
}

/// What a list holds, one text for each, as a column of a frame has it; None if it holds something else.
nb::object texts_of(nb::handle list, const char* name) {
  return nb::module_::import_("covary.records").attr("object_texts")(list, name);
}

template <class X>
std::vector<X> objects(nb::handle texts, const std::string& name) {
  std::vector<X> out;
  for (const nb::handle t : nb::cast<nb::list>(texts)) {
    try {
      out.push_back(object_of<X>(nb::cast<std::string>(t)));
    } catch (const Error& e) {
      throw Error(e.problem(), name + "[" + std::to_string(out.size()) + "]: " + e.what());
    }
  }
  return out;
}

template <class X>
Kernel<X> evaluable(const std::string& text) {
  Kernel<X> k = parse<X>(text);
  internal::check_given(k.parameters());
  return k;
}

template <class X>
Matrix crossed(const std::string& text, nb::handle a, nb::handle b) {
  const Kernel<X> k = evaluable<X>(text);
  const std::vector<X> left = objects<X>(a, "a"), right = objects<X>(b, "b");
  const nb::gil_scoped_release free;
  return k.cross(Batch<X>(left), Batch<X>(right));
}

template <class X>
Vector diagonal(const std::string& text, nb::handle a) {
  const Kernel<X> k = evaluable<X>(text);
  const std::vector<X> at = objects<X>(a, "a");
  const nb::gil_scoped_release free;
  return k.diag(Batch<X>(at));
}

/// f(kind) with an object of the type that the kernels of an expression are over; else nothing.
template <class T, class F>
std::optional<T> over_objects(const std::string& text, F f) {
  const Expression e = internal::read_expression(text);
  if (is_over<std::string>(e)) return f(std::string());
  if (is_over<ItemSet>(e)) return f(ItemSet());
  if (is_over<Graph>(e)) return f(Graph());
  return {};
}

}  // namespace

std::string object_kind(const std::string& text) {
  const Expression e = internal::read_expression(text);
  return is_over<std::string>(e) ? "text" : is_over<ItemSet>(e) ? "set" : is_over<Graph>(e) ? "graph" : "";
}

std::optional<Matrix> object_cross(const std::string& text, nb::handle a, nb::handle b) {
  const nb::object left = texts_of(a, "a"), right = b.is_none() ? left : texts_of(b, "b");
  if (left.is_none() || right.is_none()) return {};
  return over_objects<Matrix>(text, [&](auto x) { return crossed<decltype(x)>(text, left, right); });
}

std::optional<Vector> object_diag(const std::string& text, nb::handle a) {
  const nb::object at = texts_of(a, "a");
  if (at.is_none()) return {};
  return over_objects<Vector>(text, [&](auto x) { return diagonal<decltype(x)>(text, at); });
}

}  // namespace covary::python
