// A kernel defined by a function over blocks, with positive parameters: for a formula without derivatives.
//
//   const auto ou = std::make_shared<BlockFunction>(BlockFunction{
//       "ou", {"lengthscale"}, [](const Rows& a, const Rows& b, const Vector& v) { ... }});
//   Kernel<Row> k = 2.0 * kernel_of(ou, Vector::Constant(1, 0.3));          // "2 * ou(lengthscale=0.3)"
//   parse("on(temp, ou(lengthscale=0.3)) + 1", {"temp"}, {ou});
//
// Its pullback is by central differences in the logarithm of each parameter: two more blocks for each, and
// about ten digits.
#pragma once
#include <functional>
#include <memory>

#include "covary/kernels/kernel.h"
#include "covary/kernels/records/schema.h"

namespace covary {

struct BlockFunction {
  std::string name;                                                      // a plain word
  std::vector<std::string> parameters;                                   // by name
  std::function<Matrix(const Rows&, const Rows&, const Vector&)> cross;  // a, b, parameters: n x m
  std::function<Vector(const Rows&, const Vector&)> diag = {};           // n; none: from small blocks
  std::shared_ptr<const void> source = {};                               // what it was made from
};
using Functions = std::vector<std::shared_ptr<const BlockFunction>>;

namespace internal {
/// A parameter called lengthscale, variance or period is learned as one; any other between a millionth of its
/// value and a million times that. Blocks of another shape, with numbers that are not finite or not symmetric
/// where they must be, are a data Error. Throws Problem::usage for a name that is no plain word or one of
/// the registry's, and for values that are not positive numbers.
Kernel<Row> kernel_of(std::shared_ptr<const BlockFunction> function, Vector values);

/// The functions inside a kernel made of sums, products and the like, from left to right.
Functions functions_in(const Kernel<Row>& kernel);
}  // namespace internal

/// parse (expression.h) of an expression over records, which may name these functions too. Each kernel reads the
/// columns of its type: se() the numbers, category() the categories; on(...) names others. Throws Problem::usage
/// for a kernel on a column of another type, and says which kernels read that.
Kernel<Row> parse(const std::string& text, const Schema& columns, const Functions& functions = {});
inline Kernel<Row> parse(const std::string& text, std::initializer_list<std::string> numbers,
                         const Functions& functions) {
  return parse(text, Schema(std::vector<std::string>(numbers)), functions);
}

}  // namespace covary
