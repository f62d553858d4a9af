// covary check: can these predictions be trusted? Each observation predicted from the others.
#include <fmt/format.h>

#include <cmath>

#include "command.h"
#include "covary/base/error.h"
#include "covary/evaluate/cross_validation.h"
#include "covary/kernels/expression.h"
#include "covary/model/model_file.h"
#include "inputs/marginalize.h"
#include "inputs/model_inputs.h"
#include "inputs/model_options.h"
#include "reports/check_report.h"
#include "verbs/checks/check_forward.h"
#include "verbs/checks/check_held_out.h"
#include "words.h"

namespace covary::cli {
namespace {

struct CheckArguments : ModelArguments {
  std::string test;  // a table, or ""
  Index folds = 0;   // 0: leave-one-out
  bool refit = false, forward = false;
  ForwardArguments ahead;
  MarginalizeArguments marginalize;
  Index worst = 5;
  std::string rows;
  bool json = false, quiet = false;
  const CLI::App* verb = nullptr;
};

const std::vector<std::string> of_forward{"--time", "--horizon", "--origins", "--initial"};

/// Refuses options that do not apply to this kind of check.
void check_options(const CheckArguments& a) {
  if (!a.test.empty())
    refuse_given(*a.verb, {"--folds", "--refit", "--forward"}, "does not apply to a held-out table");
  else if (a.marginalize.draws)
    throw Error(Problem::usage,
                "--marginalize needs a held-out table: covary check MODEL TEST.csv --marginalize");
  if (a.forward)
    refuse_given(*a.verb, {"--folds", "--worst"}, "does not apply to --forward");
  else
    refuse_given(*a.verb, of_forward, "needs --forward");
  if (a.refit && a.folds == 0 && !a.forward)
    throw Error(Problem::usage,
                "--refit fits the hyper-parameters anew in each fold: it needs --folds K, or --forward");
  if (a.data == "-" && a.test == "-")
    throw Error(Problem::usage, "the model and the held-out table cannot both be -");
}

FittedModel from_model(const CheckArguments& a) {
  refuse_given(*a.verb,
               {"--target", "--features", "--model", "--kernel", "--mean", "--noise", "--prior",
                "--objective", "--inference", "--starts", "--basis", "--intercept", "--penalty", "--prior-sd",
                "--standardize", "--side", "--undetermined", "--type", "--graph"},
               "applies to a table that is fitted first: a model file has its own");
  if (a.test.empty())
    refuse_given(*a.verb, table_option_names(), "applies to reading a table: a model file has its own data");
  return internal::on_device(load_model(a.data), a.device);
}

FittedModel from_data(const CheckArguments& a, Messages& messages) {
  if (!a.test.empty() && internal::is_model_file(a.test))
    throw Error(
        Problem::usage,
        fmt::format("{} is a model file: the model comes first, covary check MODEL TEST.csv", a.test));
  check_model_options(*a.verb, a.model);
  check_request(a);
  const Training t = read_training(a, messages);
  const Selection& s = t.selection;
  check_readable_rows(t, a);
  FittedModel model = fit(request_of(a, s), s.data(), options_of(a, s, messages));
  messages.notes(model->summary.notes);
  return model;
}

std::string how(const CheckArguments& a) {
  if (a.folds == 0) return "leave-one-out, parameters kept";
  return fmt::format("{} folds, parameters {}", a.folds, a.refit ? "learned anew in each" : "kept");
}

void check_defined(const Prediction& p, const FittedModel& m) {
  for (Index i = 0; i < p.mean.size(); ++i)
    if (!std::isfinite(p.mean[i]) || !std::isfinite(p.sd[i]))
      throw Error(
          Problem::numerical,
          fmt::format("{} cannot be predicted from the others: without it the {} is not determined",
                      m->row_name(i), m->weights ? "weight of a feature" : "trend (" + m->mean + ")"));
}

CheckReport report(const FittedModel& m, const CheckArguments& a, Messages& messages) {
  CheckOptions o{a.folds, a.refit, a.options.seed, a.options.threads, a.options.max_seconds, {}};
  o.progress = [&](Index done, Index of) { messages.progress("checking", double(done) / double(of)); };
  if (a.folds == 0) messages.working(fmt::format("leaving out each of {} rows", m->y.size()));
  const Prediction p = left_out(m, o);
  check_defined(p, m);
  const Vector& y = m->y;
  std::vector<std::string> rows;
  for (Index i = 0; i < y.size(); ++i) rows.push_back(m->row_name(i));
  return {m->target, described(m), how(a), y, p, rows, score(p, y), Calibration(p, y), a.worst};
}

std::vector<double> values(const Vector& v) { return {v.begin(), v.end()}; }

/// The inputs (n x d), what was observed and what was predicted, one line per row.
void write_rows(const CheckReport& r, const FittedModel& m, const Matrix& x, const std::string& path) {
  Table t;
  t.columns.push_back({.name = "row", .kind = Column::Kind::text, .texts = r.rows});
  for (size_t k = 0; k < m->features.size(); ++k) t.columns.push_back(input_column(m, Index(k), x));
  t.columns.push_back({.name = m->target, .values = values(r.observed)});
  t.columns.push_back({.name = "mean", .values = values(r.predicted.mean)});
  t.columns.push_back({.name = "sd", .values = values(r.predicted.sd)});
  t.columns.push_back({.name = "standardized", .values = values(r.predicted.standardized(r.observed))});
  t.columns.push_back({.name = "pit", .values = values(r.predicted.cdf(r.observed))});
  std::string csv;
  write_csv(csv, t);
  write_output(path, csv);
}

void run(const CheckArguments& a) {
  Messages messages(a.quiet);
  check_options(a);
  const FittedModel m = internal::is_model_file(a.data) ? from_model(a) : from_data(a, messages);
  if (a.forward) {
    const ForwardReport r = forward_report(m, a.ahead, a.refit, a.options, messages);
    if (!a.rows.empty()) write_output(a.rows, csv_rows(r, m));
    if (a.rows != "-") print(a.json ? json_report(r) : text_report(r));
    return;
  }
  if (a.test.empty() && m->y.size() < 2)
    throw Error(Problem::data, "at least two rows are needed to predict one from another");
  const bool held = !a.test.empty();
  const HeldOut test = held ? read_held_out(a.test, csv_options(a.csv), a.missing, m, messages) : HeldOut{};
  const MarginalizeArguments over{a.marginalize.draws, a.options.seed};
  CheckReport r = held ? report(test, m, marginalized(over, m, a.options.threads, messages),
                                a.options.threads, a.worst, messages)
                       : report(m, a, messages);
  if (m->request.inference != Exact().text()) messages.working("comparing with exact()");
  r.approximation = internal::compared_with_exact(m, {.seed = a.options.seed, .threads = a.options.threads});
  if (!a.rows.empty()) write_rows(r, m, held ? test.x : m->x, a.rows);
  if (a.rows != "-") print(a.json ? json_report(r) : text_report(r));
}

}  // namespace

Run add_check(CLI::App& app) {
  CLI::App* verb =
      app.add_subcommand("check", "Can the predictions be trusted? Scores, coverage and a verdict.");
  verb->footer(
      "  covary check model.json\n"
      "  covary check model.json test.csv\n"
      "  covary check model.json --forward --horizon 12\n"
      "  covary check data.csv --target y --folds 10 --refit");
  auto a = std::make_shared<CheckArguments>();
  a->verb = verb;
  verb->add_option("MODEL|DATA", a->data,
                   "Model file of covary fit -o, or a CSV file to fit first; - is standard input, as CSV")
      ->required();
  verb->add_option("TEST", a->test,
                   "Held-out CSV file to score the predictions on, in place of leave-one-out");
  verb->add_option("--folds", a->folds, "k-fold instead of leave-one-out")
      ->transform(whole(2, 1000000))
      ->type_name("K");
  verb->add_flag("--refit", a->refit,
                 "Fit the hyper-parameters anew in each fold, or at each origin of --forward");
  verb->add_flag("--forward", a->forward,
                 "Rolling-origin forecasts of a series: each part of it predicted from the rows before");
  add_forward_options(*verb, a->ahead);
  add_marginalize(*verb, a->marginalize);
  verb->add_option("--worst", a->worst, "Number of worst predicted rows to list")
      ->transform(whole(0, 1000000))
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("--rows", a->rows, "Output file for the prediction of each row")->type_name("FILE.csv");
  add_table_options(*verb, *a);
  add_request_options(*verb, *a);
  add_reporting(*verb, a->json, a->quiet);
  return [a] { run(*a); };
}

}  // namespace covary::cli
