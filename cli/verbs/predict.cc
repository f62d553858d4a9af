// covary predict: mean, standard deviation and intervals at the rows of a table, in blocks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "command.h"
#include "covary/base/error.h"
#include "covary/base/runtime.h"
#include "covary/evaluate/cross_validation.h"
#include "covary/model/model_file.h"
#include "inputs/grids.h"
#include "inputs/marginalize.h"
#include "inputs/model_inputs.h"
#include "inputs/tables.h"
#include "reports/prediction_writer.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr Index block = 8192;  // rows read, predicted and written at a time

struct PredictArguments {
  std::string model, points, grid, interval = "95", of = "f", out = "-", joint, missing = "error";
  CsvArguments csv;
  MarginalizeArguments marginalize;
  int threads = 0;
  std::string device = "cpu";
  bool calibrated = false, json = false, quiet = false;
  const CLI::Option* of_option = nullptr;
  const CLI::App* verb = nullptr;
};

void note_extra_columns(const Table& points, const FittedModel& model, Messages& messages) {
  check_columns(points, model);
  std::vector<std::string> extra;
  for (const std::string& name : points.names())
    if (std::find(model->features.begin(), model->features.end(), name) == model->features.end())
      extra.push_back(name);
  if (!extra.empty()) messages.note("copied, not used by the model: " + listed(extra));
}

/// The rows of a block that are predicted, and their inputs.
struct Selected {
  std::vector<Index> rows;
  Matrix x;
};

Selected select(const Table& points, const FittedModel& model, const PredictArguments& a) {
  const std::vector<std::string> used = needed_columns(model);
  if (a.missing == "error") refuse_missing(points, used);
  Selected s{internal::present_rows(points, used), {}};
  s.x = model_inputs(points, model, s.rows);
  return s;
}

/// How many rows there are, how many of them are predicted, and how many lack a value of each column.
struct Tally {
  Index rows = 0, predicted = 0;
  std::map<std::string, Index> lacking = {};

  void count_lacking(const Table& rows_read, const FittedModel& model) {
    for (const std::string& name : needed_columns(model))
      if (const Index n = std::ssize(rows_read.column(name).missing); n > 0) lacking[name] += n;
  }
};

/// Reads all rows once, so that an invalid value is reported before anything is computed or written.
Tally survey(CsvReader& points, const FittedModel& model, const PredictArguments& a) {
  Tally t;
  while (points.next(block)) {
    t.rows += points.table().rows();
    t.predicted += std::ssize(select(points.table(), model, a).rows);
  }
  points.rewind();
  return t;
}

[[noreturn]] void no_row(const Table& points) {
  throw Error(Problem::data, points.source + ": every row lacks a value that the model needs");
}

std::unique_ptr<Writer> writer(const PredictArguments& a, const FittedModel& model, Output& out,
                               const CsvReader& points, const Layout& l, Index rows) {
  if (!a.json) return csv_writer(out, points, l);
  std::vector<double> percents;
  for (const Band& b : l.bands) percents.push_back(b.percent);
  nlohmann::ordered_json head{{"target", model->target}};
  if (const Transform& g = model->request.transform; !g.is_identity())
    head["target_transform"] = g.name(), head["mean_and_sd_by"] = g.moments_by();
  head.update({{"of", a.of}, {"intervals", percents}, {"calibrated", a.calibrated}, {"n", rows}});
  if (a.marginalize.draws) head["draws"] = *a.marginalize.draws;
  if (!model->weights && model->request.inference != Exact().text())
    head.update({{"inference", model->request.inference},
                 {"approximate", model.process(a.threads).report().approximate}});
  return json_writer(out, points, l, std::move(head));
}

/// The state of a run of the verb.
struct Job {
  const PredictArguments& arguments;
  const FittedModel& model;
  CsvReader& points;
  const Layout& layout;
  std::optional<Tally> expected;  // where the points were surveyed
  Messages& messages;
  std::optional<MarginalizedModel> mixture = {};

  Of of() const { return arguments.of == "y" ? Of::y : Of::f; }
  Prediction predict(const Rows& x) const {
    return mixture ? mixture->predict(x, of(), arguments.threads) : model.predict(x, of(), arguments.threads);
  }
};

/// Throws if the rows read so far (`all`: all rows) do not agree in number with the first pass over the file.
void check_unchanged(const Job& job, const Tally& t, bool all) {
  if (!job.expected) return;
  const Index rows = job.expected->rows - t.rows, predicted = job.expected->predicted - t.predicted;
  if (rows < 0 || predicted < 0 || (all && (rows > 0 || predicted > 0)))
    throw Error(Problem::failed, job.points.table().source + " changed while it was being read");
}

