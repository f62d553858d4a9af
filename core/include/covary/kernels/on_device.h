// Kernels over numbers as programs that a device runs: every shipped one that reads coordinates, and their sums,
// products, scalings, on(...) and fixed(...), from node().
#pragma once
#include "covary/algebra/remote.h"
#include "covary/kernels/kernel.h"
#include "covary/kernels/kernel_gram.h"

namespace covary::internal {

/// Null for a kernel without a program: functions of the user's own, categories, places on the sphere, and more
/// than 32 terms, 256 columns or 96 parameters.
std::shared_ptr<const ProgramOnPoints> program_on_points(const Kernel<Row>& kernel, const Rows& x);

/// The same over any X: null where points are no rows of numbers, or there is no place.
template <class X>
std::shared_ptr<const ProgramOnPoints> program_at(const std::shared_ptr<const Place>& place,
                                                  const Kernel<X>& kernel, Batch<X> x) {
  if constexpr (std::same_as<X, Row>) {
    if (place && !place->collective()) return program_on_points(kernel, x);
  }
  return {};
}

/// The covariances of points, to be factored at a place.
template <class X>
Gram gram_at(const std::shared_ptr<const Place>& place, const Kernel<X>& kernel, Batch<X> x) {
  Gram all = gram<X>(kernel, x);
  all.place = place, all.program = program_at<X>(place, kernel, x);
  return all;
}

/// Notes on a process that was conditioned at a place; `on_device`: its kernel has a program.
std::vector<std::string> place_notes(const Place& place, const std::string& kernel, bool on_device);

}  // namespace covary::internal
