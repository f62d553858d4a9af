#include "covary/inference/evidence.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bind.h"
#include "covary/process/process_impl.h"

namespace covary::python {
namespace {

using namespace nb::literals;

void check_theta(const Vector& theta, Index expected) {
  if (theta.size() != expected)
    throw Error(Problem::usage, "theta: expected " + std::to_string(expected) + " numbers, found " +
                                    std::to_string(theta.size()));
}

/// The log marginal likelihood at theta, and its gradient or None.
nb::tuple evidence(const Kernel<Row>& of_names, const std::string& mean, std::optional<double> noise,
                   nb::handle points, nb::handle observations, nb::handle at, bool gradient,
                   const std::vector<std::string>& columns, int threads) {
  const Kernel<Row> kernel = placed(of_names, columns);
  const Points x(points, "X");
  const Vector y = values(observations, "y"), theta = values(at, "theta");
  check_theta(theta, kernel.theta().size() + (noise ? 0 : 1));
  Evaluation e;
  {
    const nb::gil_scoped_release free;
    internal::check_sizes(x.rows().rows(), y.size());
    internal::check_finite(x.rows(), "x");
    internal::check_finite(y, "y");
    Evidence<Row> of(kernel, parse_mean(mean, columns), noise ? Noise::of(*noise) : Noise::learn(), x.rows(),
                     y);
    e = of.at(theta, gradient, internal::threads_or_all(threads));
  }
  if (!gradient) return nb::make_tuple(e.value, nb::none());
  return nb::make_tuple(e.value, std::move(e.gradient));
}

}  // namespace

void bind_evidence(nb::module_& m) {
  m.def(
      "evidence", &evidence, "kernel"_a, "mean"_a, "noise"_a.none(), "X"_a, "y"_a, "theta"_a,
      "gradient"_a = true, "columns"_a = std::vector<std::string>{}, "threads"_a = 0,
      "The log marginal likelihood and its gradient at theta: the kernel's, then the logarithm of the noise "
      "variance if that is None.");
}

}  // namespace covary::python
