// What to measure next in a domain, and gradients with respect to x.
#include <nanobind/eigen/dense.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bind.h"
#include "covary/design/suggest_over.h"
#include "covary/model/model_gradients.h"
#include "covary/model/records.h"
#include "watched.h"

namespace covary::python {
namespace {

using namespace nb::literals;

/// mean and variance, m x d each.
nb::tuple gradients(const FittedModel& m, nb::handle at, int threads) {
  const Points x(at, "X", Numbers::finite);
  InputGradients g;
  {
    const nb::gil_scoped_release free;
    g = input_gradients(m, x.rows(), threads);
  }
  return nb::make_tuple(std::move(g.mean), std::move(g.variance));
}

DomainAxis range_axis(const std::string& name, double lower, double upper, double step) {
  return {name, lower, upper, step};
}
DomainAxis list_axis(const std::string& name, const std::vector<std::string>& values) {
  if (values.empty())
    throw Error(Problem::usage, "domain of '" + name + "': expected a value or more, found none");
  return {name, 0, 0, 0, values};
}

/// Each row by the names of the columns; of categories what they are called.
nb::list points_of(const FittedModel& m, const Matrix& x) {
  const Schema schema = internal::schema_of(m->request, m->features);
  nb::list out;
  for (Index i = 0; i < x.rows(); ++i) {
    nb::dict point;
    for (Index k = 0; k < x.cols(); ++k)
      point[nb::str(schema[k].name.c_str())] = schema[k].codes
                                                   ? nb::object(nb::str(schema.text(k, x(i, k)).c_str()))
                                                   : nb::object(nb::float_(x(i, k)));
    out.append(point);
  }
  return out;
}

/// What `covary suggest --over` does. Ctrl-C stops it.
nb::dict suggested_over(const FittedModel& m, const std::vector<DomainAxis>& over, Index n,
                        const std::string& strategy, const std::vector<std::string>& where, bool minimize,
                        std::uint64_t seed, int threads) {
  const auto out = std::make_shared<DomainSuggestions>();
  SuggestOptions o{.count = n, .strategy = strategy};
  o.where = where;
  o.selector.minimize = minimize, o.selector.seed = seed, o.selector.threads = threads;
  watched([out, m, over, o](const Wanted&) { *out = suggest(m, over, o); });
  nb::dict d;
  d["X"] = out->x, d["scores"] = out->score, d["mean"] = out->mean, d["sd"] = out->sd;
  d["reasons"] = out->reasons, d["notes"] = out->notes, d["points"] = points_of(m, out->x);
  return d;
}

}  // namespace

void bind_optimization(nb::module_& m) {
  m.def("gradients", &gradients, "model"_a, "X"_a, "threads"_a,
        "Gradients of mean and variance with respect to X.");
  const nb::class_<DomainAxis> axis(m, "DomainAxis", "What one column of a domain may be.");
  m.def("range_axis", &range_axis, "name"_a, "lower"_a, "upper"_a, "step"_a);
  m.def("list_axis", &list_axis, "name"_a, "values"_a);
  m.def("suggest_over", &suggested_over, "model"_a, "over"_a, "n"_a, "strategy"_a, "where"_a, "minimize"_a,
        "seed"_a, "threads"_a, "What to measure next in a domain. Ctrl-C stops it.");
}

}  // namespace covary::python