/// Throws, naming the row, unless mean and interval are finite. An sd is infinite where that is the answer:
/// weights that the data do not determine.
void check_finite(const Prediction& p, const Selected& s, const Layout& l, const Table& points) {
  std::vector<Interval> intervals;
  for (const Band& b : l.bands) intervals.push_back(b.of(p));
  for (Index i = 0; i < p.mean.size(); ++i) {
    const double mean = p.mean[i];
    const bool finite =
        std::isinf(p.sd[i]) || std::all_of(intervals.begin(), intervals.end(), [i](const Interval& ends) {
          return std::isfinite(ends.lower[i]) && std::isfinite(ends.upper[i]);
        });
    if (finite && std::isfinite(mean) && !std::isnan(p.sd[i])) continue;
    const std::string where =
        fmt::format("{}, line {}", points.source, points.lines.line(s.rows[static_cast<size_t>(i)]));
    throw Error(
        Problem::numerical,
        fmt::format("{}: the prediction is not a finite number (mean {}, sd {}): the point is too far "
                    "out for the model's arithmetic",
                    where, mean, p.sd[i]));
  }
}

/// The notes printed after all rows are predicted.
struct Cautions {
  Index exact = 0, near_rounding = 0, undetermined = 0;

  void add(const Prediction& p) {
    const Index zeros = p.clamped > 0 ? (p.sd.array() == 0).count() : 0;
    exact += zeros, near_rounding += p.clamped - zeros, undetermined += p.sd.array().isInf().count();
  }
  void say(Messages& messages) const {
    if (exact > 0)
      messages.note(
          fmt::format("{} observed without noise: the sd is 0", counted(exact, "point was", "points were")));
    if (near_rounding > 0)
      messages.note(fmt::format(
          "the sd of f at {} is close to the rounding error of its computation, and may be off by "
          "100 %; an sd below the rounding error is raised to it",
          counted(near_rounding, "point")));
    if (undetermined > 0)
      messages.note(
          fmt::format("{} on weights that the data do not determine: sd and interval are infinite, "
                      "written as NA",
                      counted(undetermined, "point depends", "points depend")));
  }
};

/// Predicts block by block. The points are kept in `all`, m x d, unless it is null.
Tally predict_rows(const Job& job, Writer& out, const Layout& layout, Matrix* all) {
  Tally t;
  Cautions cautions;
  IgnoredColumns ignored(job.model);
  while (job.points.next(block)) {
    const Selected s = select(job.points.table(), job.model, job.arguments);
    const Index before = t.predicted;
    t.rows += job.points.table().rows();
    t.predicted += s.x.rows();
    t.count_lacking(job.points.table(), job.model);
    ignored.see(s.x);
    check_unchanged(job, t, false);
    if (s.rows.empty()) continue;
    const Prediction p = job.predict(s.x);
    check_finite(p, s, layout, job.points.table());
    if (before == 0) out.begin();  // what cannot be predicted at all has been said by now
    const Matrix values = job.layout.values(p).transpose();
    for (Index i = 0; i < values.cols(); ++i) out.row(s.rows[static_cast<size_t>(i)], values.col(i));
    if (all != nullptr) all->middleRows(before, s.x.rows()) = s.x;
    cautions.add(p);
    job.messages.progress_rows("predicting", t.rows, job.expected ? job.expected->rows : 0);
  }
  check_unchanged(job, t, true);
  if (t.predicted == 0) no_row(job.points.table());
  out.end();
  ignored.note(job.points.table().source, job.messages);
  cautions.say(job.messages);
  return t;
}

/// Refuses a covariance that does not fit before anything is computed.
void check_joint(const PredictArguments& a, const FittedModel& model, Index rows) {
  const auto m = double(rows), n = double(model->y.size());
  if (!a.joint.empty())
    internal::check_memory(24 * m * m + 16 * m * n, fmt::format("--joint of {} rows", rows));
}

void check_arguments(const PredictArguments& a) {
  if (a.points.empty() == a.grid.empty())
    throw Error(Problem::usage, a.grid.empty()
                                    ? "POINTS is required: a table to predict at, or --grid N in its place"
                                    : "--grid takes the place of a table: leave '" + a.points + "' out");
  if (a.model == "-" && a.points == "-")
    throw Error(Problem::usage, "the model and the points cannot both be -");
  if (a.joint == "-" && a.out == "-")
    throw Error(Problem::usage, "--joint and --out would both write to standard output");
  if (!a.marginalize.draws) refuse_given(*a.verb, {"--seed"}, "needs --marginalize: nothing else is random");
  if (a.marginalize.draws && !a.joint.empty())
    throw Error(Problem::usage, "--joint does not apply to --marginalize: a mixture is not jointly normal");
  if (a.marginalize.draws && a.calibrated)
    throw Error(Problem::usage,
                "--calibrated does not apply to --marginalize: leave-one-out errors are those of one "
                "parameter vector");
}

/// Calibrated intervals are of observations: --of y is implied, --of f is refused.
std::string of_what(const PredictArguments& a) {
  if (!a.calibrated || a.of == "y") return a.of;
  if (a.of_option->count() > 0)
    throw Error(Problem::usage, "--calibrated intervals are of observations: leave --of f out");
  return "y";
}

