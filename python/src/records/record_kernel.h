// Kernels that need the types of the columns: over texts, sets, graphs and nodes, and of dates with units.
#pragma once
#include "covary/kernels/expression.h"
#include "function.h"

namespace covary::python {

/// An expression whose names and arguments are known to be right. Which columns it reads is known with the data.
struct RecordKernel {
  std::string text;
  Functions functions = {};
};

/// The calls of kernels in it, but for what is made of kernels.
void add_calls(const Expression& e, std::vector<const Expression*>& out);

/// Whether the expression is no kernel over rows of numbers: it calls one over texts, sets, graphs or nodes, or has
/// an argument in a unit of dates.
bool needs_types(const Expression& e);

/// Throws Problem::usage for a kernel or parameter that does not exist, and for a value that it cannot have.
void check_expression(const std::string& text, const Functions& functions = {});

/// A Kernel, or a RecordKernel where the types are needed.
nb::object kernel_object(const KernelText& said);

/// text, set or graph: what an expression is over that names no columns; empty: rows.
std::string object_kind(const std::string& text);

/// n x m of two lists of texts, sets or graphs; nothing if the expression is of rows, or the lists of rows.
std::optional<Matrix> object_cross(const std::string& text, nb::handle a, nb::handle b);
std::optional<Vector> object_diag(const std::string& text, nb::handle a);

}  // namespace covary::python
