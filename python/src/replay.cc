// Labelling replayed on data whose labels are known: what each strategy would have cost.
#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "arrays.h"
#include "bind.h"
#include "covary/base/error.h"
#include "covary/kernels/expression.h"
#include "covary/kernels/function.h"
#include "covary/select/curves.h"
#include "covary/select/replay_stream.h"
#include "watched.h"

namespace covary::python {
namespace {

using namespace nb::literals;

/// What was asked, and what came of it; owned, because it may go on for a moment after Ctrl-C.
struct Task {
  ReplayData data;
  Model<Row> model;
  ReplayOptions options;
  std::optional<internal::StreamMemory> stream;  // points pass by once
  std::optional<double> reach;                   // an error; none: the baseline's at the end

  std::vector<Trial> trials;
  std::vector<LearningCurve> curves;
  std::vector<internal::Comparison> compared;
  size_t baseline = 0;

  void run(const Wanted& wanted) {
    options.progress = [wanted](double) { return wanted->load(); };
    trials = stream ? replay_stream(data, model, options, *stream) : replay(data, model, options);
    curves = learning_curves(trials);
    baseline = internal::baseline_of(curves);
    const Vector& mean = curves[baseline].mean;
    if (!reach) reach = mean[mean.size() - 1];
    compared = covary::internal::compared(curves, baseline, *reach);
  }
};

/// One list for each thing that is known of a step.
nb::dict described(const Trial& t) {
  std::vector<Index> labels, rows, open;
  std::vector<bool> by_chance;
  const auto n = std::ssize(t.steps);
  Vector probability(n), spent(n), surprise(n), error(n), largest_sd(n);
  for (Index i = 0; i < n; ++i) {
    const Step& s = t.steps[static_cast<size_t>(i)];
    labels.push_back(s.labels), rows.push_back(s.row), open.push_back(s.open);
    by_chance.push_back(s.by_chance), probability[i] = s.probability, spent[i] = s.spent;
    surprise[i] = s.surprise, error[i] = s.error, largest_sd[i] = s.largest_sd;
  }
  nb::dict d;
  d["strategy"] = t.strategy, d["repeat"] = t.repeat, d["stopped"] = t.stopped, d["labels"] = labels;
  d["rows"] = rows, d["open"] = open, d["by_chance"] = by_chance, d["probability"] = probability;
  d["spent"] = spent, d["surprise"] = surprise, d["error"] = error, d["largest_sd"] = largest_sd;
  return d;
}

nb::dict described(const LearningCurve& curve, const internal::Comparison& c) {
  nb::dict d;
  d["strategy"] = curve.strategy, d["labels"] = curve.labels, d["errors"] = curve.errors;
  d["mean"] = curve.mean, d["lower"] = curve.lower, d["upper"] = curve.upper;
  d["mean_error"] = c.area, d["labels_to_reach"] = c.labels, d["share_of_baseline"] = c.share;
  d["last_error"] = c.last, d["wins"] = c.wins, d["p"] = c.p;
  return d;
}

nb::dict described(const Task& task) {
  nb::list runs, curves;
  for (const Trial& t : task.trials) runs.append(described(t));
  for (size_t i = 0; i < task.curves.size(); ++i) curves.append(described(task.curves[i], task.compared[i]));
  nb::dict d;
  d["runs"] = runs, d["curves"] = curves, d["reach"] = *task.reach;
  d["baseline"] = task.curves[task.baseline].strategy;
  return d;
}

ReplayData data_of(nb::handle x, nb::handle y, Index kinds, nb::handle cost, nb::handle test_x,
                   nb::handle test_y) {
  ReplayData d{matrix(x, "X", Numbers::finite), values(y, "y", Numbers::finite), kinds};
  if (!cost.is_none()) d.cost = values(cost, "costs");
  if (!test_x.is_none())
    d.test_x = matrix(test_x, "X_test", Numbers::finite),
    d.test_y = values(test_y, "y_test", Numbers::finite);
  return d;
}

Model<Row> model_of(const std::string& kernel, const std::string& mean, std::optional<double> noise,
                    const std::vector<std::string>& names, const std::optional<Schema>& schema) {
  const Schema columns = schema ? *schema : Schema(names);
  return {parse(kernel, columns), parse_mean(mean, columns), noise ? Noise::of(*noise) : Noise::learn()};
}

nb::dict replayed(const ReplayData& data, const Model<Row>& model, const ReplayOptions& options,
                  std::optional<Index> memory, const std::string& forget, std::optional<double> reach) {
  const auto task = std::make_shared<Task>(Task{data, model, options, {}, reach, {}, {}, {}});
  if (forget != "redundant" && forget != "oldest")
    throw Error(Problem::usage, "forget: expected 'redundant' or 'oldest', found '" + forget + "'");
  if (memory) task->stream = {*memory, forget == "oldest" ? Forget::oldest : Forget::redundant};
  watched([task](const Wanted& wanted) { task->run(wanted); });
  return described(*task);
}

void add_options(nb::class_<ReplayOptions>& c) {
  c.def(nb::init<>());
  c.def_rw("strategies", &ReplayOptions::strategies).def_rw("budget", &ReplayOptions::budget);
  c.def_rw("start", &ReplayOptions::start).def_rw("batch", &ReplayOptions::batch);
  c.def_rw("repeats", &ReplayOptions::repeats).def_rw("test_share", &ReplayOptions::test_share);
  c.def_rw("random_share", &ReplayOptions::random_share).def_rw("relearn", &ReplayOptions::relearn);
  c.def_rw("penalty", &ReplayOptions::penalty).def_rw("seed", &ReplayOptions::seed);
  c.def_rw("threads", &ReplayOptions::threads).def_rw("minimize", &ReplayOptions::minimize);
  c.def(
      "stop",
      [](ReplayOptions& o, double largest_sd, double gain, double change, int rounds) {
        o.stop = {largest_sd, gain, change, rounds};
      },
      "largest_sd"_a = 0.0, "gain"_a = 0.0, "change"_a = 0.0, "rounds"_a = 3);
}

}  // namespace

void bind_replay(nb::module_& m) {
  nb::class_<ReplayOptions> options(m, "ReplayOptions");
  add_options(options);
  nb::class_<ReplayData>(m, "ReplayData");
  m.def("replay_data", &data_of, "X"_a, "y"_a, "kinds"_a, "costs"_a.none(), "X_test"_a.none(),
        "y_test"_a.none());
  nb::class_<Model<Row>>(m, "ReplayModel", "A kernel, a trend and a noise, before anything is learned.");
  m.def("replay_model", &model_of, "kernel"_a, "mean"_a, "noise"_a.none(), "columns"_a,
        "schema"_a = nb::none());
  m.def("replay", &replayed, "data"_a, "model"_a, "options"_a, "memory"_a.none(), "forget"_a,
        "reach"_a.none(), "Strategies on data whose labels are known; memory: in a stream. Ctrl-C stops it.");
}

}  // namespace covary::python
