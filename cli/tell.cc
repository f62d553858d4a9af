// covary tell: new measurements for a model, its parameters kept.
#include <fmt/format.h>

#include "command.h"
#include "covary/error.h"
#include "covary/model_file.h"
#include "model_options.h"
#include "output.h"
#include "tables.h"
#include "words.h"

namespace covary::cli {
namespace {

struct TellArguments {
  std::string model, data, out, missing = "error";
  CsvArguments csv;
  int threads = 0;
  bool quiet = false;
};

void run(const TellArguments& a) {
  Messages messages(a.quiet);
  SavedModel m = load_model(a.model);
  if (m.weights)
    throw Error(Problem::usage,
                fmt::format("tell needs a Gaussian process, {} is a {} model: fit it again with all rows",
                            a.model, m.asked.model));
  if (m.noise.kind == Noise::Kind::rows)
    throw Error(Problem::usage,
                fmt::format("{} has a noise for each of its rows: fit it again with all rows", a.model));
  const Table table = read_csv_file(a.data, csv_options(a.csv));
  messages.notes(table.notes);
  std::vector<std::string> names = m.features;
  names.push_back(m.target);
  for (const std::string& name : names) table.column(name);
  const std::vector<Index> rows = rows_in_use(table, names, a.missing);
  const Index before = m.y.size();
  m.x = join(m.x, numbers(table, m.features, rows));
  const Vector told = numbers(table, {m.target}, rows).col(0);
  check_domain({m.target, m.asked.transform}, table, rows, told);
  m.y = concat(m.y, told);
  refresh_summary(m, restored(m, a.threads), a.threads);
  write_output(a.out.empty() ? a.model : a.out, model_text(m));
  if (a.out == "-") return;
  print(
      text_table({{m.target, fmt::format("{} told, {} now", counted(m.y.size() - before, "row"), m.y.size())},
                  {"log marginal likelihood", rounded(m.summary.log_marginal_likelihood)},
                  {"leave-one-out", fmt::format("rmse {}, skill {}", rounded(m.summary.loo_rmse),
                                                rounded(m.summary.loo_skill))},
                  {"kept in", a.out.empty() ? a.model : a.out}}));
  if (m.y.size() >= 2 * before)
    messages.note("parameters are those learned from the rows before: covary fit learns them again from all");
}

}  // namespace

Run add_tell(CLI::App& app) {
  CLI::App* verb =
      app.add_subcommand("tell", "Give a model new measurements; its parameters stay as they are.");
  verb->footer(
      "  covary tell model.json measured.csv\n"
      "  covary tell model.json measured.csv -o newer.json");
  auto a = std::make_shared<TellArguments>();
  verb->add_option("MODEL", a->model, "From covary fit")->required();
  verb->add_option("DATA", a->data, "A CSV file with the model's columns and its target; - is standard input")
      ->required();
  verb->add_option("-o,--out", a->out, "Keep the model here; otherwise in MODEL")->type_name("MODEL.json");
  add_missing_option(*verb, a->missing);
  add_csv_options(*verb, a->csv);
  add_threads(*verb, a->threads);
  verb->add_flag("-q,--quiet", a->quiet, "No notes");
  return [a] { run(*a); };
}

}  // namespace covary::cli