/// Widths from the errors of leave-one-out in place of the normal ones.
void calibrate(Layout& l, const FittedModel& model, int threads, Messages& messages) {
  const Calibration errors = calibration(model, threads);
  const Prediction one = model.predict(model->x.topRows(1), Of::f, threads);
  std::string widths;
  for (Band& b : l.bands) {
    b.calibrated = errors.factor(b.percent);
    widths += fmt::format("{}{} % is {:.3f} sd (uncalibrated: {:.3f})", widths.empty() ? "" : ", ", b.percent,
                          *b.calibrated, one.reach(b.percent));
  }
  messages.note(fmt::format(
      "calibrated by {} leave-one-out errors: {}. For new observations like those, on average over "
      "them; not for f",
      errors.size(), widths));
}

void run(PredictArguments a) {
  check_arguments(a);
  a.of = of_what(a);
  Messages messages(a.quiet);
  Layout l = layout(a.interval);
  const FittedModel model = internal::on_device(load_model(a.model), a.device);
  if (!model->request.transform.is_identity()) l.median = "median";
  if (!a.joint.empty() && !model->request.transform.is_identity())
    throw Error(Problem::usage,
                fmt::format("--joint: the model is of {}, so that {} is not jointly normal; covary "
                            "sample draws from it",
                            model->request.transform.of(model->target), model->target));
  const bool twice = a.json || !a.joint.empty();  // these begin with the number of rows
  std::string grid;                               // as CSV
  const CsvOptions grid_layout{.delimiter = ',', .decimal = '.', .header = CsvOptions::Header::yes};
  if (!a.grid.empty()) write_csv(grid, grid_table(a.grid, model));
  CsvReader points = a.grid.empty() ? CsvReader(a.points, csv_options(a.csv),
                                                twice ? internal::Passes::many : internal::Passes::one)
                                    : CsvReader(std::string_view(grid), grid_layout, "--grid");
  messages.notes(points.table().notes);
  const auto said = std::ssize(points.table().notes);  // more may come with later rows
  note_extra_columns(points.table(), model, messages);
  avoid_collisions(l, points.table(), messages);
  std::optional<Tally> expected;
  if (points.can_rewind()) expected = survey(points, model, a);
  const Index rows = expected ? expected->predicted : 0;
  check_joint(a, model, rows);
  Output out(a.out);
  std::optional<Output> joint;
  if (!a.joint.empty()) joint.emplace(a.joint);
  if (!a.marginalize.draws) condition_on_rows(model, a.threads, messages);
  if (a.calibrated) calibrate(l, model, a.threads, messages);
  const Job job{
      a, model, points, l, expected, messages, marginalized(a.marginalize, model, a.threads, messages)};
  Matrix all(joint ? rows : 0, std::ssize(model->features));
  const Tally t = predict_rows(job, *writer(a, model, out, points, l, rows), l, joint ? &all : nullptr);
  if (joint) write_square(*joint, model.joint(all, job.of(), a.threads).covariance(), points.table());
  out.commit();
  if (joint) joint->commit();
  messages.notes({points.table().notes.begin() + said, points.table().notes.end()});
  if (t.predicted < t.rows) messages.note(dropped_note(t.rows, t.predicted, t.lacking));
}

void add_output_options(CLI::App& verb, PredictArguments& a) {
  verb.add_option("-i,--interval", a.interval,
                  "Percent inside lower and upper; several make lower_50, upper_50, ...")
      ->type_name("P,..")
      ->capture_default_str();
  a.of_option =
      add_choice(verb, "--of", a.of, {"f", "y"}, "The function, or a new observation of it (with noise)");
  verb.add_flag("--calibrated", a.calibrated,
                "Intervals of y with widths from the leave-one-out errors: right on average, whatever their "
                "distribution");
  verb.add_option("-o,--out", a.out, "Output file; - is standard output")
      ->type_name("FILE")
      ->capture_default_str();
  add_marginalize(verb, a.marginalize);
  add_seed(verb, a.marginalize.seed);
  verb.add_option("--joint", a.joint, "Output file for the covariance of the predictions, as CSV")
      ->type_name("FILE");
  verb.add_flag("--json", a.json, "Print one JSON object instead of CSV");
}

}  // namespace

Run add_predict(CLI::App& app) {
  CLI::App* verb =
      app.add_subcommand("predict", "Predict at the rows of a table: adds mean, sd, lower and upper.");
  verb->footer(
      "  covary predict model.json points.csv -o predictions.csv\n"
      "  covary predict model.json --grid 'x=0..10:101, z=5'\n"
      "  covary predict model.json - --interval 50,95 --of y < points.csv.gz\n"
      "  covary predict model.json points.csv --of y --marginalize");
  auto a = std::make_shared<PredictArguments>();
  a->verb = verb;
  verb->add_option("MODEL", a->model, "Model file of covary fit -o; - is standard input")->required();
  verb->add_option("POINTS", a->points,
                   "A CSV file, gzip or not, with the model's columns, by name; - is standard input");
  add_grid_option(*verb, a->grid);
  add_output_options(*verb, *a);
  add_missing_option(*verb, a->missing);
  add_csv_options(*verb, a->csv);
  add_threads(*verb, a->threads);
  add_device(*verb, a->device);
  verb->add_flag("-q,--quiet", a->quiet, "Print no notes");
  return [a] { run(*a); };
}

}  // namespace covary::cli
