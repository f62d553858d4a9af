// covary suggest: what to measure next, from a table of candidates or in a domain.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>

#include "command.h"
#include "covary/base/error.h"
#include "covary/design/constraint.h"
#include "covary/design/posterior_density.h"
#include "covary/design/suggest_over.h"
#include "covary/model/model_file.h"
#include "inputs/impossible.h"
#include "inputs/model_inputs.h"
#include "inputs/tables.h"
#include "json_text.h"
#include "output.h"
#include "reports/appended_columns.h"
#include "reports/domain_report.h"
#include "words.h"

namespace covary::cli {
namespace {

struct SuggestArguments {
  CLI::App* verb = nullptr;
  std::string model, candidates, strategy, cost, out = "-", missing = "error";
  std::vector<std::string> over, where;
  Index count = 1, limit = 0;
  double random_share = 0, stop_sd = 0;
  std::string unit, impossible;
  std::uint64_t seed = 1;
  CsvArguments csv;
  int threads = 0;
  bool maximize = false, minimize = false, json = false, quiet = false;
};

SuggestOptions options_of(const SuggestArguments& a, Messages& messages);

/// Shows the progress of a computation, and its estimated remaining time.
std::function<void(const char*, double)> shown_by(Messages& messages) {
  using Clock = std::chrono::steady_clock;
  struct Work {
    std::string name;
    Clock::time_point began;
    double last = 2;
  };
  return [&messages, work = std::make_shared<Work>()](const char* name, double share) {
    const Clock::time_point now = Clock::now();
    if (work->name != name || share < work->last) *work = {name, now};
    work->last = share;
    const double spent = std::chrono::duration<double>(now - work->began).count(),
                 left = share > 0.02 ? spent * (1 - share) / share : 0;
    messages.progress(left > 1 ? fmt::format("{}, about {} left", name, in_seconds(left)) : name, share);
  };
}

/// All rows, or a random subset of --limit rows.
std::vector<Index> limited(const SuggestArguments& a, std::vector<Index> rows, Messages& messages) {
  if (a.limit == 0 || std::ssize(rows) <= a.limit) return rows;
  messages.note(fmt::format("{} of {} candidates drawn at random (--limit)", a.limit, rows.size()));
  std::vector<Index> out = Random(a.seed).subset(std::ssize(rows), a.limit);
  for (Index& i : out) i = rows[static_cast<size_t>(i)];
  return out;
}

/// The rows that satisfy every condition of --where, on any columns of the table.
std::vector<Index> feasible(const SuggestArguments& a, const Table& table, const std::vector<Index>& rows,
                            Messages& messages) {
  if (a.where.empty()) return rows;
  std::vector<std::string> names;
  for (const internal::Constraint& c : internal::constraints_of(a.where, table.names()))
    for (const Index k : c.columns()) names.push_back(table.names()[static_cast<size_t>(k)]);
  const std::vector<internal::Constraint> all = internal::constraints_of(a.where, names);
  std::vector<Index> out = internal::feasible_rows(all, internal::numbers(table, names, rows));
  if (out.empty()) internal::nothing_feasible(all, std::ssize(rows), "candidates");
  messages.note(fmt::format("{} of {} candidates are feasible (--where)", out.size(), rows.size()));
  for (Index& i : out) i = rows[static_cast<size_t>(i)];
  return out;
}

Vector costs_of(const SuggestArguments& a, const Table& table, const std::vector<Index>& rows) {
  if (a.cost.empty()) return {};
  Vector cost = internal::numbers(table, {a.cost}, rows).col(0);
  for (Index i = 0; i < cost.size(); ++i)
    if (!(cost[i] > 0))
      throw Error(Problem::data, fmt::format("{}: expected a positive cost, found {}",
                                             table.where(rows[static_cast<size_t>(i)], a.cost), cost[i]));
  return cost;
}

/// Without rows that are nearer to an impossible one than to any of the model.
std::vector<Index> possible(const SuggestArguments& a, const FittedModel& m, const Table& table,
                            std::vector<Index> rows, Messages& messages) {
  const Matrix impossible = impossible_rows(a.impossible, m, a.csv, messages);
  if (impossible.rows() == 0) return rows;
  const Matrix x = model_inputs(table, m, rows);
  const std::vector<bool> beyond =
      internal::beyond_barrier(x, m->x, impossible, internal::ranges_of(join(x, m->x)));
  std::vector<Index> out;
  for (size_t i = 0; i < rows.size(); ++i)
    if (!beyond[i]) out.push_back(rows[i]);
  messages.note(fmt::format("{} of {} left out: probability zero (--impossible)", rows.size() - out.size(),
                            counted(std::ssize(rows), "candidate")));
  return out;
}

/// The suggestions, with candidates by their rows of the table.
Suggestions suggested(const SuggestArguments& a, const FittedModel& m, const Table& table,
                      const std::vector<Index>& rows, Messages& messages) {
  const Matrix x = model_inputs(table, m, rows);
  IgnoredColumns ignored(m);
  ignored.see(x);
  ignored.note(table.source, messages);
  SuggestOptions o = options_of(a, messages);
  o.selector.cost = costs_of(a, table, rows);
  o.name = [&](Index i) { return fmt::format("row {}", rows[static_cast<size_t>(i)] + 1); };
  Suggestions out;
  try {
    out = suggest(m, x, o);
  } catch (const Error& e) {
    if (e.problem() != Problem::limit) throw;
    throw Error(e.problem(), fmt::format("{} (--limit N, --strategy)", e.what()));
  }
  messages.notes(out.notes);
  for (Choice& c : out.choices) c.candidate = rows[static_cast<size_t>(c.candidate)];
  return out;
}

/// The rows of the table unchanged, followed by the columns of the suggestion.
std::string as_csv(const Suggestions& all, const CsvReader& candidates) {
  std::vector<Index> rows;
  Table said;
  said.columns = {{"row"}, {"score"}, {"sd"}, {"reason", Column::Kind::text}};
  said.columns[2].values.assign(all.sd.begin(), all.sd.end());
  for (const Choice& c : all.choices) {
    rows.push_back(c.candidate);
    said.columns[0].values.push_back(double(c.candidate + 1));
    said.columns[1].values.push_back(c.score);
    said.columns[3].texts.push_back(c.reason);
  }
  return with_columns_behind(candidates, rows, std::move(said));
}

/// The value of a field, null where there is none.
nlohmann::ordered_json value_in(const Column& c, Index row) {
  if (std::binary_search(c.missing.begin(), c.missing.end(), row)) return {};
  const auto r = static_cast<size_t>(row);
  return c.kind == Column::Kind::number ? nlohmann::ordered_json(c.values[r])
                                        : nlohmann::ordered_json(c.texts[r]);
}

/// The column that names the candidates: one that is called so, or else the first of text; nullptr: none.
const Column* name_column(const Table& table) {
  for (const char* usual : {"", "name", "station", "site", "id", "Name", "Station", "Site", "ID"})
    if (const Column* c = table.find(usual)) return c;
  for (const Column& c : table.columns)
    if (c.kind == Column::Kind::text) return &c;
  return nullptr;
}

/// Everything that the table has: the columns as they came under "columns".
std::string as_json(const Suggestions& all, const SuggestArguments& a, const FittedModel& m,
                    const Table& table) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  const Column* names = name_column(table);
  for (size_t i = 0; i < all.choices.size(); ++i) {
    const Choice& c = all.choices[i];
    const Index row = c.candidate;
    nlohmann::ordered_json j{{"row", row + 1}};
    if (names) j["name"] = value_in(*names, row);
    j["score"] = c.score, j["sd"] = all.sd[Index(i)];
    if (!a.cost.empty()) j["cost"] = value_in(table.column(a.cost), row);
    j["probability"] = c.probability, j["reason"] = c.reason;
    for (const std::string& f : m->features) j["at"][f] = value_in(table.column(f), row);
    for (const Column& column : table.columns) j["columns"][column.name] = value_in(column, row);
    out.push_back(std::move(j));
  }
  return json_text(out);
}

SuggestOptions options_of(const SuggestArguments& a, Messages& messages) {
  SuggestOptions o{.count = a.count, .strategy = a.strategy, .stop_sd = a.stop_sd, .unit = a.unit};
  o.selector.seed = a.seed, o.selector.random_share = a.random_share, o.selector.threads = a.threads;
  o.selector.minimize = a.minimize, o.selector.progress = shown_by(messages);
  return o;
}

void run_in_domain(const SuggestArguments& a, const FittedModel& m, Messages& messages) {
  std::vector<DomainAxis> axes;
  for (const std::string& text : a.over) axes.push_back(parse_axis(text));
  SuggestOptions o = options_of(a, messages);
  o.where = a.where;
  const DomainSuggestions all = suggest(m, axes, o);
  messages.notes(all.notes);
  write_output(a.out, a.json ? domain_json(all, m) : domain_csv(all, m));
}

void check_arguments(SuggestArguments& a) {
  if (a.candidates.empty() == a.over.empty())
    throw Error(Problem::usage,
                "expected CANDIDATES, a table, or a domain by --over NAME=LOWER:UPPER, and not both");
  if (a.strategy.empty()) a.strategy = a.over.empty() ? "variance-reduction" : "expected-improvement";
  const NamedStrategy strategy = parse_strategy(a.strategy);
  if ((a.maximize || a.minimize) && strategy.entry->question != Question::best)
    throw Error(Problem::usage,
                fmt::format("{} does not apply to --strategy {}, which does not look for the best",
                            a.minimize ? "--minimize" : "--maximize", a.strategy));
  if (a.over.empty()) return;
  std::vector<std::string> of_tables = table_option_names();
  of_tables.insert(of_tables.end(), {"--cost", "--random", "--stop-sd", "--limit"});
  refuse_given(*a.verb, of_tables, "belongs to a table of candidates, not to --over");
}

void run(SuggestArguments& a) {
  Messages messages(a.quiet);
  check_arguments(a);
  const FittedModel m = load_model(a.model);
  if (!a.over.empty()) return run_in_domain(a, m, messages);
  CsvReader candidates(a.candidates, csv_options(a.csv));
  candidates.next(std::numeric_limits<Index>::max());  // all rows, and their text
  const Table& table = candidates.table();
  messages.notes(table.notes);
  check_columns(table, m);
  const std::vector<Index> used = rows_in_use(table, needed_columns(m), a.missing);
  if (const std::string note = dropped_note(table, needed_columns(m), std::ssize(used)); !note.empty())
    messages.note(note);
  const std::vector<Index> rows =
      limited(a, possible(a, m, table, feasible(a, table, used, messages), messages), messages);
  const Suggestions all = suggested(a, m, table, rows, messages);
  write_output(a.out, a.json ? as_json(all, a, m, table) : as_csv(all, candidates));
}

}  // namespace

