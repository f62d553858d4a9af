// The parts of the module: one function for each subject, called once by module.cc.
#pragma once
#include <nanobind/nanobind.h>

namespace covary::python {

namespace nb = nanobind;

/// covary::Error as Python's exceptions, with the core's message.
void bind_errors(nb::module_& m);
/// Kernel, the registry and the parser.
void bind_kernels(nb::module_& m);
/// Gaussian.
void bind_gaussian(nb::module_& m);
/// Model: what learning returns and files hold.
void bind_models(nb::module_& m);
/// learn(...), which Ctrl-C stops.
void bind_learning(nb::module_& m);

}  // namespace covary::python
