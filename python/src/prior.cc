#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bind.h"
#include "covary/kernels/expression.h"
#include "function.h"
#include "records/schema.h"
#include "task.h"

namespace covary::python {
namespace {

using namespace nb::literals;

/// A process before any data, over the columns of x. Throws Problem::usage for what it takes and was not
/// given.
FittedModel prior(nb::handle kernel, nb::handle mean, std::optional<double> noise, nb::handle x,
                  const std::optional<std::vector<std::string>>& names, const std::string& transform,
                  const std::optional<Schema>& schema) {
  const KernelText of = said(kernel);
  const Trend trend = trend_of(mean);
  ModelRecord m;
  m.x = Matrix(0, Points(x, "X").rows().cols()), m.y = Vector(0), m.target = "y";
  m.features = names_of(names, m.x);
  m.noise = noise ? Noise::of(*noise) : Noise::learn();
  m.kernel = m.request.kernel = m.summary.kernel = of.kernel;
  m.mean = m.request.mean = m.summary.mean = trend.text;
  m.request.data = "Python", m.request.functions = of.functions, m.request.mean_function = trend.function;
  m.request.transform = Transform(transform);
  m.request.noise = noise ? number_text(*noise) : "learn";
  m.request.schema = schema_or_none(schema);
  const Schema columns = internal::schema_of(m.request, m.features);
  Process<Row> process(parse(of.kernel, columns, of.functions), mean_of(trend.function, trend.text, columns),
                       m.noise);
  (void)process.mean(m.x);  // says what is missing
  return {std::move(m), std::move(process)};
}

}  // namespace

void bind_priors(nb::module_& m) {
  m.def("prior", &prior, "kernel"_a.none(), "mean"_a.none(), "noise"_a.none(), "X"_a, "features"_a.none(),
        "transform"_a = "", "schema"_a = nb::none(),
        "A model that has seen no rows, over the columns of X: every parameter must be given.");
}

}  // namespace covary::python
