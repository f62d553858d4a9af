// Python's functions as kernels, and kernels that may be made of them.
#pragma once
#include <nanobind/nanobind.h>

#include "covary/kernels/function.h"
#include "covary/process/mean_function.h"

namespace covary::python {

namespace nb = nanobind;

/// An expression, or a text that has one, with the functions that it names.
struct KernelText {
  std::string kernel;
  Functions functions;
};

/// Of a kernel or of a text.
KernelText said(nb::handle kernel_or_text);

/// A trend as it was given: a text, or a function of rows.
struct Trend {
  std::string text;
  MeanFunction function = {};  // in the place of the text
};

/// Of a text or of something that can be called. Throws Problem::usage for anything else.
Trend trend_of(nb::handle text_or_function);

/// What pickle keeps of a function of rows: None, or a name and the function. And back.
nb::object state_of(const MeanFunction& function);
MeanFunction mean_from(const nb::object& state);

/// The kernel of an expression. With no columns to look names up in, the names on(...) uses are the columns.
Kernel<Row> parsed(const KernelText& said, const std::vector<std::string>& columns = {});

/// The functions inside, each once. Throws Problem::usage if two of them have one name.
Functions functions_of(const Kernel<Row>& k);

/// Whether both name the same functions.
bool same_functions(const Kernel<Row>& a, const Kernel<Row>& b);

/// What pickle keeps of them: their names, their parameters and the functions themselves. And back.
nb::list state_of(const Functions& functions);
Functions functions_from(const nb::list& state);

/// A text, or a text and the functions that it names: what pickle keeps of a kernel or a model. And back.
nb::object state_of(const KernelText& said);
KernelText said_from(const nb::object& state);

}  // namespace covary::python
