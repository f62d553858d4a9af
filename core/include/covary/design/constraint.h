// A condition that inputs must satisfy: temp*ph < 300.
//
// Two formulas (basis/formula.h) over the columns of a row with <, <=, > or >= between them.
#pragma once
#include <functional>

#include "covary/basis/formula.h"

namespace covary::internal {

class Constraint {
 public:
  /// Throws Problem::usage with the position of what is wrong.
  Constraint(const std::string& text, const std::vector<std::string>& columns);

  const std::string& text() const { return text_; }
  std::vector<Index> columns() const;  // those it reads, ascending
  /// n: whether each row of x (n x d) satisfies it. Where a side is undefined, it does not.
  std::vector<char> holds(const Rows& x) const;

 private:
  std::string text_;
  Formula left_, right_;
  bool less_, or_equal_;
};

std::vector<Constraint> constraints_of(const std::vector<std::string>& texts,
                                       const std::vector<std::string>& columns);

/// The rows of x that satisfy all of them, ascending.
std::vector<Index> feasible_rows(const std::vector<Constraint>& all, const Rows& x);

/// Throws Problem::data: none of `count` `what` satisfies them.
[[noreturn]] void nothing_feasible(const std::vector<Constraint>& all, Index count, const std::string& what);

}  // namespace covary::internal
