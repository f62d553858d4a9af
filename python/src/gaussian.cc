#include "covary/gaussian/gaussian.h"

#include <nanobind/eigen/dense.h>

#include "arguments.h"
#include "arrays.h"
#include "bind.h"
#include "covary/base/percent.h"

namespace covary::python {
namespace {

using namespace nb::literals;

void add_parts(nb::class_<Gaussian>& c) {
  c.def("__len__", &Gaussian::size);
  c.def_prop_ro("mean", [](const Gaussian& g) -> Vector { return g.mean(); });
  c.def_prop_ro("covariance", [](const Gaussian& g) -> Matrix { return g.covariance(); });
  c.def_prop_ro("sd", &Gaussian::sd);
  c.def_prop_ro("rank", &Gaussian::rank, "Directions that have variance.");
  c.def("__getstate__", [](const Gaussian& g) { return nb::make_tuple(g.mean(), g.covariance()); });
  c.def("__setstate__", [](Gaussian& g, const nb::tuple& t) {
    new (&g) Gaussian(values(t[0], "mean"), matrix(t[1], "covariance"));
  });
}

void add_verbs(nb::class_<Gaussian>& c) {
  c.def(
      "marginal", [](const Gaussian& g, nb::handle which) { return g.marginal(indices(which, "which")); },
      "which"_a, "The marginal of the components `which` (from 0), in that order.");
  c.def(
      "conditional",
      [](const Gaussian& g, nb::handle known, nb::handle at) {
        return g.conditional(indices(known, "known"), values(at, "values"));
      },
      "known"_a, "values"_a, "The conditional of the other components given those in `known`.");
  c.def(
      "affine",
      [](const Gaussian& g, nb::handle a, nb::handle b) { return g.affine(matrix(a, "a"), values(b, "b")); },
      "a"_a, "b"_a, "The distribution of a x + b.");
  c.def(
      "plus", [](const Gaussian& g, nb::handle noise) { return g.plus(matrix(noise, "noise")); }, "noise"_a,
      "The distribution of x + e, e independent with this covariance.");
  c.def(
      "log_density", [](const Gaussian& g, nb::handle x) { return g.log_density(values(x, "x")); }, "x"_a,
      "The log density on the support; -inf off it.");
  c.def("entropy", &Gaussian::entropy, "The entropy in nats; -inf if the covariance is singular.");
  c.def(
      "mutual_information",
      [](const Gaussian& g, nb::handle a, nb::handle b) {
        return g.mutual_information(indices(a, "a"), indices(b, "b"));
      },
      "a"_a, "b"_a, "Mutual information of the components a and b, in nats.");
  c.def("sample", &Gaussian::sample, "n"_a, "seed"_a, nb::call_guard<nb::gil_scoped_release>(),
        "components x n draws.");
  c.def(
      "ellipse",
      [](const Gaussian& g, double percent, Index count) {
        internal::check_percent(percent, "percent");
        return g.ellipse(percent, count);
      },
      "percent"_a, "count"_a = 101, "The ellipse of two components: 2 x count points.");
}

}  // namespace

void bind_gaussian(nb::module_& m) {
  nb::class_<Gaussian> c(m, "Gaussian", "The multivariate normal distribution N(mean, covariance).");
  c.def(
      "__init__",
      [](Gaussian* g, const nb::args& args, const nb::kwargs& kwargs) {
        const Arguments a("Gaussian", {"mean", "covariance"}, 2, args, kwargs);
        new (g) Gaussian(values(a.needed("mean"), "mean"), matrix(a.needed("covariance"), "covariance"));
      },
      nb::sig("def __init__(self, mean: object, covariance: object) -> None"));
  add_parts(c);
  add_verbs(c);
  m.def("divergence", &divergence, "p"_a, "q"_a, "The Kullback-Leibler divergence of q from p, in nats.");
  m.def("wasserstein", &wasserstein, "p"_a, "q"_a, "The 2-Wasserstein distance.");
}

}  // namespace covary::python
