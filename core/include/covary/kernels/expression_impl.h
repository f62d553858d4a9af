// Definitions of the templates of expression.h: trees looked up in the registry of an index type.
#pragma once
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

Error unknown_kernel(const std::string& text, const Expression& call, const std::vector<std::string>& known);
void check_variance(const Expression& number);

template <class X>
Kernel<X> build(const std::string& text, const Expression& e, const std::vector<std::string>& columns,
                const OwnCalls<X>& own);

/// The kernels inside see the columns that the call names, where it names some.
template <class X>
Kernel<X> build_combined(const std::string& text, const Expression& e, const Combinator<X>& c,
                         const std::vector<std::string>& columns, const OwnCalls<X>& own) {
  internal::Call<X> call{internal::named_arguments(text, e, c.parameters),
                         internal::find_columns(text, e, columns),
                         {},
                         {},
                         e.text,
                         columns};
  if (!columns.empty())
    for (const Index k : call.columns) call.names.push_back(columns[static_cast<size_t>(k)]);
  for (const Expression& part : e.parts)
    call.kernels.push_back(build<X>(text, part, e.columns.empty() ? columns : call.names, own));
  return internal::restricted(c.make(call), call.arguments);
}

template <class X>
Kernel<X> build_call(const std::string& text, const Expression& e, const std::vector<std::string>& columns,
                     const OwnCalls<X>& own) {
  for (const Combinator<X>& c : combinators<X>())
    if (c.name == e.name && e.parts.empty() != c.combines())
      return build_combined<X>(text, e, c, columns, own);
  for (const Entry<X>& entry : registry<X>())
    if (entry.name == e.name) {
      const Arguments a = internal::named_arguments(text, e, entry.parameters);
      return internal::restricted(entry.make(a), a);
    }
  for (size_t i = 0; i < own.names.size(); ++i)
    if (own.names[i] == e.name) return own.make(i, e);
  std::vector<std::string> known = internal::callable_names<X>();
  known.insert(known.end(), own.names.begin(), own.names.end());
  throw unknown_kernel(text, e, known);
}

template <class X>
Kernel<X> build(const std::string& text, const Expression& e, const std::vector<std::string>& columns,
                const OwnCalls<X>& own) {
  if (e.kind == Expression::Kind::call) return build_call<X>(text, e, columns, own);
  if (e.kind == Expression::Kind::number) {
    check_variance(e);
    return Constant<X>{e.value};
  }
  Kernel<X> all = build<X>(text, e.parts[0], columns, own);
  for (size_t i = 1; i < e.parts.size(); ++i) {
    const Kernel<X> next = build<X>(text, e.parts[i], columns, own);
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
  return internal::build<X>(text, internal::read_expression<X>(text), columns, {});
}

}  // namespace covary
