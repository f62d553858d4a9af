#include <nanobind/eigen/dense.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bind.h"
#include "covary/base/error.h"
#include "covary/kernels/compose.h"
#include "function.h"
#include "records/schema.h"
#include "task.h"

namespace covary::python {
namespace {

using namespace nb::literals;
using Names = std::optional<std::vector<std::string>>;
using WordOrNumber = std::variant<double, std::string>;

/// As it would be typed.
std::string typed(const WordOrNumber& v) {
  const double* number = std::get_if<double>(&v);
  return number ? number_text(*number) : std::get<std::string>(v);
}

Side side_of(const std::string& word) {
  if (word == "auto") return Side::automatic;
  if (word == "weights") return Side::weights;
  if (word == "functions") return Side::functions;
  throw Error(Problem::usage, "side: expected 'auto', 'weights' or 'functions', found '" + word + "'");
}

/// With the rows and what they are called, and what the command asks for if nothing else is.
std::shared_ptr<FitTask> task_of(const std::string& model, nb::handle x, nb::handle y, const Names& names,
                                 const std::string& target, int threads,
                                 const std::optional<Schema>& schema) {
  auto task = std::make_shared<FitTask>();
  task->data = training_data(x, y, names, target, Noise::learn());
  task->request.data = "Python", task->request.model = model, task->request.mean = "constant";
  task->request.kernel = "matern52()", task->request.noise = "learn";
  task->request.schema = schema_or_none(schema);
  task->options.threads = threads;
  return task;
}

FittedModel learn_linear(nb::handle x, nb::handle y, const std::string& model, const std::string& basis,
                         const WordOrNumber& penalty, const WordOrNumber& prior_sd, const WordOrNumber& noise,
                         bool intercept, bool standardize, const std::string& side,
                         const std::string& undetermined, const Names& names, const std::string& target,
                         int threads, const std::optional<Schema>& schema) {
  const auto task = task_of(model, x, y, names, target, threads, schema);
  Request& a = task->request;
  a.basis = basis, a.intercept = intercept, a.standardize = standardize;
  a.penalty = typed(penalty), a.prior_sd = typed(prior_sd), a.noise = typed(noise), a.side = side_of(side);
  a.undetermined = first_of("undetermined", undetermined, "error", "smallest") ? Undetermined::error
                                                                               : Undetermined::minimum_norm;
  internal::check(a);
  return run(task);
}

FittedModel learn_kernel_ridge(nb::handle x, nb::handle y, nb::handle kernel, nb::handle mean,
                               const WordOrNumber& penalty, const Names& names, const std::string& target,
                               const std::string& prior, int starts, std::uint64_t seed,
                               std::optional<double> max_seconds, int threads,
                               const std::map<std::string, std::pair<double, double>>& bounds,
                               const std::optional<Schema>& schema) {
  const auto task = task_of("kernel-ridge", x, y, names, target, threads, schema);
  const Trend trend = trend_of(mean);
  task->request.mean = trend.text, task->request.mean_function = trend.function;
  FitOptions& o = task->options;
  o.prior = first_of("prior", prior, "weak", "none") ? Prior::weak : Prior::none;
  o.starts = starts, o.seed = seed, o.bounds = bounds_of(bounds);
  if (max_seconds) o.max_seconds = *max_seconds;
  const KernelText of = said(kernel);
  Request& a = task->request;
  a.kernel = of.kernel, a.functions = of.functions;
  a.penalty = typed(penalty), a.prior = o.prior, a.starts = starts, a.seed = seed;
  internal::check(a);
  return run(task);
}

}  // namespace

void bind_linear(nb::module_& m) {
  m.def("learn_linear", &learn_linear, "X"_a, "y"_a, nb::kw_only(), "model"_a, "basis"_a, "penalty"_a,
        "prior_sd"_a, "noise"_a, "intercept"_a, "standardize"_a, "side"_a, "undetermined"_a,
        "features"_a.none(), "target"_a, "threads"_a, "schema"_a = nb::none(),
        "Learns weights of explicit features: model is linear, ridge or bayes. Ctrl-C stops it.");
  m.def("learn_kernel_ridge", &learn_kernel_ridge, "X"_a, "y"_a, nb::kw_only(), "kernel"_a.none(),
        "mean"_a.none(), "penalty"_a, "features"_a.none(), "target"_a, "prior"_a, "starts"_a, "seed"_a,
        "max_seconds"_a.none(), "threads"_a, "bounds"_a, "schema"_a = nb::none(),
        "Learns kernel ridge regression. Ctrl-C stops it.");
}

}  // namespace covary::python
