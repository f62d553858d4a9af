// The structure of a kernel as data: the tree that an expression is read into and that a kernel is printed from.
#pragma once
#include <memory>

#include "covary/kernels/parameter.h"

namespace covary {

struct BlockFunction;

/// What an argument says beyond its value: `fixed(12)`, `0.1..10`, `2 in 0.1..10`.
struct Limits {
  bool fixed = false;
  double lower = std::numeric_limits<double>::quiet_NaN(), upper = lower;
  bool any() const { return fixed || lower == lower; }
};

/// One argument of a kernel in an expression: `lengthscale=[1, 4]`, `period=12`, `period=1 year`, `matrix=blosum62`.
struct Argument {
  std::string name;
  std::vector<double> values;  // NaN where only a range was given
  bool list = false;
  std::vector<Limits> limits = {};  // of each value; empty: none
  std::string word = {};            // `matrix=blosum62`: in the place of values
  std::string unit = {};            // of the values, where one was given: "days", "km" or "degrees"
};

/// A node of the tree. The reader fills what can be read, before names are looked up; `node()` of a kernel fills
/// what the kernel knows beyond that. Positions count bytes from 1; errors say them in characters.
struct Expression {
  enum class Kind { number, call, scaled, sum, product, leaf };
  Kind kind = Kind::number;
  size_t position = 1;
  double value = 0;                  // number; scaled: the variance in front, NaN if it was not given
  std::string name;                  // call: as registered
  std::vector<Argument> arguments;   // call: `period=12`; those that were not given are left out
  std::vector<std::string> columns;  // call of a combinator: the columns it names
  std::string text;                  // call of a combinator: the text it takes; leaf: all that is known of it
  std::vector<Expression> parts;     // scaled, sum, product; call of a combinator: the kernels inside
  // of a kernel
  std::vector<Index> reads;                       // call: the columns that the parts see, from 0; empty: all
  std::vector<Parameter> parameters;              // call, leaf: its own, given or not
  std::shared_ptr<const BlockFunction> function;  // call: of a function that is no entry of the registry
};

/// The expression as it is typed. Of k.node() it is k.text().
std::string text_of(const Expression& e);

namespace internal {
/// The columns of a call as they are printed: names, in quotes where needed, or numbers from 1.
std::vector<std::string> column_texts(const Expression& call);
}  // namespace internal

/// The call of a kernel with these parameters: an argument for each that was given. `first`: arguments that are
/// no parameters.
Expression call_node(std::string name, std::vector<Parameter> parameters, std::vector<Argument> first = {});

namespace internal {
/// A kernel of which no more is known than its text.
Expression leaf_node(std::string text, std::vector<Parameter> parameters);

/// A kernel made of others; `value` of a scaled one.
Expression parts_node(Expression::Kind kind, std::vector<Expression> parts, double value = 0);

/// The same of a combinator: fixed(...), on(...).
Expression combined_node(std::string name, Expression part);
}  // namespace internal

}  // namespace covary
