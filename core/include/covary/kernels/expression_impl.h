// Definitions of the templates of expression.h: trees looked up in the registry of an index type.
#pragma once
#include <optional>

#include "covary/kernels/expression.h"
#include "covary/kernels/restricted.h"

namespace covary {
namespace internal {

/// What a combinator takes in front of its parameters; null for any other name.
using FormsOf = std::function<const std::vector<internal::Form>*(const std::string& name)>;
Expression read_tree(std::string_view text, const FormsOf& forms);

/// Calls that no registry has.
template <class X>
struct OwnCalls {
  std::vector<std::string> names;
  std::function<Kernel<X>(size_t which, const Expression& call)> make;
};

/// The columns that a part of an expression sees.
struct Scope {
  Schema columns;
  bool named = false;  // by on(...): each kernel inside must read all of them
};

/// An expression over texts, sets or graphs on column `which` of those, as a kernel over rows; nothing if its names
/// are not those of kernels over what the columns hold. Throws Problem::usage if they are, and no column or
/// several hold it. In expression_records.cc.
std::optional<Kernel<Row>> object_kernel(const std::string& text, const Expression& e, const Schema& columns,
                                         const std::vector<Index>& which);
/// The kernel of an entry on those columns of the scope that it reads.
Kernel<Row> row_kernel(const std::string& text, const Expression& e, const Entry<Row>& entry,
                       const Scope& scope);
/// The arguments that are hyper-parameters.
template <class X>
Arguments learned_arguments(const Arguments& a, const Entry<X>& entry) {
  std::vector<Argument> out = a.all();
  std::erase_if(out, [&](const Argument& one) {
    return std::find(entry.settings.begin(), entry.settings.end(), one.name) != entry.settings.end();
  });
  return Arguments(std::move(out));
}

Error unknown_kernel(const std::string& text, const Expression& call, const std::vector<std::string>& known);
void check_variance(const Expression& number);

template <class X>
Kernel<X> build(const std::string& text, const Expression& e, const Scope& scope, const OwnCalls<X>& own);

/// The kernels inside see the columns that the call names, where it names some.
template <class X>
Kernel<X> build_combined(const std::string& text, const Expression& e, const Combinator<X>& c,
                         const Scope& scope, const OwnCalls<X>& own) {
  const std::vector<std::string> names = scope.columns.names();
  internal::Call<X> call{internal::named_arguments(text, e, c.parameters),
                         internal::find_columns(text, e, names),
                         {},
                         {},
                         e.text,
                         scope.columns};
  if (!names.empty())
    for (const Index k : call.columns) call.names.push_back(names[static_cast<size_t>(k)]);
  const Scope inside =
      e.columns.empty() || names.empty() ? scope : Scope{scope.columns.only(call.columns), true};
  if constexpr (std::same_as<X, Row>)
    if (e.name == "on" && call.columns.size() == 1 && !inside.columns.all_numbers())
      if (std::optional<Kernel<Row>> k = object_kernel(text, e.parts[0], scope.columns, call.columns))
        return *k;
  for (const Expression& part : e.parts) call.kernels.push_back(build<X>(text, part, inside, own));
  return internal::restricted(c.make(call), call.arguments);
}

template <class X>
Kernel<X> build_call(const std::string& text, const Expression& e, const Scope& scope,
                     const OwnCalls<X>& own) {
  for (const Combinator<X>& c : combinators<X>())
    if (c.name == e.name && e.parts.empty() != c.combines()) return build_combined<X>(text, e, c, scope, own);
  for (const Entry<X>& entry : registry<X>())
    if (entry.name == e.name) {
      if constexpr (std::same_as<X, Row>) {
        return row_kernel(text, e, entry, scope);
      } else {
        const Arguments a = internal::named_arguments(text, e, entry.parameters);
        return internal::restricted(entry.make(a), learned_arguments(a, entry));
      }
    }
  for (size_t i = 0; i < own.names.size(); ++i)
    if (own.names[i] == e.name) return own.make(i, e);
  if constexpr (std::same_as<X, Row>)
    if (std::optional<Kernel<Row>> k =
            object_kernel(text, e, scope.columns, all_indices(scope.columns.size())))
      return *k;
  std::vector<std::string> known = internal::callable_names<X>();
  known.insert(known.end(), own.names.begin(), own.names.end());
  throw unknown_kernel(text, e, known);
}

template <class X>
Kernel<X> build(const std::string& text, const Expression& e, const Scope& scope, const OwnCalls<X>& own) {
  if (e.kind == Expression::Kind::call) return build_call<X>(text, e, scope, own);
  if (e.kind == Expression::Kind::number) {
    check_variance(e);
    return Constant<X>{e.value};
  }
  Kernel<X> all = build<X>(text, e.parts[0], scope, own);
  for (size_t i = 1; i < e.parts.size(); ++i) {
    const Kernel<X> next = build<X>(text, e.parts[i], scope, own);
    all = e.kind == Expression::Kind::sum ? all + next : all * next;
  }
  return all;
}

}  // namespace internal

namespace internal {
template <class X>
Expression read_expression(std::string_view text) {
  return internal::read_tree(text, [](const std::string& name) -> const std::vector<Form>* {
    for (const Combinator<X>& c : combinators<X>())
      if (c.name == name) return &c.forms;
    return nullptr;
  });
}
}  // namespace internal

template <class X>
Kernel<X> parse(const std::string& text, const std::vector<std::string>& columns) {
  return internal::build<X>(text, internal::read_expression<X>(text), {columns}, {});
}

}  // namespace covary
