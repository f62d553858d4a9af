#include "model.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>

#include "arrays.h"
#include "bind.h"
#include "covary/base/error.h"
#include "covary/base/percent.h"
#include "covary/evaluate/cross_validation.h"
#include "covary/evaluate/forward.h"
#include "covary/model/marginalized.h"
#include "covary/model/records.h"
#include "covary/predictive/score.h"
#include "covary/table/slices.h"
#include "function.h"
#include "records/record_kernel.h"

namespace covary::python {
namespace {

using namespace nb::literals;

/// f or y. Throws Problem::usage for any other word, and for y where the noise was not given nor learned.
Of of_word(const FittedModel& m, const std::string& of) {
  if (of == "f") return Of::f;
  if (of == "y" && !m->weights && m->noise.is_learned())
    throw Error(Problem::usage, "noise: it was not given, and there are no data to fit it to");
  if (of == "y") return Of::y;
  throw Error(Problem::usage, "of: expected 'f' (the function) or 'y' (an observation), found '" + of + "'");
}

/// Throws unless x has the columns of the model.
void check_columns(const FittedModel& m, const Rows& x) {
  if (x.cols() == std::ssize(m->features)) return;
  throw Error(Problem::usage, "X: expected " + std::to_string(m->features.size()) +
                                  " columns, as the model has, found " + std::to_string(x.cols()));
}

Vector mean_alone(const FittedModel& m, const Rows& x, int threads) {
  const nb::gil_scoped_release free;
  return m.mean(x, threads);
}

/// How many sds a calibrated interval reaches either way.
double calibrated_reach(const FittedModel& m, double percent, int threads) {
  try {
    return calibration(m, threads).factor(percent);
  } catch (const Error& e) {  // too few rows are no lack of memory
    throw Error(e.problem() == Problem::limit ? Problem::data : e.problem(), e.what());
  }
}

void check_calibrated(bool calibrated, Of of, bool interval) {
  if (!calibrated) return;
  if (!interval)
    throw Error(Problem::usage, "calibrated: expected an interval, in percent: interval=95, found none");
  if (of == Of::f)
    throw Error(Problem::usage, "calibrated: such intervals are of observations: leave of='f' out");
}

/// Throws unless a mixture can answer what else is asked for.
void check_marginalized(Index draws, bool sd, bool calibrated) {
  if (draws < 0 || draws == 1)
    throw Error(Problem::usage,
                "marginalize: expected True, or 2 draws or more, found " + std::to_string(draws));
  if (draws > 0 && (calibrated || !sd))
    throw Error(Problem::usage,
                std::string("marginalize: expected neither calibrated=True nor sd=False, found ") +
                    (calibrated ? "calibrated=True" : "sd=False"));
}

/// mean, sd, lower, upper; the last two None without an interval, the last three without sd.
nb::tuple predict(const FittedModel& m, nb::handle at, const std::string& of, std::optional<double> interval,
                  bool sd, int threads, bool calibrated, Index draws, std::uint64_t seed) {
  const Of what = of_word(m, of);
  check_marginalized(draws, sd, calibrated);
  if (interval) internal::check_percent(*interval);
  check_calibrated(calibrated, what, interval.has_value());
  const Points x(at, "X", Numbers::finite);
  check_columns(m, x.rows());
  if (!sd && interval) throw Error(Problem::usage, "interval: expected none with sd=False");
  if (!sd) return nb::make_tuple(mean_alone(m, x.rows(), threads), nb::none(), nb::none(), nb::none());
  Prediction p;
  Interval ends;
  {
    const nb::gil_scoped_release free;
    const double z = calibrated ? calibrated_reach(m, *interval, threads) : 0;
    p = draws > 0 ? MarginalizedModel(m, {.draws = draws, .seed = seed, .threads = threads})
                        .predict(x.rows(), what, threads)
                  : m.predict(x.rows(), what, threads);
    if (interval) ends = calibrated ? Interval{p.at(-z), p.at(z)} : p.interval(*interval);
  }
  if (!interval) return nb::make_tuple(std::move(p.mean), std::move(p.sd), nb::none(), nb::none());
  return nb::make_tuple(std::move(p.mean), std::move(p.sd), std::move(ends.lower), std::move(ends.upper));
}

Gaussian joint(const FittedModel& m, nb::handle at, const std::string& of, int threads) {
  const Of what = of_word(m, of);
  const Points x(at, "X", Numbers::finite);
  check_columns(m, x.rows());
  const nb::gil_scoped_release free;
  return m.joint(x.rows(), what, threads);
}

Matrix sample(const FittedModel& m, nb::handle at, Index draws, std::uint64_t seed, const std::string& of) {
  const Of what = of_word(m, of);
  const Points x(at, "X", Numbers::finite);
  check_columns(m, x.rows());
  if (draws < 1) throw Error(Problem::usage, "n: expected at least 1 draw, found " + std::to_string(draws));
  const nb::gil_scoped_release free;
  return m.sample(x.rows(), draws, seed, what);
}

/// The model given more rows, its parameters kept: what covary tell does.
FittedModel told(const FittedModel& m, nb::handle more_x, nb::handle more_y, int threads) {
  const Points x(more_x, "X", Numbers::finite);
  const Vector y = values(more_y, "y", Numbers::finite);
  check_columns(m, x.rows());
  const nb::gil_scoped_release free;
  return covary::told(m, x.rows(), y, {}, threads);
}

nb::dict described(const Scores& s) {
  nb::dict d, coverage;
  for (const Coverage& c : s.coverage) coverage[nb::float_(c.percent)] = c.covered();
  d["n"] = s.n, d["rmse"] = s.rmse, d["mae"] = s.mae, d["skill"] = s.skill, d["nlpd"] = s.nlpd;
  d["crps"] = s.crps, d["coverage"] = coverage, d["verdict"] = verdict(s);
  return d;
}

/// Each observation predicted from the others, and how good that was.
nb::dict check(const FittedModel& m, Index folds, bool refit, std::uint64_t seed, int threads) {
  if (m->y.size() < 2)
    throw Error(Problem::data, "check: at least two rows are needed to predict one from another");
  Prediction p;
  Scores s;
  Vector z;
  {
    const nb::gil_scoped_release free;
    p = left_out(m, {.folds = folds, .refit = refit, .seed = seed, .threads = threads});
    s = score(p, m->y);
    z = p.standardized(m->y);
  }
  nb::dict d = described(s);
  d["y"] = m->y, d["pit"] = p.cdf(m->y);
  d["mean"] = std::move(p.mean), d["sd"] = std::move(p.sd), d["standardized"] = std::move(z);
  return d;
}

/// Scores on rows that the model was not fitted to.
nb::dict check_on(const FittedModel& m, nb::handle at, nb::handle observed, nb::handle noise_sd,
                  int threads) {
  const Points x(at, "X");
  const Vector y = values(observed, "y");
  check_columns(m, x.rows());
  if (x.rows().rows() != y.size())
    throw Error(Problem::usage, "check: " + std::to_string(x.rows().rows()) + " rows of X and " +
                                    std::to_string(y.size()) + " observations");
  const Vector sd = noise_sd.is_none() ? Vector() : values(noise_sd, "noise_sd");
  Prediction p;
  Scores s;
  Vector z;
  {
    const nb::gil_scoped_release free;
    p = held_out(m, x.rows(), sd, threads);
    s = score(p, y), z = p.standardized(y);
  }
  nb::dict d = described(s);
  d["y"] = y, d["pit"] = p.cdf(y);
  d["mean"] = std::move(p.mean), d["sd"] = std::move(p.sd), d["standardized"] = std::move(z);
  return d;
}

/// Rolling-origin forecasts: scores, one entry for each forecast, and by horizon.
nb::dict forward(const FittedModel& m, Index column, double initial, Index horizon, Index origins, bool refit,
                 int threads) {
  Forecasts f;
  Scores s;
  Vector z;
  std::vector<HorizonScores> horizons;
  {
    const nb::gil_scoped_release free;
    f = roll_forward(m, {column, initial, horizon, origins, refit, threads});
    s = score(f.prediction, f.observed), z = f.prediction.standardized(f.observed);
    horizons = internal::by_horizon(f);
  }
  nb::dict d = described(s);
  nb::list by;
  for (const HorizonScores& h : horizons) {
    nb::dict each = described(h.model);
    each["from"] = h.from, each["to"] = h.to, each["naive_rmse"] = h.naive_rmse;
    by.append(each);
  }
  d["by_horizon"] = by, d["naive_rmse"] = internal::overall(f).naive_rmse, d["horizon"] = f.horizon;
  d["origins"] = f.last, d["row"] = f.row, d["origin"] = f.origin, d["step"] = f.step, d["naive"] = f.naive;
  d["y"] = f.observed, d["pit"] = f.prediction.cdf(f.observed);
  d["mean"] = std::move(f.prediction.mean), d["sd"] = std::move(f.prediction.sd);
  d["standardized"] = std::move(z);
  return d;
}

nb::dict described(const FittedParameter& p) {
  nb::dict d;
  d["name"] = p.name, d["value"] = p.value, d["lower"] = p.lower, d["upper"] = p.upper;
  d["fixed"] = p.fixed, d["at_bound"] = p.at_lower || p.at_upper, d["flat"] = p.flat;
  return d;
}

nb::list parameters(const FittedModel& m) {
  nb::list all;
  for (const FittedParameter& p : m->summary.parameters) all.append(described(p));
  return all;
}

nb::dict request(const FittedModel& m) {
  const Request& a = m->request;
  nb::dict d;
  d["model"] = a.model, d["kernel"] = a.kernel, d["noise"] = a.noise, d["mean"] = m->mean;
  d["prior"] = a.prior == Prior::weak ? "weak" : "none";
  d["inference"] = a.inference;
  d["objective"] = a.objective == ObjectiveKind::evidence ? "evidence" : "leave-one-out";
  d["starts"] = a.starts, d["seed"] = a.seed;
  d["penalty"] = a.penalty, d["basis"] = a.basis, d["prior_sd"] = a.prior_sd;
  d["intercept"] = a.intercept, d["standardize"] = a.standardize;
  d["side"] = a.side == Side::automatic ? "auto" : a.side == Side::weights ? "weights" : "functions";
  d["undetermined"] = a.undetermined == Undetermined::error ? "error" : "smallest";
  d["transform"] = a.transform.name();
  return d;
}

/// Name, value and sd of each.
nb::list described(const std::vector<Coefficient>& coefficients) {
  nb::list all;
  for (const Coefficient& c : coefficients) all.append(nb::make_tuple(c.name, c.value, c.sd));
  return all;
}

nb::dict types(const FittedModel& m) {
  const Schema& s = m->request.schema;
  nb::dict d;
  for (Index k = 0; k < s.size(); ++k) d[s[k].name.c_str()] = internal::type_summary(s, k, m->x);
  return d;
}

/// In words, the types of the columns first where they are not all numbers.
std::string summary(const FittedModel& m) {
  std::string out;
  const Schema& s = m->request.schema;
  for (Index k = 0; k < s.size(); ++k)
    out += (k == 0 ? "columns " : "; ") + s[k].name + ": " + internal::type_summary(s, k, m->x);
  return out + (out.empty() ? "" : "\n") + m.summary().text();
}

/// By column, the categories in x that no row of the model has.
nb::dict unseen(const FittedModel& m, nb::handle at) {
  const Points x(at, "X");
  check_columns(m, x.rows());
  nb::dict d;
  const Schema& s = m->request.schema;
  for (Index k = 0; k < s.size(); ++k)
    if (s[k].type == ColumnType::category)
      if (const auto texts = internal::new_texts(s, k, m->x, x.rows()); !texts.empty())
        d[s[k].name.c_str()] = texts;
  return d;
}

void add_parts(nb::class_<FittedModel>& c) {
  c.def_prop_ro(
      "kernel", [](const FittedModel& m) { return m->kernel; }, "Of y / scale, every parameter given.");
  c.def_prop_ro(
      "learned_kernel",
      [](const FittedModel& m) {
        const KernelText k{m->kernel, m->request.functions};
        return m->request.schema.size() > 0 ? kernel_object(k) : nb::cast(parsed(k, m->features));
      },
      "The same as a Kernel.");
  c.def_prop_ro("mean", [](const FittedModel& m) { return m->mean; });
  c.def_prop_ro(
      "noise_variance", [](const FittedModel& m) { return m.summary().noise_variance; },
      "Of y / scale; 0 if every row has its own.");
  c.def_prop_ro(
      "scale", [](const FittedModel& m) { return m->scale; },
      "1 unless squares of y would not fit into a number: a power of two.");
  c.def_prop_ro("features", [](const FittedModel& m) { return m->features; });
  c.def_prop_ro("target", [](const FittedModel& m) { return m->target; });
  c.def_prop_ro("x", [](const FittedModel& m) -> Matrix { return m->x; });
  c.def_prop_ro("y", [](const FittedModel& m) -> Vector { return m->y; });
  c.def_prop_ro("log_marginal_likelihood",
                [](const FittedModel& m) { return m->summary.log_marginal_likelihood; });
  c.def_prop_ro("notes", [](const FittedModel& m) { return m->summary.notes; });
  c.def_prop_ro("parameters", &parameters);
  c.def_prop_ro(
      "coefficients", [](const FittedModel& m) { return described(m.summary().coefficients); },
      "Name, value and sd of each weight; none of a process.");
  c.def_prop_ro(
      "trend", [](const FittedModel& m) { return described(internal::trend_coefficients(m)); },
      "Name, value and sd of each term of a process's mean that was learned.");
  c.def_prop_ro("residual_sd", [](const FittedModel& m) { return m.summary().residual_sd; });
  c.def_prop_ro("freedom", [](const FittedModel& m) {
    const Regression* r = m.regression();
    return r ? r->freedom() : std::numeric_limits<double>::infinity();
  });
  c.def_prop_ro(
      "schema",
      [](const FittedModel& m) {
        return m->request.schema.size() > 0 ? std::optional(m->request.schema) : std::nullopt;
      },
      "The types of the columns; None: they are numbers.");
  c.def_prop_ro("types", &types, "What a summary says of each column; none of numbers alone.");
  c.def_prop_ro(
      "approximate", [](const FittedModel& m) { return !m->weights && m.process().report().approximate; },
      "Whether its posterior approximates the exact one.");
  c.def_prop_ro("asked", &request, "The request: model, kernel, options.");
  c.def_prop_ro("summary", &summary);
}

void add_verbs(nb::class_<FittedModel>& c) {
  c.def("predict", &predict, "X"_a, "of"_a = "f", "interval"_a = nb::none(), "sd"_a = true, "threads"_a = 0,
        "calibrated"_a = false, "draws"_a = 0, "seed"_a = 1, "mean, sd, lower, upper.");
  c.def("unseen", &unseen, "X"_a, "By column, the categories of X that no row of the model has.");
  c.def("joint", &joint, "X"_a, "of"_a = "f", "threads"_a = 0, "The Gaussian of all rows together.");
  c.def("sample", &sample, "X"_a, "n"_a, "seed"_a, "of"_a = "f", "rows x n draws.");
  c.def("condition", &told, "X"_a, "y"_a, "threads"_a = 0, "The model given more rows, parameters kept.");
  c.def("check", &check, "folds"_a = 0, "refit"_a = false, "seed"_a = 1, "threads"_a = 0,
        "Each observation predicted from the others: scores, mean, sd, standardized.");
  c.def("check_on", &check_on, "X"_a, "y"_a, "noise_sd"_a = nb::none(), "threads"_a = 0,
        "The same of new rows.");
  c.def("forward", &forward, "column"_a, "initial"_a = 0.5, "horizon"_a = 0, "origins"_a = 10,
        "refit"_a = false, "threads"_a = 0, "Rolling-origin forecasts along a column.");
}

/// What pickle keeps: the model file, and the functions that no file can hold.
nb::object state(const FittedModel& m) {
  ModelRecord file = m.record();
  file.request.functions.clear(), file.request.mean_function.reset();
  nb::object kept = state_of(KernelText{model_text(FittedModel(std::move(file))), m->request.functions});
  if (!m->request.mean_function) return kept;
  return nb::make_tuple(kept, nb::none(), state_of(m->request.mean_function));
}

FittedModel from_state(const nb::object& state) {
  const bool has_mean = nb::isinstance<nb::tuple>(state) && nb::len(state) == 3;
  const KernelText s = said_from(has_mean ? nb::object(nb::cast<nb::tuple>(state)[0]) : state);
  const MeanFunction mean = has_mean ? mean_from(nb::cast<nb::tuple>(state)[2]) : nullptr;
  const nb::gil_scoped_release free;
  ModelRecord file = parse_model(s.kernel, "pickle").record();
  file.request.functions = s.functions, file.request.mean_function = mean;
  return conditioned(FittedModel(std::move(file)));
}

void add_files(nb::class_<FittedModel>& c) {
  c.def(
      "text", [](const FittedModel& m) { return model_text(m); }, "The model file as text.");
  c.def(
      "save", [](const FittedModel& m, const std::string& path) { save_model(m, path); }, "path"_a,
      nb::call_guard<nb::gil_scoped_release>());
  c.def_static(
      "load", [](const std::string& path) { return conditioned(load_model(path)); }, "path"_a,
      nb::call_guard<nb::gil_scoped_release>());
  c.def("__getstate__", &state);
  c.def("__setstate__", [](FittedModel& m, const nb::object& s) { new (&m) FittedModel(from_state(s)); });
  c.def("__copy__", [](const FittedModel& m) { return m; });
  c.def(
      "__deepcopy__", [](const FittedModel& m, nb::handle) { return m; }, "memo"_a);
}

}  // namespace

void bind_models(nb::module_& m) {
  m.def(
      "r_squared",
      [](nb::handle mean, nb::handle y) {
        return r_squared(values(mean, "mean"), values(y, "y", Numbers::finite));
      },
      "mean"_a, "y"_a, "R^2, as defined in scikit-learn.");
  nb::class_<FittedModel> c(m, "Model", "A model learned or loaded. Immutable: threads may share it.");
  add_parts(c);
  add_verbs(c);
  add_files(c);
}

void bind_slices(nb::module_& m) {
  m.def(
      "column_medians", [](nb::handle x) { return internal::column_medians(Points(x, "X").rows()); }, "X"_a,
      "The median of each column.");
  m.def(
      "slice_points",
      [](nb::handle at, Index moving, nb::handle to) {
        return internal::slice_points(values(at, "at"), moving, values(to, "to"));
      },
      "at"_a, "moving"_a, "to"_a, "Points that are `at` but for one column, which takes the values `to`.");
  m.def(
      "grid_points", [](nb::handle x, nb::handle y) { return grid_points(values(x, "x"), values(y, "y")); },
      "x"_a, "y"_a, "Every pair of values, the first moving fastest.");
}

}  // namespace covary::python
