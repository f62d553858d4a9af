// The parts of the module: one function for each subject, called once by module.cc.
#pragma once
#include <nanobind/nanobind.h>

#include "covary/kernels/kernel.h"

namespace covary::python {

namespace nb = nanobind;

/// The kernel over these columns, in their order. Throws Problem::usage if it names columns and none are
/// given.
Kernel<Row> placed(const Kernel<Row>& k, const std::vector<std::string>& columns);

/// covary::Error as Python's exceptions, with the core's message.
void bind_errors(nb::module_& m);
/// Kernel and the parser.
void bind_kernels(nb::module_& m);
/// The registries, and kernels by name.
void bind_registry(nb::module_& m);
/// function(...) and on(...).
void bind_functions(nb::module_& m);
/// Schema: the types of columns, and their rows as numbers and codes.
void bind_schema(nb::module_& m);
/// RecordKernel: kernels that read columns by their types.
void bind_record_kernels(nb::module_& m);
/// Gaussian.
void bind_gaussian(nb::module_& m);
/// Model: what learning returns and files hold.
void bind_models(nb::module_& m);
/// prior(...): a model that has seen no rows.
void bind_priors(nb::module_& m);
/// evidence(...): the marginal likelihood at any parameters.
void bind_evidence(nb::module_& m);
/// Tied and ReparametrizedPosterior: a process in parameters of the caller's choosing.
void bind_tied(nb::module_& m);
/// learn(...), which Ctrl-C stops.
void bind_learning(nb::module_& m);
/// learn_linear(...) and learn_kernel_ridge(...).
void bind_linear(nb::module_& m);
/// Points for pictures.
void bind_slices(nb::module_& m);
/// Field: what placement believes.
void bind_fields(nb::module_& m);
/// place(...) and its criteria.
void bind_placement(nb::module_& m);
/// Selector and the strategies.
void bind_selector(nb::module_& m);
/// suggest_over(...) and gradients(...).
void bind_optimization(nb::module_& m);
/// Posterior densities, and the search for them.
void bind_posteriors(nb::module_& m);
/// label_pool(...): labels for all of a pool.
void bind_clusters(nb::module_& m);
/// Streams of numbers and of classes.
void bind_streams(nb::module_& m);
/// replay(...): strategies on data whose labels are known.
void bind_replay(nb::module_& m);
/// risk(...) and Stopping.
void bind_risk(nb::module_& m);
/// Separators of classes.
void bind_classifier(nb::module_& m);

}  // namespace covary::python
