// Kernel expressions as people type them:
//
//   2.5 * se(lengthscale=0.3) + matern52(lengthscale=[1, 4]) * periodic(period=12)
//   on(temp, se()) * on([lat, lon], matern32()) + fixed(0.1)
//   features("temp, splines(depth)") + se()
//
//   periodic(period=fixed(365.25)) + se(lengthscale=0.1..10) * matern32(lengthscale=2 in 0.5..5)
//
// A number in front scales, a number alone is a constant kernel. Parameters that are not given are fitted; a
// number is a start of the search; fixed(...) keeps a number or a whole kernel; LOW..HIGH bounds a parameter.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "covary/kernels/registry.h"

namespace covary {

namespace internal {
/// Reads the tree (node.h). Throws a usage Error with the position and what was expected there.
template <class X = Row>
Expression read_expression(std::string_view text);

/// The usage Error of an expression: "kernel: WHAT at position P of 'TEXT'".
Error expression_error(std::string_view text, size_t position, const std::string& what);

/// The arguments with positional ones named after the parameters of the entry. Throws for unknown names.
Arguments named_arguments(const std::string& text, const Expression& call,
                          const std::vector<std::string>& known);

/// The columns that a call names, looked up by name or number (from 1).
std::vector<Index> find_columns(const std::string& text, const Expression& call,
                                const std::vector<std::string>& columns);
}  // namespace internal

/// The kernel an expression describes, by the registry and the combinators of X. `columns` are the names that
/// on(...) may use.
template <class X>
Kernel<X> parse(const std::string& text, const std::vector<std::string>& columns = {});
template <>
Kernel<Row> parse<Row>(const std::string& text, const std::vector<std::string>& columns);

}  // namespace covary

#include "covary/kernels/expression_impl.h"
