// A formula over the columns of a row: x1*x2^2, exp(-temp/10), 1.
//
//   numbers   columns   + - * / ^   ( )   exp log sqrt sin cos tanh abs
//
// As in mathematics -x^2 = -(x^2), x^y^z = x^(y^z), x^-1 = x^(-1); 0^0 = 1. A column is a word, or anything
// in double quotes ("" stands for ").
#pragma once
#include <string>
#include <vector>

#include "covary/base/types.h"

namespace covary::internal {

/// Immutable. Undefined values are NaN or infinite: log(-1), 1/0, exp(1000).
class Formula {
 public:
  /// A step of a machine with a stack: push a number or a column, or replace the topmost by a value of them.
  struct Step {
    enum class Kind { number, column, negate, add, subtract, multiply, divide, power, function };
    Kind kind = Kind::number;
    double number = 0;
    Index index = 0;  // of the column in a row, or of the function in formula_functions()
  };

  /// The steps in the order they are taken: x - 1 is x, 1, subtract. `columns` are the names of a row's.
  Formula(std::vector<Step> steps, const std::vector<std::string>& columns);

  const std::string& text() const { return text_; }  // reads back to the same steps
  std::vector<Index> columns() const;                // those it reads, ascending
  /// n: the value at each row of x (n x d). O(n steps), nothing else is allocated than blocks of 256 rows.
  Vector operator()(const Rows& x) const;

 private:
  std::vector<Step> steps_;
  Index deepest_ = 0;  // most values on the stack at once
  std::string text_;
};

/// exp, log, sqrt, sin, cos, tanh, abs.
const std::vector<std::string>& formula_functions();

/// Throws a usage Error with the position and what was expected there.
Formula parse_formula(const std::string& text, const std::vector<std::string>& columns);

}  // namespace covary::internal
