#include "arrays.h"

#include <nanobind/stl/string.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "covary/base/error.h"

namespace covary::python {
namespace {

std::string text(nb::handle h) { return nb::cast<std::string>(nb::str(h)); }

[[noreturn]] void refuse(const char* name, const std::string& expected, const std::string& found) {
  throw Error(Problem::usage, std::string(name) + ": expected " + expected + ", found " + found);
}

/// What NumPy makes of it, with its own message where it cannot.
nb::object as_array(const nb::module_& numpy, nb::handle h, const char* name) {
  try {
    return numpy.attr("asarray")(h);
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_ValueError) && !e.matches(PyExc_TypeError)) throw;
    refuse(name, "an array of numbers", text(e.value()));
  }
}

/// An aligned array of doubles. Text, objects, complex numbers and masked arrays are no numbers here.
nb::object doubles(nb::handle h, const char* name) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  if (nb::isinstance(h, numpy.attr("ma").attr("MaskedArray")))
    refuse(name, "an array of numbers", "a masked array: take the masked rows out first");
  nb::object a = as_array(numpy, h, name);
  const std::string kind = text(a.attr("dtype").attr("kind"));
  if (kind.find_first_of("biuf") == std::string::npos)
    refuse(name, "an array of numbers", "dtype " + text(a.attr("dtype")));
  return numpy.attr("require")(a, numpy.attr("float64"), "A");
}

std::string shape_of(nb::handle a) { return "shape " + text(a.attr("shape")); }

nb::object two_dimensional(nb::handle h, const char* name) {
  nb::object a = doubles(h, name);
  const auto ndim = nb::cast<int>(a.attr("ndim"));
  if (ndim == 1) return a.attr("reshape")(-1, 1);
  if (ndim != 2) refuse(name, "rows and columns", shape_of(a));
  return a;
}

/// Throws if one is not finite, by the index that Python has for it in `array`.
void check_finite(const Rows& x, nb::handle array, const std::string& name) {
  if (x.allFinite()) return;
  const bool vector = nb::cast<int>(nb::module_::import_("numpy").attr("ndim")(array)) == 1;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index k = 0; k < x.cols(); ++k)
      if (!std::isfinite(x(i, k)))
        refuse((name + "[" + std::to_string(i) + (vector ? "" : ", " + std::to_string(k)) + "]").c_str(),
               "a finite number", text(nb::float_(x(i, k))));
}

/// Whether each number lies where the processor wants it.
bool aligned(const double* data) { return std::bit_cast<std::uintptr_t>(data) % alignof(double) == 0; }

template <class Array>
Array cast_or_refuse(nb::handle a, const char* name) {
  try {
    return nb::cast<Array>(a, false);
  } catch (const nb::cast_error&) {
    refuse(name, "an array of numbers", shape_of(a));
  }
}

}  // namespace

Points::Points(nb::handle h, const char* name, Numbers numbers) {
  if (!nb::try_cast(h, array_, false) || !aligned(array_.data()) || nb::hasattr(h, "mask"))
    array_ = cast_or_refuse<Array>(two_dimensional(h, name), name);
  const auto n = Index(array_.shape(0)), d = Index(array_.shape(1));
  const Index down = array_.stride(0), across = array_.stride(1);
  borrowed_ = n > 0 && d > 0 && (n == 1 || down == 1) && (d == 1 || across >= n);
  if (!borrowed_) {
    copy_.resize(n, d);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < d; ++j) copy_(i, j) = array_.data()[i * down + j * across];
  }
  if (numbers == Numbers::finite) check_finite(rows(), h, name);
}

Rows Points::rows() const {
  if (!borrowed_) return copy_;
  const auto n = Index(array_.shape(0)), d = Index(array_.shape(1));
  return Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>(
      array_.data(), n, d, Eigen::OuterStride<>(d == 1 ? n : Index(array_.stride(1))));
}

Vector values(nb::handle h, const char* name, Numbers numbers) {
  const nb::object a = doubles(h, name);
  const auto ndim = nb::cast<int>(a.attr("ndim"));
  const bool column = ndim == 2 && nb::cast<Index>(a.attr("shape")[nb::int_(1)]) == 1;
  if (ndim != 1 && !column) refuse(name, "one number for each row", shape_of(a));
  const Points points(a, name);
  if (numbers == Numbers::finite) check_finite(points.rows(), h, name);
  return points.rows().col(0);
}

Matrix matrix(nb::handle h, const char* name, Numbers numbers) { return Points(h, name, numbers).rows(); }

std::vector<Index> indices(nb::handle h, const char* name) {
  const Vector v = values(h, name);
  std::vector<Index> out;
  for (const double x : v) {
    if (!(x >= 0) || x != double(Index(x))) refuse(name, "whole numbers from 0", text(nb::float_(x)));
    out.push_back(Index(x));
  }
  return out;
}

}  // namespace covary::python
