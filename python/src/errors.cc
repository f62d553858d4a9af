#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.h"
#include "covary/base/error.h"

namespace covary::python {
namespace {

PyObject* type_of(Problem problem) {
  switch (problem) {
    case Problem::usage:
    case Problem::data:
    case Problem::numerical:
      return PyExc_ValueError;
    case Problem::limit:
      return PyExc_MemoryError;
    case Problem::interrupted:
      return PyExc_KeyboardInterrupt;
    case Problem::failed:
      break;
  }
  return PyExc_RuntimeError;
}

}  // namespace

void bind_errors(nb::module_& m) {
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const Error& e) {
      PyErr_SetString(type_of(e.problem()), e.what());
    }
  });
  m.def(
      "did_you_mean",
      [](const std::string& name, const std::vector<std::string>& known) {
        return internal::did_you_mean(name, known);
      },
      nb::arg("name"), nb::arg("known"), "\", did you mean 'x'?\" for the nearest name, or nothing.");
}

}  // namespace covary::python
