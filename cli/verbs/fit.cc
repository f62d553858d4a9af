// covary fit: fits a model to a table, prints a summary, and saves the model.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "command.h"
#include "covary/base/error.h"
#include "covary/kernels/expression.h"
#include "covary/learn/cost_estimate.h"
#include "covary/model/model_file.h"
#include "inputs/model_options.h"
#include "interrupt.h"
#include "json_text.h"
#include "reports/fit_report.h"
#include "words.h"

namespace covary::cli {
namespace {

struct FitArguments : ModelArguments {
  std::string out;
  bool json = false, quiet = false, dry_run = false, keep_best = false;
  const CLI::App* verb = nullptr;
};

/// The estimated time and memory of the fit, without fitting.
void show_effort(const FitArguments& a, const internal::Effort& e, Index n) {
  if (a.json) {
    const nlohmann::ordered_json j{{"n", n},
                                   {"exploring", e.exploring},
                                   {"explored_rows", e.explored_rows},
                                   {"exploring_seconds", e.exploring_seconds},
                                   {"refining", e.refining},
                                   {"seconds_each", e.seconds_each},
                                   {"finishing_seconds", e.finishing_seconds},
                                   {"seconds", e.seconds},
                                   {"memory_bytes", e.bytes},
                                   {"free_bytes", e.free_bytes},
                                   {"inference", e.inference},
                                   {"inferences", inferences_json(e.considered)}};
    return print(json_text(j));
  }
  print(text_table(
            {{"rows", std::to_string(n)},
             {"inference", e.inference},
             {"time", "about " + in_seconds(e.seconds)},
             {"  exploring", fmt::format("{}: some {} evaluations on {} rows",
                                         in_seconds(e.exploring_seconds), e.exploring, e.explored_rows)},
             {"  refining",
              fmt::format("{}: some {} evaluations on all rows, {} each",
                          in_seconds(e.refining * e.seconds_each), e.refining, in_seconds(e.seconds_each))},
             {"  finishing", in_seconds(e.finishing_seconds) + ": conditioning and leave-one-out"},
             {"memory", fmt::format("about {}, {} are free", in_bytes(e.bytes), in_bytes(e.free_bytes))}}) +
        "\n" + inferences_table(e.considered));
}

void note_large_text_file(const std::string& out, const FittedModel& model, Messages& messages) {
  if (!out.empty() && !out.ends_with(".covary") && model->y.size() > most_named_rows)
    messages.note(
        fmt::format("a model file of {} rows is read sooner and smaller under a name that ends in .covary",
                    model->y.size()));
}

void run(const FitArguments& a) {
  Messages messages(a.quiet);
  if (a.json && a.out == "-")
    throw Error(Problem::usage, "--json and -o - would both write to standard output");
  check_model_options(*a.verb, a.model);
  check_request(a);
  if (a.dry_run && a.model != "gp") throw Error(Problem::usage, "--dry-run is for --model gp");
  Training t = read_training(a, messages);
  Selection& s = t.selection;
  check_readable_rows(t, a);
  FitOptions options = options_of(a, s, messages);
  if (a.keep_best && !a.dry_run) {
    first_interrupt_ends_search();
    options.enough = search_should_end;
  }
  if (a.dry_run)
    return show_effort(
        a, internal::effort(model_of(s, kernel_of(a, s), a.mean), s.x, s.target.transform(s.y), options),
        s.y.size());
  std::unique_ptr<internal::FileLock> lock = lock_of(a.out, messages);  // whoever tells the model rows waits
  std::optional<Output> out;  // opened first: hours of learning must not end in a name that cannot be written
  if (!a.out.empty()) out.emplace(a.out);
  const Request request = request_of(a, s);
  t.table = {};  // of many rows it is as large as everything else
  const FittedModel model = fit(request, std::move(s).data(), options);
  note_large_text_file(a.out, model, messages);
  internal::check_answers(model, a.options.threads);  // before anything is saved
  messages.notes(model->summary.notes);
  const std::string text = a.json ? json_report(model) : text_report(model, a.out);
  if (out) {
    internal::write_model(model, a.out, [&](std::string_view part) { out->write(part); });
    if (lock && !lock->current()) lock = lock_of(a.out, messages);  // there was no such file before
    out->commit();
  }
  if (a.out != "-") print(text);
}

}  // namespace

Run add_fit(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("fit", "Fit a model to a table.");
  verb->footer(
      "  covary fit data.csv --target y -o model.json\n"
      "  covary fit data.csv --target y --features a,b --kernel 'se() + linear()' --json\n"
      "  covary fit data.csv --target y --model ridge --basis 'a, b, a*b, splines(b, knots=6)'");
  auto a = std::make_shared<FitArguments>();
  a->verb = verb;
  add_data_argument(*verb, a->data);
  add_table_options(*verb, *a);
  add_request_options(*verb, *a);
  verb->add_option("-o,--out", a->out, "Output model file: JSON, or binary under a name that ends in .covary")
      ->type_name("MODEL");
  verb->add_flag(
      "--keep-best", a->keep_best,
      "Ctrl-C ends the search and keeps the best parameters so far; a second one ends the command");
  verb->add_flag("--dry-run", a->dry_run, "Print the inference and an estimate of time and memory, and stop");
  add_reporting(*verb, a->json, a->quiet);
  return [a] { run(*a); };
}

}  // namespace covary::cli
