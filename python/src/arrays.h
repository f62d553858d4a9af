// NumPy arrays, and what NumPy can make one of, as the core's matrices: borrowed where the layout allows.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "covary/base/types.h"

namespace covary::python {

namespace nb = nanobind;

/// Whether NaN and infinity may be among the numbers. Where not, one that is is refused by its index: "X[3,
/// 0]".
enum class Numbers { any, finite };

/// Points: n x d, or n numbers for d = 1. Doubles whose columns are contiguous (Fortran order) are borrowed;
/// any other real type or layout is copied once. Throws Problem::usage for what is not an array of real
/// numbers. Made and destroyed with the GIL held, and read without it.
class Points {
 public:
  Points(nb::handle array, const char* name, Numbers numbers = Numbers::any);
  Rows rows() const;

 private:
  using Array = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;
  Array array_;
  Matrix copy_;  // empty if borrowed
  bool borrowed_ = false;
};

/// n numbers, copied. Throws Problem::usage unless they have one dimension.
Vector values(nb::handle array, const char* name, Numbers numbers = Numbers::any);

/// n x m numbers, copied.
Matrix matrix(nb::handle array, const char* name, Numbers numbers = Numbers::any);

/// Whole numbers, counted from 0. Throws Problem::usage unless they are.
std::vector<Index> indices(nb::handle array, const char* name);

}  // namespace covary::python