Run add_suggest(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("suggest", "Choose what to measure next, from a table or in a domain.");
  verb->footer(
      "  covary suggest model.json candidates.csv -n 4\n"
      "  covary suggest model.json candidates.csv --strategy uncertainty --cost euros\n"
      "  covary suggest model.json --over temp=20:90 --over ph=5:9:0.1 --maximize -n 3");
  auto a = std::make_shared<SuggestArguments>();
  a->verb = verb;
  verb->add_option("MODEL", a->model, "Model file of covary fit -o")->required();
  verb->add_option("CANDIDATES", a->candidates, "A CSV file with the model's columns; - is standard input");
  verb->add_option("--over", a->over,
                   "Domain of a column in the place of CANDIDATES: LOWER:UPPER is an interval, "
                   "LOWER:UPPER:STEP a lattice, A,B,C a list (once for each column)")
      ->type_name("NAME=RANGE")
      ->allow_extra_args(false);
  verb->add_option("--where", a->where,
                   "Condition on the suggestions, as \"temp*ph < 300\" (may be repeated)")
      ->type_name("CONDITION")
      ->allow_extra_args(false);
  verb->add_option("-n,--count", a->count, "Number of suggestions, to be measured together")
      ->transform(whole(1, 100000))
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("--strategy", a->strategy,
                   "Query strategy; covary strategies lists them (default: variance-reduction, with --over "
                   "expected-improvement)")
      ->type_name("NAME");
  CLI::Option* up = verb->add_flag("--maximize", a->maximize, "The best is the largest target (default)");
  verb->add_flag("--minimize", a->minimize, "The best is the smallest target")->excludes(up);
  verb->add_option("--cost", a->cost,
                   "Column with the cost of each candidate; candidates are then ranked by score per cost")
      ->type_name("NAME");
  verb->add_option("--random", a->random_share,
                   "Share of random picks, so that every candidate can be chosen")
      ->transform(number(0, 1))
      ->type_name("SHARE")
      ->capture_default_str();
  verb->add_option("--stop-sd", a->stop_sd,
                   "Target sd of f at every candidate: report how many more labels reach it, or the sd that "
                   "all of them leave; 0: off")
      ->transform(not_negative())
      ->type_name("SD");
  verb->add_option("--unit", a->unit, "Unit of the target, used in messages")->type_name("UNIT");
  add_seed(*verb, a->seed);
  verb->add_option("--limit", a->limit, "Number of candidates to draw at random from a large table; 0: all")
      ->transform(whole(0, 2000000000))
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("-o,--out", a->out, "Output file for the suggestions")
      ->type_name("FILE")
      ->capture_default_str();
  add_impossible_option(*verb, a->impossible);
  add_missing_option(*verb, a->missing);
  add_csv_options(*verb, a->csv);
  add_threads(*verb, a->threads);
  add_reporting(*verb, a->json, a->quiet);
  return [a] { run(*a); };
}

}  // namespace covary::cli
