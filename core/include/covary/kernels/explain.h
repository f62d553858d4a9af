// Kernels in words: descriptions of the functions of an expression, and kernels completed for drawing samples.
//
//   Kernel<Row> k = parse<Row>("se() * periodic(period=12)").amplified().sized(x);
//   explain(k).words                       // "a product: a repeating pattern whose shape drifts ..."
//   Process<Row>(drawable(k, x)).sample(x, 3, seed)
#pragma once
#include <string>
#include <vector>

#include "covary/kernels/expression.h"
#include "covary/kernels/registry.h"

namespace covary {

/// A kernel inside an expression, and those inside it.
struct Term {
  std::string path;  // what the paths of its parameters begin with: "1.2"; empty for the whole
  std::string text;  // "periodic(period=12)"
  std::string words;
  Nature nature = Nature::other;
  std::vector<std::string> columns = {};  // those on(...) names
  std::vector<Term> parts = {};           // of a sum or a product
};
Term explain(const Kernel<Row>& kernel);

namespace internal {
/// The same of the node of a kernel over texts, sets or graphs.
Term explain_node(const Expression& node);

/// What a kernel of this name reads: the type of a column, as number for what reads numbers and dates. Kernels over
/// sets read columns of numbers too.
ColumnType type_read(const std::string& kernel);

/// The columns that an expression reads, their types by the kernels that read them: those that on(...) names, and one
/// column for each other type that is read. For use without a table.
Schema columns_for(const Expression& e);

/// "length-scale", "variance", "period", ...
std::string role_text(Role role);

/// The columns that on(...) and features(...) name in an expression, in order and without repeats; numbers
/// are left out.
std::vector<std::string> named_columns(const Expression& e);

/// The columns, from 0, that a kernel over points of d columns reads.
std::vector<Index> columns_read(const Kernel<Row>& kernel, Index d);

/// Those that a list of features names; for use without a table.
std::vector<std::string> named_columns(const std::string& features);

/// Throws a usage Error, with the nearest name, for a kernel or parameter that does not exist, and for a
/// value that it cannot have. Columns are not looked at.
void check_names(const std::string& text);

/// The smallest number of columns the kernel accepts, at least `least`. Throws the kernel's error if it accepts
/// none.
/// `along` are values that a column may take.
Index least_columns(const Kernel<Row>& kernel, Index least = 1, const Vector& along = Vector::Zero(2));

/// Whether k(x + h, z + h) = k(x, z), found by trying at points of the size of x. Every parameter must be
/// given.
bool is_stationary(const Kernel<Row>& kernel, const Rows& x);

/// The kernel with every parameter given: one that was not gets a value with which functions over x (m x d)
/// show what they are: length-scales an eighth of the range, periods a quarter, variances so that f has
/// variance 1.
Kernel<Row> drawable(const Kernel<Row>& kernel, const Rows& x);

/// Half width of a range around 0 that shows the length-scales and periods that were given.
double telling_half_range(const Kernel<Row>& kernel);
}  // namespace internal

}  // namespace covary
