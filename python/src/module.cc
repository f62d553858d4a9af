// covary._covary: the core as Python sees it. No mathematics here: each function hands over to the core.
#include <nanobind/stl/string.h>

#include "bind.h"
#include "covary/base/row_names.h"
#include "covary/base/runtime.h"

NB_MODULE(_covary, m) {
  covary::internal::name_rows_by_index();
  m.doc() = "Gaussian processes: the core. Use the package covary instead.";
  m.def(
      "machine", [] { return covary::internal::machine().text(); },
      "The numerical libraries in use: BLAS, its kernels, threads.");
  covary::python::bind_errors(m);
  covary::python::bind_kernels(m);
  covary::python::bind_registry(m);
  covary::python::bind_functions(m);
  covary::python::bind_schema(m);
  covary::python::bind_record_kernels(m);
  covary::python::bind_gaussian(m);
  covary::python::bind_models(m);
  covary::python::bind_priors(m);
  covary::python::bind_evidence(m);
  covary::python::bind_tied(m);
  covary::python::bind_learning(m);
  covary::python::bind_linear(m);
  covary::python::bind_slices(m);
  covary::python::bind_fields(m);
  covary::python::bind_placement(m);
  covary::python::bind_classifier(m);
  covary::python::bind_selector(m);
  covary::python::bind_optimization(m);
  covary::python::bind_clusters(m);
  covary::python::bind_streams(m);
  covary::python::bind_posteriors(m);
  covary::python::bind_replay(m);
  covary::python::bind_risk(m);
}
