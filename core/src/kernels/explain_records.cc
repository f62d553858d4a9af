// The columns that expressions read, by the registries of the kernels that they call.
#include <algorithm>
#include <set>

#include "covary/kernels/explain.h"
#include "covary/kernels/graphs/graph.h"
#include "covary/kernels/sets/item_set.h"

namespace covary {
using namespace internal;
namespace {

template <class X>
bool lists(const std::string& name) {
  const std::vector<Entry<X>>& all = registry<X>();
  return std::any_of(all.begin(), all.end(), [&](const Entry<X>& e) { return e.name == name; });
}

/// Columns by name, in the order in which they are found, and the types that kernels read outside on(...).
struct ColumnsFound {
  std::vector<TypedColumn> named;
  std::vector<ColumnType> unnamed;

  /// A type that is no number stands against number, text against category: category reads text too.
  void add(const std::string& name, ColumnType type) {
    const auto it =
        std::find_if(named.begin(), named.end(), [&](const TypedColumn& c) { return c.name == name; });
    if (it == named.end())
      named.push_back({.name = name, .type = type});
    else if (it->type == ColumnType::number ||
             (it->type == ColumnType::category && type != ColumnType::number))
      it->type = type;
  }
  void add(ColumnType type) {
    if (std::find(unnamed.begin(), unnamed.end(), type) == unnamed.end()) unnamed.push_back(type);
  }
};

void find_columns_in(const Expression& e, const std::vector<std::string>& inside, ColumnsFound& out) {
  const std::vector<std::string>& columns = e.columns.empty() ? inside : e.columns;
  for (const std::string& name : e.columns) out.add(name, ColumnType::number);
  for (const std::string& name : named_columns(e.text)) out.add(name, ColumnType::number);
  for (const Expression& part : e.parts) find_columns_in(part, columns, out);
  const bool kernel = e.kind == Expression::Kind::call && e.parts.empty() && e.name != "constant";
  if (!kernel) return;
  const ColumnType type = type_read(e.name);
  if (columns.empty() && e.text.empty()) out.add(type);
  for (const std::string& name : inside)  // several columns are read by kernels over rows
    out.add(name, inside.size() > 1 && type > ColumnType::category ? ColumnType::number : type);
}

/// Whether X has a kernel of this name, which is made of the arguments to see that it can be.
template <class X>
bool checked(const std::string& text, const Expression& e) {
  for (const Entry<X>& entry : registry<X>())
    if (entry.name == e.name) return (void)entry.make(named_arguments(text, e, entry.parameters)), true;
  return false;
}

template <class X>
void add_names_of(std::vector<std::string>& out) {
  for (const Entry<X>& e : registry<X>())
    if (std::find(out.begin(), out.end(), e.name) == out.end()) out.push_back(e.name);
}

void check_names_in(const std::string& text, const Expression& e) {
  for (const Expression& part : e.parts) check_names_in(text, part);
  if (e.kind != Expression::Kind::call || !e.parts.empty()) return;
  for (const Combinator<Row>& c : combinators<Row>())
    if (c.name == e.name && !c.combines()) return;
  if (checked<Row>(text, e) || checked<std::string>(text, e) || checked<ItemSet>(text, e) ||
      checked<Graph>(text, e))
    return;
  std::vector<std::string> known = callable_names<Row>();
  add_names_of<std::string>(known), add_names_of<ItemSet>(known), add_names_of<Graph>(known);
  throw unknown_kernel(text, e, known);
}

bool all_digits(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void add_columns(const Expression& e, std::vector<std::string>& names) {
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const std::string& name : e.columns)
    if (!all_digits(name)) add(name);
  for (const std::string& name : named_columns(e.text)) add(name);
  for (const Expression& part : e.parts) add_columns(part, names);
}

/// `seen`: the columns of the whole that this part sees.
void add_read(const Expression& e, const std::vector<Index>& seen, std::set<Index>& out) {
  std::vector<Index> inside = seen;
  if (!e.reads.empty()) {
    inside.clear();
    for (const Index k : e.reads) inside.push_back(seen[static_cast<size_t>(k)]);
  }
  const bool reads = e.kind == Expression::Kind::leaf ||
                     (e.kind == Expression::Kind::call && e.parts.empty() && e.name != "constant");
  if (reads) out.insert(inside.begin(), inside.end());
  for (const Expression& part : e.parts) add_read(part, inside, out);
}

}  // namespace

std::vector<Index> internal::columns_read(const Kernel<Row>& kernel, Index d) {
  std::set<Index> out;
  add_read(kernel.node(), all_indices(d), out);
  return {out.begin(), out.end()};
}

std::vector<std::string> internal::named_columns(const Expression& e) {
  std::vector<std::string> names;
  add_columns(e, names);
  return names;
}

void internal::check_names(const std::string& text) { check_names_in(text, read_expression(text)); }

ColumnType internal::type_read(const std::string& kernel) {
  if (kernel == "constant") return ColumnType::number;
  if (lists<ItemSet>(kernel)) return ColumnType::set;
  for (const Entry<Row>& e : registry<Row>())
    if (e.name == kernel)
      return e.reads == Reads::categories ? ColumnType::category
             : e.reads == Reads::nodes    ? ColumnType::node
                                          : ColumnType::number;
  if (lists<std::string>(kernel)) return ColumnType::text;
  return lists<Graph>(kernel) ? ColumnType::graph : ColumnType::number;
}

Schema internal::columns_for(const Expression& e) {
  ColumnsFound found;
  find_columns_in(e, {}, found);
  for (const ColumnType type : found.unnamed) {
    const bool there = std::any_of(found.named.begin(), found.named.end(),
                                   [&](const TypedColumn& c) { return c.type == type; });
    if (!there)
      found.named.push_back({.name = type == ColumnType::number ? "x" : text_of(type), .type = type});
  }
  return found.named;
}

}  // namespace covary
