#include "covary/svm/classifier.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bind.h"
#include "covary/base/error.h"
#include "covary/kernels/function.h"
#include "covary/model/classifier_file.h"
#include "covary/select/replay.h"
#include "function.h"
#include "watched.h"

namespace covary::python {
namespace {

using namespace nb::literals;
using Machine = Classifier<Row>;

/// Everything training needs, owned.
struct Task {
  Kernel<Row> kernel;
  Matrix x;
  std::vector<Index> label;
  SvmOptions options;
  std::optional<Machine> before, result;

  void run() { result = Machine::train(kernel, x, label, options, before ? &*before : nullptr); }
};

/// The kernel in full: what it leaves open comes from the spreads of the columns.
Kernel<Row> scaled(nb::handle kernel, nb::handle at, const std::vector<std::string>& columns,
                   const std::optional<Schema>& schema) {
  const Points x(at, "X", Numbers::finite);
  const KernelText k = said(kernel);
  return internal::scaled_to(parse(k.kernel, schema ? *schema : Schema(columns), k.functions), x.rows());
}

/// `before`: of the first of these rows, with the same kernel; then only what is new costs.
Machine trained(const Kernel<Row>& kernel, nb::handle at, const std::vector<Index>& label,
                const std::vector<std::string>& columns, double penalty, double tolerance,
                const Machine* before, int threads, const std::optional<Schema>& schema) {
  const auto task =
      std::make_shared<Task>(Task{schema ? kernel : placed(kernel, columns),
                                  matrix(at, "X", Numbers::finite),
                                  label,
                                  {.penalty = penalty, .tolerance = tolerance, .threads = threads},
                                  {},
                                  {}});
  if (before) task->before = *before;
  watched([task](const Wanted&) { task->run(); });
  return std::move(*task->result);
}

Matrix decided(const Machine& c, nb::handle at, int threads) {
  const Points x(at, "X", Numbers::finite);
  const nb::gil_scoped_release free;
  return c.decision(x.rows(), threads);
}

std::vector<Index> predicted(const Machine& c, nb::handle at, int threads) {
  const Points x(at, "X", Numbers::finite);
  const nb::gil_scoped_release free;
  return c.predict(x.rows(), threads);
}

nb::dict separator(const Machine& c, Index which) {
  const internal::Separator& s = c.machine(which);
  nb::dict d;
  d["support"] = s.support, d["weights"] = s.weights, d["offset"] = s.offset, d["margin"] = s.margin;
  return d;
}

/// Everything it takes to have a classifier again, in a file.
void kept(const std::string& path, const Kernel<Row>& kernel, const std::string& asked, double penalty,
          double tolerance, const std::vector<std::string>& features,
          const std::vector<internal::ClassName>& classes, nb::handle at, const std::vector<Index>& label) {
  if (const Functions own = internal::functions_in(kernel); !own.empty())
    throw Error(Problem::usage, "the kernel uses '" + own[0]->name +
                                    "', a function of this program: a classifier file cannot hold it");
  const SavedClassifier s{.kernel = placed(kernel, features).text(),
                          .asked = asked,
                          .options = {.penalty = penalty, .tolerance = tolerance},
                          .features = features,
                          .classes = classes,
                          .x = matrix(at, "X"),
                          .label = label};
  const nb::gil_scoped_release free;
  save_classifier(s, path);
}

nb::dict read_back(const std::string& path) {
  const SavedClassifier s = load_classifier(path);
  nb::dict d;
  d["kernel"] = s.kernel, d["asked"] = s.asked, d["penalty"] = s.options.penalty;
  d["tolerance"] = s.options.tolerance, d["features"] = s.features, d["classes"] = s.classes;
  d["X"] = s.x, d["label"] = s.label;
  return d;
}

}  // namespace

void bind_classifier(nb::module_& m) {
  nb::class_<Machine> c(m, "Classifier",
                        "Classes 0, 1, ... told apart by support vector machines. Immutable.");
  c.def("decision", &decided, "X"_a, "threads"_a = 0, "rows x classes: f of each against the rest.");
  c.def("predict", &predicted, "X"_a, "threads"_a = 0, "The class of each row.");
  c.def("separator", &separator, "class_"_a, "support, weights, offset, margin.");
  c.def_prop_ro("notes", &Machine::notes);
  m.def("scaled", &scaled, "kernel"_a, "X"_a, "columns"_a, "schema"_a = nb::none(),
        "The kernel in full, from the columns' spreads.");
  m.def("train", &trained, "kernel"_a, "X"_a, "label"_a, nb::kw_only(), "columns"_a, "penalty"_a,
        "tolerance"_a, "before"_a.none(), "threads"_a, "schema"_a = nb::none(),
        "A classifier. Ctrl-C stops it.");
  m.def("save_classifier", &kept, "path"_a, nb::kw_only(), "kernel"_a, "asked"_a, "penalty"_a, "tolerance"_a,
        "features"_a, "classes"_a, "X"_a, "label"_a, "Writes a classifier file, whole or not at all.");
  m.def("load_classifier", &read_back, "path"_a, "What save_classifier was given.");
  m.def("is_classifier_file", &internal::is_classifier_file, "path"_a, "Whether a file begins as one.");
}

}  // namespace covary::python
