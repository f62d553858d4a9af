#include "field.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "arrays.h"
#include "bind.h"
#include "covary/base/error.h"
#include "covary/kernels/compose.h"
#include "covary/learn/parameter_draws.h"
#include "covary/place/history.h"
#include "covary/place/history_kernel.h"
#include "model.h"
#include "watched.h"

namespace covary::python {
namespace {

using namespace nb::literals;

FieldBelief believed(Field field, double nugget) {
  FieldBelief out;
  out.plain = with_nugget(std::move(field), nugget);
  out.fields = {out.plain};
  return out;
}

/// Runs make(wanted) where Ctrl-C stops it. What it uses it must own.
FieldBelief made(std::function<FieldBelief(const Wanted&)> make) {
  const auto out = std::make_shared<FieldBelief>();
  watched([out, make = std::move(make)](const Wanted& wanted) { *out = make(wanted); });
  return std::move(*out);
}

FieldBelief of_kernel(const Kernel<Row>& kernel, nb::handle at, const std::vector<std::string>& columns,
                      double nugget) {
  const Kernel<Row> k = placed(kernel, columns);
  for (const Parameter& p : k.parameters())
    if (std::isnan(p.value))
      throw Error(Problem::usage, "kernel: '" + full_name(p, columns) +
                                      "' is not given, and without a history there is nothing to learn from: "
                                      "write all, as in '2 * matern52(lengthscale=3)', or give a model");
  return believed(field_of<Row>(k, matrix(at, "candidates")), nugget);
}

FieldBelief of_covariance(nb::handle covariance, double nugget) {
  Matrix c = matrix(covariance, "covariance");
  return made([c = std::move(c), nugget](const Wanted&) { return believed(field_of(c), nugget); });
}

/// Everything the models need, owned.
struct OfModels {
  std::vector<FittedModel> models;
  Matrix x;
  Index draws;
  std::uint64_t seed;
  double nugget;
  bool says_noise;
  int threads;

  const Process<Row>& process(const FittedModel& m) const { return gaussian_process(m, "place", threads); }
  Field field(const Process<Row>& p, double scale) const {
    return with_nugget(field_of(p, x, threads, scale), nugget);
  }
  std::vector<Field> drawn(const FittedModel& m) const {
    const Vector y = m->latent_target();
    std::vector<Field> out;
    for (const Process<Row>& p : parameter_draws<Row>(process(m), m->x, y, draws, seed))
      out.push_back(field(p.condition(m->x, y, threads), m->scale));
    return out;
  }
  void take_noise(FieldBelief& out, const ModelRecord& m) const {
    if (m.noise.is_given()) out.noise = m.scale * m.scale * m.noise.variance;
    if (m.noise.per_row() && !says_noise)
      throw Error(Problem::usage,
                  "noise is needed: this model has one noise for each row, and says nothing of sensors to "
                  "come");
  }
  FieldBelief run() const {
    FieldBelief out;
    for (const FittedModel& m : models) out.fields.push_back(field(process(m), m->scale));
    const FittedModel& first = models.front();
    out.plain = out.fields.front();
    out.mean = first->scale * process(models.front()).mean(x, threads);
    take_noise(out, first.record());
    if (draws > 0) out.fields = drawn(models.front());
    return out;
  }
};

FieldBelief of_models(const std::vector<FittedModel>& models, nb::handle at, Index draws, std::uint64_t seed,
                      double nugget, bool says_noise, int threads) {
  const auto task = std::make_shared<OfModels>(
      OfModels{models, matrix(at, "candidates"), draws, seed, nugget, says_noise, threads});
  return made([task](const Wanted&) { return task->run(); });
}

/// Everything past readings need, owned.
struct OfHistory {
  Matrix readings, x;
  std::optional<Kernel<Row>> kernel;  // over x: learned, and the target
  HistoryOptions options;
  FitOptions fit;

  void learn_target(FieldBelief& out) {
    const HistoryCovariance sample = sample_covariance(readings, options.names);
    const HistoryKernel<Row> learned =
        kernel_from_history<Row>(*kernel, x, sample.covariance, double(sample.times - 1), fit);
    out.notes = learned.summary.notes;
    out.notes.push_back("learned from the history: " + learned.kernel.text() + " and a nugget of " +
                        number_text(learned.nugget));
    options.target = learned.kernel.cross(x, x);
    options.target.diagonal().array() += learned.nugget;
  }
  FieldBelief run(const Wanted& wanted) {
    fit.progress = [wanted](const Progress&) { return wanted->load(); };
    FieldBelief learned;
    if (kernel) learn_target(learned);
    HistoryCovariance h = from_history(readings, options);
    FieldBelief out = believed(field_of(std::move(h.covariance)), options.nugget);
    out.mean = std::move(h.mean), out.notes = std::move(learned.notes);
    out.notes.insert(out.notes.end(), h.notes.begin(), h.notes.end());
    out.times = h.times, out.shrinkage = h.shrinkage;
    if (h.singular && h.shrinkage == 0)
      out.notes.emplace_back(
          "so few times for so many places: covariances this uncertain are better shrunk; "
          "shrinkage='auto' says how far");
    return out;
  }
};

/// Without a shrinkage it is chosen.
FieldBelief of_history(nb::handle readings, const std::vector<std::string>& names,
                       std::optional<double> shrinkage, double nugget, bool noisy,
                       const std::optional<Kernel<Row>>& kernel, nb::handle at,
                       const std::vector<std::string>& columns, std::uint64_t seed, int threads) {
  const auto task = std::make_shared<OfHistory>();
  task->readings = matrix(readings, "history");
  if (kernel) task->kernel = placed(*kernel, columns), task->x = matrix(at, "candidates");
  HistoryOptions& o = task->options;
  if (shrinkage) o.shrinkage = *shrinkage;
  o.nugget = nugget, o.may_be_singular = noisy, o.names = names, o.threads = threads;
  task->fit.seed = seed, task->fit.threads = threads, task->fit.columns = columns;
  return made([task](const Wanted& wanted) { return task->run(wanted); });
}

}  // namespace

void bind_fields(nb::module_& m) {
  nb::class_<FieldBelief> c(m, "Field", "What is believed of a field at n places.");
  c.def("__len__", [](const FieldBelief& b) { return b.plain.size; });
  c.def_ro("noise", &FieldBelief::noise, "A sensor's variance, as the model has it; else 0.");
  c.def_ro("mean", &FieldBelief::mean, "What readings are expected to be; empty: nothing says it.");
  c.def_ro("notes", &FieldBelief::notes);
  c.def_ro("times", &FieldBelief::times, "Of the history.");
  c.def_ro("shrinkage", &FieldBelief::shrinkage, "That was used.");
  c.def_static("of_kernel", &of_kernel, "kernel"_a, "X"_a, "columns"_a, "nugget"_a);
  c.def_static("of_covariance", &of_covariance, "covariance"_a, "nugget"_a);
  c.def_static("of_models", &of_models, "models"_a, "X"_a, "draws"_a, "seed"_a, "nugget"_a, "says_noise"_a,
               "threads"_a, "Given the models' data; several are averaged.");
  c.def_static("of_history", &of_history, "readings"_a, "names"_a, "shrinkage"_a.none(), "nugget"_a,
               "noisy"_a, "kernel"_a.none(), "X"_a.none(), "columns"_a, "seed"_a, "threads"_a,
               "From readings, times x places; drawn to the kernel if there is one.");
}

}  // namespace covary::python
