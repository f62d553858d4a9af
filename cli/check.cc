// covary check: can these predictions be trusted? Each observation predicted from the others.
#include "covary/check.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "check_report.h"
#include "command.h"
#include "covary/error.h"
#include "covary/expression.h"
#include "model_options.h"
#include "words.h"

namespace covary::cli {
namespace {

struct CheckArguments : ModelArguments {
  Index folds = 0;  // 0: leave-one-out
  bool refit = false;
  Index worst = 5;
  std::string rows;
  bool json = false, quiet = false;
  const CLI::App* verb = nullptr;
};

/// A model and the data it was learned from.
struct Subject {
  SavedModel model;
  Predictor predictor;
  std::vector<std::string> rows;  // what each is called
};

bool is_model_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  char first = 0;
  return path != "-" && in.get(first) && first == '{';
}

Subject from_model(const CheckArguments& a) {
  refuse_given(*a.verb, {"--target",  "--features",  "--missing",     "--header", "--delimiter",
                         "--decimal", "--model",     "--kernel",      "--mean",   "--noise",
                         "--prior",   "--objective", "--starts",      "--basis",  "--intercept",
                         "--penalty", "--prior-sd",  "--standardise", "--side",   "--undetermined"},
               "is for learning from a table: a model has its own");
  SavedModel model = load_model(a.data);
  Predictor predictor = restored(model, a.options.threads);
  std::vector<std::string> rows;
  for (Index i = 0; i < model.y.size(); ++i) rows.push_back(fmt::format("row {}", i + 1));
  return {std::move(model), std::move(predictor), std::move(rows)};
}

Subject from_data(const CheckArguments& a, Messages& messages) {
  check_model_options(*a.verb, a.model);
  check_asked(a);
  const Training t = read_training(a, messages);
  const Selection& s = t.selection;
  const Learned learned = learn(asked(a), a.mean, s.noise, s.x, s.y, options_of(a, s, messages));
  messages.notes(learned.summary.notes);
  std::vector<std::string> rows;
  for (const Index i : s.rows) rows.push_back(fmt::format("line {}", t.table.lines.line(i)));
  return {saved(learned, s.x, s.y, s.features, a.target, asked(a)), learned.predictor, std::move(rows)};
}

/// What the model is made of: names and texts.
std::vector<std::pair<std::string, std::string>> described(const SavedModel& m) {
  if (m.weights)
    return {{"model", m.summary.model},
            {"basis", m.asked.basis.empty() ? m.weights->features.text() : m.asked.basis}};
  return {{"kernel", m.kernel}, {"mean", m.mean}};
}

std::string how(const CheckArguments& a) {
  if (a.folds == 0) return "leave-one-out, parameters kept";
  return fmt::format("{} folds, parameters {}", a.folds, a.refit ? "learned anew in each" : "kept");
}

void check_defined(const Prediction& p, const Subject& s) {
  for (Index i = 0; i < p.mean.size(); ++i)
    if (!std::isfinite(p.mean[i]) || !std::isfinite(p.sd[i]))
      throw Error(Problem::numerical,
                  fmt::format("{} cannot be predicted from the others: without it the {} is not determined",
                              s.rows[static_cast<size_t>(i)],
                              s.model.weights ? "weight of a feature" : "trend (" + s.model.mean + ")"));
}

CheckReport report(const Subject& s, const CheckArguments& a, Messages& messages) {
  CheckOptions o{a.folds, a.refit, a.options.seed, a.options.threads, a.options.max_seconds, {}};
  o.progress = [&](Index done, Index of) { messages.progress("checking", double(done) / double(of)); };
  const Prediction p = left_out(s.model, s.predictor, o);
  check_defined(p, s);
  const Vector& y = s.model.y;
  return {s.model.target,
          described(s.model),
          how(a),
          y,
          p.mean,
          p.sd,
          s.rows,
          score(p.mean, p.sd, y, p.freedom),
          Calibration(p.mean, p.sd, y),
          a.worst};
}

std::vector<double> values(const Vector& v) { return {v.begin(), v.end()}; }

/// The inputs, what was observed and what was predicted, one line per row.
void write_rows(const CheckReport& r, const Subject& s, const std::string& path) {
  Table t;
  for (size_t k = 0; k < s.model.features.size(); ++k)
    t.columns.push_back({.name = s.model.features[k], .values = values(s.model.x.col(Index(k)))});
  const Vector z = standardised(r.predicted, r.sd, r.observed);
  t.columns.push_back({.name = s.model.target, .values = values(r.observed)});
  t.columns.push_back({.name = "mean", .values = values(r.predicted)});
  t.columns.push_back({.name = "sd", .values = values(r.sd)});
  t.columns.push_back({.name = "standardised", .values = values(z)});
  t.columns.push_back({.name = "pit", .values = values(probability_integral_transform(z, r.scores.freedom))});
  std::string csv;
  write_csv(csv, t);
  write_output(path, csv);
}

void run(const CheckArguments& a) {
  Messages messages(a.quiet);
  if (a.refit && a.folds == 0)
    throw Error(Problem::usage, "--refit learns anew in each fold: it needs --folds K");
  const Subject s = is_model_file(a.data) ? from_model(a) : from_data(a, messages);
  if (s.model.y.size() < 2)
    throw Error(Problem::data, "at least two rows are needed to predict one from another");
  const CheckReport r = report(s, a, messages);
  if (!a.rows.empty()) write_rows(r, s, a.rows);
  if (a.rows != "-") print(a.json ? json_report(r) : text_report(r));
}

}  // namespace

Run add_check(CLI::App& app) {
  CLI::App* verb =
      app.add_subcommand("check", "Can the predictions be trusted? Scores, coverage and a verdict.");
  verb->footer(
      "  covary check model.json\n"
      "  covary check data.csv --target y --folds 10 --refit");
  auto a = std::make_shared<CheckArguments>();
  a->verb = verb;
  verb->add_option("MODEL|DATA", a->data,
                   "What covary fit -o wrote, or a CSV file to learn from first; - is data")
      ->required();
  verb->add_option("--folds", a->folds, "k-fold instead of leave-one-out")
      ->check(CLI::Range(2, 1000000).description(""))
      ->type_name("K");
  verb->add_flag("--refit", a->refit, "Learn the parameters anew in each fold");
  verb->add_option("--worst", a->worst, "List so many of the worst predicted rows")
      ->check(CLI::Range(0, 1000000).description(""))
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("--rows", a->rows, "Write each row's prediction here")->type_name("FILE.csv");
  add_table_options(*verb, *a);
  add_model_option(*verb, *a);
  verb->add_option("-k,--kernel", a->kernel, about_kernel)->type_name("EXPR")->capture_default_str();
  verb->add_option("-m,--mean", a->mean, about_mean)->type_name("TREND")->capture_default_str();
  add_noise_option(*verb, *a);
  verb->add_option("--basis", a->basis, about_basis)->type_name("LIST");
  add_linear_options(*verb, *a);
  add_learning_options(*verb, *a);
  add_reporting(*verb, a->json, a->quiet);
  return [a] { run(*a); };
}

}  // namespace covary::cli
