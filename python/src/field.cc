// The prior of a field, as placement takes it: of models, a kernel, a matrix or past readings.
#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bind.h"
#include "covary/design/field_prior.h"
#include "function.h"
#include "watched.h"

namespace covary::python {
namespace {

using namespace nb::literals;

/// make(wanted) where Ctrl-C stops it. What it uses it must own.
FieldPrior made(std::function<FieldPrior(const Wanted&)> make) {
  const auto out = std::make_shared<FieldPrior>();
  watched([out, make = std::move(make)](const Wanted& wanted) { *out = make(wanted); });
  return std::move(*out);
}

FieldPrior of_kernel(nb::handle kernel, nb::handle at, const std::vector<std::string>& columns, double nugget,
                     const std::optional<Schema>& schema) {
  const KernelText k = said(kernel);
  const Kernel<Row> of =
      schema ? parse(k.kernel, *schema, k.functions) : placed(nb::cast<const Kernel<Row>&>(kernel), columns);
  return field_prior(of, matrix(at, "candidates"), columns, {.nugget = nugget});
}

FieldPrior of_covariance(nb::handle covariance, double nugget) {
  return made([c = matrix(covariance, "covariance"), nugget](const Wanted&) {
    return field_prior(c, {.nugget = nugget});
  });
}

FieldPrior of_models(const std::vector<FittedModel>& models, nb::handle at, Index draws, std::uint64_t seed,
                     double nugget, bool noise_given, int threads) {
  const FieldOptions o{nugget, draws, noise_given, seed, threads};
  return made([models, x = matrix(at, "candidates"), o](const Wanted&) { return field_prior(models, x, o); });
}

/// Without a shrinkage it is chosen.
FieldPrior of_history(nb::handle readings, const std::vector<std::string>& names,
                      std::optional<double> shrinkage, double nugget, bool noisy,
                      const std::optional<Kernel<Row>>& kernel, nb::handle at,
                      const std::vector<std::string>& columns, std::uint64_t seed, int threads) {
  HistoryOptions o;
  if (shrinkage) o.shrinkage = *shrinkage;
  o.nugget = nugget, o.may_be_singular = noisy, o.names = names, o.threads = threads;
  std::optional<HistoryTarget> target;
  if (kernel) {
    target = HistoryTarget{placed(*kernel, columns), matrix(at, "candidates")};
    target->fit.seed = seed, target->fit.threads = threads, target->fit.columns = columns;
  }
  return made([r = matrix(readings, "history"), o, target](const Wanted& wanted) mutable {
    if (target) target->fit.progress = [wanted](const Progress&) { return wanted->load(); };
    return history_prior(r, o, target);
  });
}

}  // namespace

void bind_fields(nb::module_& m) {
  nb::class_<FieldPrior> c(m, "Field", "The prior of a field at n places.");
  c.def("__len__", [](const FieldPrior& f) { return f.plain.size; });
  c.def_ro("noise", &FieldPrior::noise, "A sensor's variance, as the model has it; else 0.");
  c.def_ro("mean", &FieldPrior::mean, "The mean of the readings; empty: unknown.");
  c.def_ro("notes", &FieldPrior::notes);
  c.def_ro("words", &FieldPrior::words, "Its source, in words.");
  c.def_static("of_kernel", &of_kernel, "kernel"_a, "X"_a, "columns"_a, "nugget"_a, "schema"_a = nb::none());
  c.def_static("of_covariance", &of_covariance, "covariance"_a, "nugget"_a);
  c.def_static("of_models", &of_models, "models"_a, "X"_a, "draws"_a, "seed"_a, "nugget"_a, "noise_given"_a,
               "threads"_a, "Given the models' data; several are averaged.");
  c.def_static("of_history", &of_history, "readings"_a, "names"_a, "shrinkage"_a.none(), "nugget"_a,
               "noisy"_a, "kernel"_a.none(), "X"_a.none(), "columns"_a, "seed"_a, "threads"_a,
               "From readings, times x places; drawn to the kernel if there is one.");
}

}  // namespace covary::python
