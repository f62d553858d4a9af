#include "covary/slices.h"

#include <nanobind/eigen/dense.h>

#include "arrays.h"
#include "bind.h"

namespace covary::python {

using namespace nb::literals;

void bind_slices(nb::module_& m) {
  m.def(
      "column_medians", [](nb::handle x) { return column_medians(Points(x, "X").rows()); }, "X"_a,
      "Of each column.");
  m.def(
      "slice_points",
      [](nb::handle at, Index moving, nb::handle to) {
        return slice_points(values(at, "at"), moving, values(to, "to"));
      },
      "at"_a, "moving"_a, "to"_a, "Points that are `at` but for one column, which takes the values `to`.");
  m.def(
      "grid_points", [](nb::handle x, nb::handle y) { return grid_points(values(x, "x"), values(y, "y")); },
      "x"_a, "y"_a, "Every pair of values, the first moving fastest.");
}

}  // namespace covary::python
