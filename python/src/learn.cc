#include <nanobind/eigen/dense.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
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

/// One sd per row, a variance, or to be learned.
Noise noise_of(std::optional<double> variance, nb::handle sd) {
  if (!sd.is_none()) return Noise::rows(values(sd, "noise_sd"));
  return variance ? Noise::of(*variance) : Noise::learn();
}

std::string noise_text(std::optional<double> variance, nb::handle sd) {
  if (!sd.is_none()) return "column:noise_sd";
  return variance ? number_text(*variance) : "learn";
}

FittedModel learned(nb::handle x, nb::handle y, nb::handle kernel, nb::handle mean,
                    std::optional<double> noise, nb::handle noise_sd,
                    const std::optional<std::vector<std::string>>& names, const std::string& target,
                    const std::string& prior, const std::string& objective, int starts, std::uint64_t seed,
                    std::optional<double> max_seconds, int threads,
                    const std::map<std::string, std::pair<double, double>>& bounds,
                    const std::string& transform, const std::string& inference, const std::string& device,
                    const std::optional<Schema>& schema) {
  const Trend trend = trend_of(mean);
  const auto task = std::make_shared<FitTask>();
  task->data = training_data(x, y, names, target, noise_of(noise, noise_sd));
  FitOptions& o = task->options;
  o.prior = first_of("prior", prior, "weak", "none") ? Prior::weak : Prior::none;
  o.objective = first_of("objective", objective, "evidence", "leave-one-out") ? ObjectiveKind::evidence
                                                                              : ObjectiveKind::leave_one_out;
  o.starts = starts, o.seed = seed, o.threads = threads, o.bounds = bounds_of(bounds);
  if (max_seconds) o.max_seconds = *max_seconds;
  Request& a = task->request;
  const KernelText of = said(kernel);
  a.data = "Python", a.kernel = of.kernel, a.functions = of.functions;
  a.mean = trend.text, a.mean_function = trend.function, a.noise = noise_text(noise, noise_sd);
  a.transform = Transform(transform), a.schema = schema_or_none(schema);
  a.prior = o.prior, a.objective = o.objective, a.starts = starts, a.seed = seed;
  a.inference = internal::on_device(inference, device);
  return run(task);
}

}  // namespace

void bind_learning(nb::module_& m) {
  m.def("learn", &learned, "X"_a, "y"_a, nb::kw_only(), "kernel"_a.none(), "mean"_a.none(), "noise"_a.none(),
        "noise_sd"_a.none(), "features"_a.none(), "target"_a, "prior"_a, "objective"_a, "starts"_a, "seed"_a,
        "max_seconds"_a.none(), "threads"_a, "bounds"_a, "transform"_a = "", "inference"_a = "auto",
        "device"_a = "cpu", "schema"_a = nb::none(), "Learns a model. Ctrl-C stops it.");
  m.def("default_names", &default_names, "count"_a, "x1, x2, ...");
  m.def("finish", &finish_watched, "Waits for work that Ctrl-C gave up; called at exit.");
}

}  // namespace covary::python
