#include "covary/learn/reparametrized.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "arrays.h"
#include "bind.h"
#include "covary/kernels/expression.h"
#include "watched.h"

namespace covary::python {
namespace {

using namespace nb::literals;

/// Data that outlive the call which brought them.
struct Data {
  Matrix x, y;
  Vector variances;
  Data(nb::handle points, nb::handle targets, nb::handle noise)
      : x(matrix(points, "X")), y(matrix(targets, "y")), variances(values(noise, "variances")) {}
  internal::ReparametrizedData borrowed() const { return {x, y, variances}; }
};

/// Small matrices are quicker on one thread.
int threads_for(Index rows, int threads) {
  return threads || rows >= 300 ? internal::threads_or_all(threads) : 1;
}

void check_parameters(const internal::Reparametrized& tied, const Vector& t) {
  if (t.size() == tied.theta.map.cols()) return;
  throw Error(Problem::usage, "theta: expected " + std::to_string(tied.theta.map.cols()) +
                                  " parameters, found " + std::to_string(t.size()));
}

internal::Reparametrized made(const Kernel<Row>& kernel, nb::handle offset, nb::handle map,
                              nb::handle noise_offset, nb::handle noise_map) {
  internal::Reparametrized tied{kernel,
                                {values(offset, "offset"), matrix(map, "map")},
                                {values(noise_offset, "noise_offset"), matrix(noise_map, "noise_map")}};
  internal::check_reparametrized(tied);
  return tied;
}

nb::tuple evidence(const internal::Reparametrized& tied, nb::handle x, nb::handle y, nb::handle variances,
                   nb::handle at, bool gradient, int threads) {
  const Points points(x, "X");
  const Matrix targets = matrix(y, "y");
  const Vector noise = values(variances, "variances"), t = values(at, "theta");
  check_parameters(tied, t);
  Evaluation e;
  {
    const nb::gil_scoped_release free;
    e = internal::ReparametrizedEvidence(tied, {points.rows(), targets, noise})
            .at(t, gradient, threads_for(targets.rows(), threads));
  }
  if (!gradient) return nb::make_tuple(e.value, nb::none());
  return nb::make_tuple(e.value, std::move(e.gradient));
}

nb::tuple best(const internal::Reparametrized& tied, nb::handle x, nb::handle y, nb::handle variances,
               nb::handle start, nb::handle lower, nb::handle upper, int threads) {
  const auto data = std::make_shared<const Data>(x, y, variances);
  const Vector from = values(start, "theta"), least = values(lower, "lower"), most = values(upper, "upper");
  for (const Vector* v : {&from, &least, &most}) check_parameters(tied, *v);
  const auto found = std::make_shared<internal::Minimum>();
  watched([=](const Wanted& wanted) {
    *found = internal::maximize(tied, data->borrowed(), from, least, most,
                                threads_for(data->x.rows(), threads), [&wanted] { return !wanted->load(); });
  });
  return nb::make_tuple(found->x, -found->value, found->converged, found->evaluations, found->stopped);
}

std::optional<internal::ReparametrizedPosterior> conditioned(const internal::Reparametrized& tied,
                                                             nb::handle x, nb::handle y, nb::handle variances,
                                                             nb::handle at, int threads) {
  const Points points(x, "X");
  const Matrix targets = matrix(y, "y");
  const Vector noise = values(variances, "variances"), t = values(at, "theta");
  check_parameters(tied, t);
  const nb::gil_scoped_release free;
  return internal::posterior(tied, {points.rows(), targets, noise}, t, threads_for(targets.rows(), threads));
}

/// verb(points), without the GIL.
template <class Verb>
auto asked(const internal::ReparametrizedPosterior& p, nb::handle at, const Verb& verb) {
  const Points x(at, "X");
  if (x.rows().cols() != p.x.cols())
    throw Error(Problem::usage, "X: expected " + std::to_string(p.x.cols()) + " columns, found " +
                                    std::to_string(x.rows().cols()));
  const nb::gil_scoped_release free;
  return verb(x.rows());
}

nb::tuple state(const internal::ReparametrizedPosterior& p) {
  return nb::make_tuple(p.kernel.text(), p.noise, p.x, p.factor.lower_copy(), p.alpha);
}

internal::ReparametrizedPosterior from_state(const std::string& kernel, double noise, const Matrix& x,
                                             const Matrix& lower, const Matrix& alpha) {
  return {parse<Row>(kernel), noise, x, Factor::of(lower), alpha};
}

void bind_posterior(nb::module_& m) {
  nb::class_<internal::ReparametrizedPosterior> c(m, "ReparametrizedPosterior",
                                                  "A process of mean zero given data: threads may share it.");
  c.def(
      "mean",
      [](const internal::ReparametrizedPosterior& p, nb::handle at, int threads) {
        return asked(p, at, [&](const Rows& x) { return p.mean(x, threads); });
      },
      "X"_a, "threads"_a = 0, "rows x targets.");
  c.def(
      "marginals",
      [](const internal::ReparametrizedPosterior& p, nb::handle at, int threads) {
        return asked(p, at, [&](const Rows& x) { return p.marginals(x, threads); });
      },
      "X"_a, "threads"_a = 0, "Means, and the variance of each row.");
  c.def(
      "joint",
      [](const internal::ReparametrizedPosterior& p, nb::handle at, int threads) {
        return asked(p, at, [&](const Rows& x) { return p.joint(x, threads); });
      },
      "X"_a, "threads"_a = 0, "Means, and the covariance of all rows.");
  c.def_prop_ro(
      "lower", [](const internal::ReparametrizedPosterior& p) { return p.factor.lower_copy(); },
      "The factor L of the covariance, n x n.");
  c.def_prop_ro(
      "kernel", [](const internal::ReparametrizedPosterior& p) { return p.kernel; },
      "The kernel, without noise.");
  c.def_prop_ro(
      "noise", [](const internal::ReparametrizedPosterior& p) { return p.noise; },
      "The variance of observations to come.");
  c.def_prop_ro(
      "alpha", [](const internal::ReparametrizedPosterior& p) { return p.alpha; },
      "The weights, n x targets.");
  c.def("__getstate__", &state);
  c.def("__setstate__", [](internal::ReparametrizedPosterior& p,
                           const std::tuple<std::string, double, Matrix, Matrix, Matrix>& s) {
    new (&p) internal::ReparametrizedPosterior(std::apply(&from_state, s));
  });
}

}  // namespace

void bind_tied(nb::module_& m) {
  bind_posterior(m);
  nb::class_<internal::Reparametrized> c(m, "Reparametrized",
                                         "A kernel and a noise in parameters t: theta = offset + map t.");
  c.def(
      "__init__",
      [](internal::Reparametrized* self, const Kernel<Row>& kernel, nb::handle offset, nb::handle map,
         nb::handle noise_offset, nb::handle noise_map) {
        new (self) internal::Reparametrized(made(kernel, offset, map, noise_offset, noise_map));
      },
      "kernel"_a, "offset"_a, "map"_a, "noise_offset"_a, "noise_map"_a);
  c.def("evidence", &evidence, "X"_a, "y"_a, "variances"_a, "theta"_a, "gradient"_a = true, "threads"_a = 0,
        "The log marginal likelihood, and its gradient or None.");
  c.def("maximize", &best, "X"_a, "y"_a, "variances"_a, "theta"_a, "lower"_a, "upper"_a, "threads"_a = 0,
        "The best parameters, their log marginal likelihood, whether the search converged, evaluations, and "
        "why it stopped. Ctrl-C stops it.");
  c.def("posterior", &conditioned, "X"_a, "y"_a, "variances"_a, "theta"_a, "threads"_a = 0,
        "None if the covariance is not positive definite.");
}

}  // namespace covary::python
