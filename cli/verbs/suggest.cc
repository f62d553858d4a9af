// covary suggest: what to measure next, from a table of candidates.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "command.h"
#include "covary/base/error.h"
#include "covary/base/runtime.h"
#include "covary/model/model_file.h"
#include "covary/select/coverage.h"
#include "covary/select/forecast.h"
#include "covary/select/selector.h"
#include "inputs/model_inputs.h"
#include "inputs/tables.h"
#include "json_text.h"
#include "output.h"
#include "words.h"

namespace covary::cli {
namespace {

struct SuggestArguments {
  std::string model, candidates, strategy = "variance-reduction", cost, out = "-", missing = "error";
  Index count = 1, limit = 0;
  double random_share = 0, stop_sd = 0;
  std::string unit;
  std::uint64_t seed = 1;
  CsvArguments csv;
  int threads = 0;
  bool json = false, quiet = false;
};

struct Suggested {
  Choice choice;
  Index row = 0;      // of the table
  double before = 0;  // sd of f there
};

/// What more labels lead to, and whether that is enough.
std::string forecast_words(const SuggestArguments& a, const Forecast& f, double scale) {
  const std::string unit = a.unit.empty() ? "" : " " + a.unit, goal = rounded(a.stop_sd) + unit,
                    now = rounded(scale * f.now) + unit, left = rounded(scale * f.left) + unit;
  if (f.labels == 0) return fmt::format("no candidate's sd is above {}: that is enough", goal);
  const std::string more = counted(f.labels, "more label", "more labels");
  if (f.reached)
    return fmt::format("the largest sd is {}; about {} to reach {}, with these parameters", now, more, goal);
  if (f.exhausted)
    return fmt::format(
        "an sd of {} cannot be reached with these candidates: the largest sd is {}, and {} {} "
        "leaves {}, with these parameters",
        goal, now, f.labels == 1 ? "measuring the only one" : "measuring all", f.labels, left);
  return fmt::format("the largest sd is {}; {} leave {}, and {} takes more than those, if it can be reached",
                     now, more, left, goal);
}

/// Throws Problem::limit if the strategy's tables for so many candidates do not fit into memory.
void check_room(const NamedStrategy& strategy, Index candidates) {
  if (!strategy.entry->bytes) return;
  const double needed = strategy.entry->bytes(strategy.arguments, candidates),
               free = double(memory_available());
  if (needed < free) return;
  throw Error(
      Problem::limit,
      fmt::format("strategy {} needs {} for {} candidates, {} are free: draw some of the candidates "
                  "(--limit N), give the strategy fewer reference points ({}(reference=100)), or take "
                  "--strategy uncertainty",
                  strategy.entry->name, in_bytes(needed), candidates, in_bytes(free), strategy.entry->name));
}

/// Shows how far a piece of work is, and how long it may still take.
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

/// The warnings, with candidates by their rows of the table.
std::vector<std::string> coverage_words(PoolCoverage c, const std::vector<Index>& rows) {
  const std::string own = fmt::format("candidate {}", c.region + 1);
  for (std::string& w : c.warnings)
    if (w.ends_with(own) && c.region >= 0 && c.region < std::ssize(rows))
      w.replace(w.size() - own.size(), own.size(),
                fmt::format("row {}", rows[static_cast<size_t>(c.region)] + 1));
  return c.warnings;
}

/// All rows, or --limit of them drawn by chance.
std::vector<Index> limited(const SuggestArguments& a, std::vector<Index> rows, Messages& messages) {
  if (a.limit == 0 || std::ssize(rows) <= a.limit) return rows;
  messages.note(fmt::format("{} of {} candidates drawn by chance (--limit)", a.limit, rows.size()));
  std::vector<Index> out = Random(a.seed).subset(std::ssize(rows), a.limit);
  for (Index& i : out) i = rows[static_cast<size_t>(i)];
  return out;
}

/// Candidates first, then what was measured already.
std::vector<Suggested> chosen(const SuggestArguments& a, const FittedModel& m, const Table& table,
                              const std::vector<Index>& rows, Messages& messages) {
  const Process<Row>& process = gaussian_process(m, "suggest", a.threads);
  const Matrix x = model_inputs(table, m, rows), all = join(x, m->x);
  IgnoredColumns ignored(m);
  ignored.see(x);
  ignored.note(table.source, messages);
  const Index n = x.rows(), measured = m->x.rows();
  const NamedStrategy strategy = parse_strategy(a.strategy);
  check_room(strategy, n + measured);
  SelectorOptions o;
  o.seed = a.seed, o.random_share = a.random_share, o.threads = a.threads;
  o.progress = shown_by(messages);
  if (!a.cost.empty()) {
    o.cost = Vector::Ones(n + measured);
    o.cost.head(n) = numbers(table, {a.cost}, rows).col(0);
    for (Index i = 0; i < n; ++i)
      if (!(o.cost[i] > 0))
        throw Error(Problem::data, fmt::format("{}: expected a positive cost, found {}",
                                               table.where(rows[static_cast<size_t>(i)], a.cost), o.cost[i]));
  }
  if (process.noise().per_row())
    throw Error(Problem::usage,
                "the noise of labels to come is not known: this model has one noise for each row");
  Pool pool = pool_of<Row>(process, all);
  pool.noise_known = m->request.noise != "learn";
  Selector s(strategy, pool, o);
  std::vector<Index> known = all_indices(measured);
  for (Index& i : known) i += n;
  s.tell(known, m->latent_target());
  if (a.count > n)
    throw Error(Problem::data,
                fmt::format("{} candidates were asked for, {} has {}", a.count, table.source, n));
  for (const std::string& w : coverage_words(coverage(s.belief(), a.seed), rows)) messages.note(w);
  const Vector lean = leaning(all, known);
  Index column = 0;
  if (measured >= 10 && lean.cwiseAbs().maxCoeff(&column) > 0.75)
    messages.note(
        fmt::format("the labelled points are biased towards {} {}: by {:.2g} standard deviations of all",
                    lean[column] > 0 ? "large" : "small", m->features[static_cast<size_t>(column)],
                    std::abs(lean[column])));
  if (a.stop_sd > 0) {
    Selector ahead(played(strategy), std::move(pool), std::move(o));
    ahead.tell(known, m->latent_target());
    messages.note(forecast_words(
        a, forecast(std::move(ahead), n, a.stop_sd / m->scale, most_played(n + measured)), m->scale));
  }
  const Vector sd = m->scale * s.belief().variance().cwiseSqrt();
  std::vector<Suggested> out;
  for (Choice& c : s.suggest(a.count)) {
    const Index i = c.candidate;
    out.push_back({std::move(c), rows[static_cast<size_t>(i)], sd[i]});
  }
  return out;
}

/// The rows as they came, with what is said of them behind.
std::string as_csv(const std::vector<Suggested>& all, const CsvReader& candidates) {
  const Table& table = candidates.table();
  Table said;
  said.columns = {{"row"}, {"score"}, {"sd"}, {"reason", Column::Kind::text}};
  for (const Suggested& s : all) {
    said.columns[0].values.push_back(double(s.row + 1));
    said.columns[1].values.push_back(s.choice.score);
    said.columns[2].values.push_back(s.before);
    said.columns[3].texts.push_back(s.choice.reason);
  }
  for (Column& c : said.columns)
    while (table.find(c.name)) c.name += "_2";
  std::string lines, out = header_line(table);
  write_csv(lines, said, table.delimiter, table.decimal);
  std::istringstream rest(lines);
  std::string line;
  std::getline(rest, line);
  out += table.delimiter + line + "\n";
  for (const Suggested& s : all) {
    std::getline(rest, line);
    out += std::string(candidates.text(s.row)) + table.delimiter + line + "\n";
  }
  return out;
}

/// The value of a field, null where there is none.
nlohmann::ordered_json field_of(const Column& c, Index row) {
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
std::string as_json(const std::vector<Suggested>& all, const SuggestArguments& a, const FittedModel& m,
                    const Table& table) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  const Column* names = name_column(table);
  for (const Suggested& s : all) {
    nlohmann::ordered_json j{{"row", s.row + 1}};
    if (names) j["name"] = field_of(*names, s.row);
    j["score"] = s.choice.score, j["sd"] = s.before;
    if (!a.cost.empty()) j["cost"] = field_of(table.column(a.cost), s.row);
    j["probability"] = s.choice.probability, j["reason"] = s.choice.reason;
    for (const std::string& f : m->features) j["at"][f] = field_of(table.column(f), s.row);
    for (const Column& c : table.columns) j["columns"][c.name] = field_of(c, s.row);
    out.push_back(std::move(j));
  }
  return json_text(out);
}

void run(const SuggestArguments& a) {
  Messages messages(a.quiet);
  (void)parse_strategy(a.strategy);
  const FittedModel m = load_model(a.model);
  CsvReader candidates(a.candidates, csv_options(a.csv));
  candidates.next(std::numeric_limits<Index>::max());  // all rows, and their text
  const Table& table = candidates.table();
  messages.notes(table.notes);
  check_columns(table, m);
  const std::vector<Index> used = rows_in_use(table, m->used_features(), a.missing);
  if (const std::string note = dropped_note(table, m->used_features(), std::ssize(used)); !note.empty())
    messages.note(note);
  const std::vector<Index> rows = limited(a, used, messages);
  if (!m->request.transform.is_identity())
    messages.note(
        fmt::format("sds and scores are of {}, which the model is of", m->request.transform.of(m->target)));
  const std::vector<Suggested> all = chosen(a, m, table, rows, messages);
  write_output(a.out, a.json ? as_json(all, a, m, table) : as_csv(all, candidates));
}

}  // namespace

Run add_suggest(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("suggest", "Choose what to measure next from a table of candidates.");
  verb->footer(
      "  covary suggest model.json candidates.csv -n 4\n"
      "  covary suggest model.json candidates.csv --strategy uncertainty --cost euros");
  auto a = std::make_shared<SuggestArguments>();
  verb->add_option("MODEL", a->model, "Model file of covary fit -o")->required();
  verb->add_option("CANDIDATES", a->candidates, "A CSV file with the model's columns; - is standard input")
      ->required();
  verb->add_option("-n,--count", a->count, "Number of suggestions, to be measured together")
      ->transform(whole(1, 100000))
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("--strategy", a->strategy, "Query strategy; covary strategies lists them")
      ->type_name("NAME")
      ->capture_default_str();
  verb->add_option("--cost", a->cost, "A column with the cost of each: then gain per cost decides")
      ->type_name("NAME");
  verb->add_option("--random", a->random_share, "Share of random picks, so that nothing is out of reach")
      ->transform(number(0, 1))
      ->type_name("SHARE")
      ->capture_default_str();
  verb->add_option("--stop-sd", a->stop_sd,
                   "Say how many more labels bring the sd of f at every candidate down to this, or what all "
                   "of them leave; 0: do not")
      ->transform(not_negative())
      ->type_name("SD");
  verb->add_option("--unit", a->unit, "Unit of the target, used in messages")->type_name("UNIT");
  add_seed(*verb, a->seed);
  verb->add_option("--limit", a->limit, "Number of candidates to draw by chance from a large table; 0: all")
      ->transform(whole(0, 2000000000))
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("-o,--out", a->out, "Output file for the suggestions")
      ->type_name("FILE")
      ->capture_default_str();
  add_missing_option(*verb, a->missing);
  add_csv_options(*verb, a->csv);
  add_threads(*verb, a->threads);
  add_reporting(*verb, a->json, a->quiet);
  return [a] { run(*a); };
}

}  // namespace covary::cli
