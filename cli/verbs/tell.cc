// covary tell: adds new measurements to a model, its parameters kept.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command.h"
#include "covary/base/error.h"
#include "covary/model/model_file.h"
#include "inputs/model_inputs.h"
#include "inputs/model_options.h"
#include "inputs/tables.h"
#include "interrupt.h"
#include "output.h"
#include "words.h"

namespace covary::cli {
namespace {

struct TellArguments {
  std::string model, data, out, missing = "error";
  CsvArguments csv;
  int threads = 0;
  bool repeat = false, only_new = false, quiet = false;

  const std::string& target() const { return out.empty() ? model : out; }
};

/// New rows are called by their file and line.
std::vector<std::string> names_told(const FittedModel& m, const Table& table,
                                    const std::vector<Index>& rows) {
  std::vector<std::string> used = m->features, out;
  used.push_back(m->target);
  for (const std::string& name : row_names(table, rows, used)) out.push_back(table.source + ", " + name);
  return out;
}

void check_arguments(const TellArguments& a) {
  if (a.model == "-" && a.data == "-") throw Error(Problem::usage, "the model and the data cannot both be -");
  if (a.repeat && a.only_new)
    throw Error(Problem::usage, "--repeat counts rows twice, --only-new leaves them out: give one of them");
}

/// New rows, and where they stand in their table.
struct NewRows {
  Matrix x;
  Vector y;
  std::vector<Index> rows;
};

NewRows new_rows(const FittedModel& m, const Table& table, const TellArguments& a, Messages& messages) {
  check_columns(table, m);
  std::vector<std::string> names = needed_columns(m);
  names.push_back(m->target);
  table.column(m->target);
  NewRows t{{}, {}, rows_in_use(table, names, a.missing)};
  if (const std::string note = dropped_note(table, names, std::ssize(t.rows)); !note.empty())
    messages.note(note);
  t.x = model_inputs(table, m, t.rows);
  t.y = internal::numbers(table, {m->target}, t.rows).col(0);
  check_domain({m->target, m->request.transform}, table, t.rows, t.y);
  return t;
}

/// "measured.csv, line 17"
std::string line_of(const Table& table, Index row) {
  const std::string where = table.where(row, "");
  return where.substr(0, where.rfind(','));
}

[[noreturn]] void refuse_known(const std::vector<Index>& known, const NewRows& t, const Table& table,
                               const std::string& target, const TellArguments& a) {
  std::vector<std::string> lines;
  lines.reserve(known.size());
  for (const Index i : known)
    lines.push_back(std::to_string(table.lines.line(t.rows[static_cast<size_t>(i)])));
  throw Error(
      Problem::data,
      fmt::format("{}: {} of {} in {} already, with the same inputs and the same {} (line {}); nothing was "
                  "changed. --only-new leaves them out; --repeat adds them again, as repeated "
                  "measurements",
                  table.source, known.size(), counted(t.y.size(), "row is", "rows are"), a.model, target,
                  listed(lines)));
}

/// Without the rows at these places.
void leave_out(NewRows& t, const std::vector<Index>& known) {
  std::vector<Index> kept;
  for (Index i = 0; i < t.y.size(); ++i)
    if (!std::binary_search(known.begin(), known.end(), i)) kept.push_back(i);
  t.x = t.x(kept, Eigen::all).eval(), t.y = t.y(kept).eval();
  std::vector<Index> rows;
  rows.reserve(kept.size());
  for (const Index i : kept) rows.push_back(t.rows[static_cast<size_t>(i)]);
  t.rows = std::move(rows);
}

/// The model with the new rows. Throws Problem::numerical if it could not answer any more.
FittedModel with_told(const FittedModel& m, const NewRows& t, const Table& table, int threads,
                      Messages& messages) {
  IgnoredColumns ignored(m);
  ignored.see(t.x);
  ignored.note(table.source, messages);
  try {
    FittedModel now = told(m, t.x, t.y, names_told(m, table, t.rows), threads);
    internal::check_answers(now, threads);
    messages.notes(now.notes());
    return now;
  } catch (const Error& e) {
    if (e.problem() != Problem::numerical) throw;
    Index largest = 0;
    t.y.cwiseAbs().maxCoeff(&largest);
    throw Error(e.problem(), fmt::format("{}; nothing was saved; the largest value told is {} = {} ({})",
                                         e.what(), m->target, internal::format_number(t.y[largest]),
                                         line_of(table, t.rows[static_cast<size_t>(largest)])));
  }
}

std::string report(const FittedModel& m, Index rows, const std::string& path) {
  return text_table(
      {{m->target, fmt::format("{} told, {} now", counted(rows, "row"), m->y.size())},
       {"log marginal likelihood", internal::rounded(m->summary.log_marginal_likelihood)},
       {"leave-one-out", fmt::format("rmse {}, skill {}", internal::rounded(m->summary.loo_rmse),
                                     internal::rounded(m->summary.loo_skill))},
       {"kept in", path}});
}

void run(const TellArguments& a) {
  check_arguments(a);
  Messages messages(a.quiet);
  const Table table = read_table(a.data, a.csv, messages);
  // From reading the model to replacing it nobody else may do so, or one of the two would lose its rows.
  const std::unique_ptr<internal::FileLock> lock = lock_of(a.target(), messages);
  const FittedModel before = load_model(a.model);
  try {
    internal::check_takes_rows(before);
  } catch (const Error& e) {
    throw Error(e.problem(), fmt::format("{}: {}", a.model, e.what()));
  }
  NewRows t = new_rows(before, table, a, messages);
  const std::vector<Index> known = a.repeat ? std::vector<Index>{} : internal::known_rows(before, t.x, t.y);
  if (!known.empty() && !a.only_new) refuse_known(known, t, table, before->target, a);
  leave_out(t, known);
  if (t.y.size() == 0)
    return messages.note(fmt::format("no row of {} is new: {} is unchanged", table.source, a.model));
  Output out(a.target());
  const FittedModel m = with_told(before, t, table, a.threads, messages);
  if (m->y.size() >= 2 * before->y.size())
    messages.note(
        "the hyper-parameters are still those of the earlier rows: covary fit fits them to all rows");
  internal::write_model(m, a.target(), [&](std::string_view part) { out.write(part); });
  out.finish();
  if (a.target() != "-") print(report(m, t.y.size(), a.target()));
  flush();  // whoever sees an error tells the rows again: so the model changes last
  if (lock && !lock->current())
    throw Error(
        Problem::failed,
        fmt::format("{} was replaced by another process meanwhile and does not have the new rows: tell "
                    "them again",
                    a.target()));
  ignore_interrupts();
  out.commit();
}

}  // namespace

Run add_tell(CLI::App& app) {
  CLI::App* verb =
      app.add_subcommand("tell", "Add new measurements to a model; its parameters stay as they are.");
  verb->footer(
      "  covary tell model.json measured.csv\n"
      "  covary tell model.json measured.csv -o newer.json");
  auto a = std::make_shared<TellArguments>();
  verb->add_option("MODEL", a->model, "Model file of covary fit -o")->required();
  verb->add_option("DATA", a->data, "A CSV file with the model's columns and its target; - is standard input")
      ->required();
  verb->add_option("-o,--out", a->out, "Output model file (default: MODEL is replaced)")->type_name("MODEL");
  verb->add_flag("--repeat", a->repeat, "Add rows that the model already has, as repeated measurements");
  verb->add_flag("--only-new", a->only_new, "Leave out rows that the model has already");
  add_missing_option(*verb, a->missing);
  add_csv_options(*verb, a->csv);
  add_threads(*verb, a->threads);
  verb->add_flag("-q,--quiet", a->quiet, "Print no notes");
  return [a] { run(*a); };
}

}  // namespace covary::cli
