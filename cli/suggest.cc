// covary suggest: what to measure next, from a table of candidates.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "command.h"
#include "covary/error.h"
#include "covary/model_file.h"
#include "covary/select/coverage.h"
#include "covary/select/selector.h"
#include "output.h"
#include "tables.h"
#include "words.h"

namespace covary::cli {
namespace {

struct SuggestArguments {
  std::string model, candidates, strategy = "variance-reduction", cost, out = "-", missing = "error";
  Index count = 1;
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

Process<Row> process_of(const SavedModel& m, const Predictor& p) {
  if (const Process<Row>* process = p.process()) return *process;
  throw Error(Problem::usage,
              fmt::format("suggest needs a Gaussian process, this is a model of kind {}", m.asked.model));
}

double largest_sd(const Selector& s, const SavedModel& m) {
  const Vector variance = s.belief().variance();
  double most = 0;
  for (Index i = 0; i < variance.size(); ++i)
    if (s.is_open(i)) most = std::max(most, variance[i]);
  return m.scale * std::sqrt(most);
}

/// How many more until every candidate is as certain as asked for: variances do not depend on what will be
/// measured, so that can be played through.
std::string forecast(const SuggestArguments& a, Selector s, const SavedModel& m) {
  constexpr Index most = 1000;
  const std::string goal = fmt::format("{}{}{}", rounded(a.stop_sd), a.unit.empty() ? "" : " ", a.unit);
  const double now = largest_sd(s, m);
  if (now <= a.stop_sd) return fmt::format("no candidate's sd is above {}: that is enough", goal);
  Index more = 0;
  while (largest_sd(s, m) > a.stop_sd && more < most && s.open() > 0) s.suggest(), ++more;
  if (more == most)
    return fmt::format("the largest sd is {}; more than {} labels to reach {}", rounded(now), most, goal);
  return fmt::format("the largest sd is {}; about {} to reach {}, with these parameters", rounded(now),
                     counted(more, "more label", "more labels"), goal);
}

/// Candidates first, then what was measured already.
std::vector<Suggested> chosen(const SuggestArguments& a, const SavedModel& m, const Table& table,
                              const std::vector<Index>& rows, Messages& messages) {
  const Predictor predictor = restored(m, a.threads);
  const Process<Row> process = process_of(m, predictor);
  const Matrix x = numbers(table, m.features, rows), all = join(x, m.x);
  const Index n = x.rows(), measured = m.x.rows();
  SelectorOptions o;
  o.seed = a.seed, o.random_share = a.random_share, o.threads = a.threads;
  if (!a.cost.empty()) {
    o.cost = Vector::Ones(n + measured);
    o.cost.head(n) = numbers(table, {a.cost}, rows).col(0);
    for (Index i = 0; i < n; ++i)
      if (!(o.cost[i] > 0))
        throw Error(Problem::data, fmt::format("{}: expected a positive cost, found {}",
                                               table.where(rows[static_cast<size_t>(i)], a.cost), o.cost[i]));
  }
  if (process.noise().kind == Noise::Kind::rows)
    throw Error(Problem::usage,
                "the noise of labels to come is not known: this model has one noise for each row");
  Selector s(parse_strategy(a.strategy), pool_of<Row>(process, all), std::move(o));
  std::vector<Index> known = everyone(measured);
  for (Index& i : known) i += n;
  s.tell(known, m.y / m.scale);
  if (a.count > n)
    throw Error(Problem::data,
                fmt::format("{} candidates were asked for, {} has {}", a.count, table.source, n));
  for (const std::string& w : coverage(s.belief(), a.seed).warnings) messages.note(w);
  const Vector lean = leaning(all, known);
  Index column = 0;
  if (measured >= 10 && lean.cwiseAbs().maxCoeff(&column) > 0.75)
    messages.note(fmt::format("what was measured leans towards {} {}: by {:.2g} standard deviations of all",
                              lean[column] > 0 ? "large" : "small", m.features[static_cast<size_t>(column)],
                              std::abs(lean[column])));
  if (a.stop_sd > 0) {
    Selector ahead(parse_strategy(a.strategy), pool_of<Row>(process, all),
                   {.seed = a.seed, .threads = a.threads});
    ahead.tell(known, m.y / m.scale);
    messages.note(forecast(a, std::move(ahead), m));
  }
  const Vector sd = m.scale * s.belief().variance().cwiseSqrt();
  std::vector<Suggested> out;
  for (Choice& c : s.suggest(a.count)) {
    const Index i = c.candidate;
    out.push_back({std::move(c), rows[static_cast<size_t>(i)], sd[i]});
  }
  return out;
}

/// The rows as they came, with what is said of them behind.
std::string as_csv(const std::vector<Suggested>& all, const Table& table) {
  Table chosen = table;
  chosen.columns.clear();
  std::vector<Index> rows;
  for (const Suggested& s : all) rows.push_back(s.row);
  for (const Column& c : table.columns) {
    Column some{c.name, c.kind};
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto r = static_cast<size_t>(rows[i]);
      if (c.kind == Column::Kind::number)
        some.values.push_back(c.values[r]);
      else
        some.texts.push_back(c.texts[r]);
      if (std::binary_search(c.missing.begin(), c.missing.end(), rows[i])) some.missing.push_back(Index(i));
    }
    chosen.columns.push_back(std::move(some));
  }
  Column row{"row", Column::Kind::number}, score{"score", Column::Kind::number},
      sd{"sd", Column::Kind::number}, reason{"reason", Column::Kind::text};
  for (const Suggested& s : all) {
    row.values.push_back(double(s.row + 1)), score.values.push_back(s.choice.score);
    sd.values.push_back(s.before), reason.texts.push_back(s.choice.reason);
  }
  for (Column& c : std::vector<Column>{row, score, sd, reason}) {
    while (chosen.find(c.name)) c.name += "_2";
    chosen.columns.push_back(c);
  }
  std::string out;
  write_csv(out, chosen, table.delimiter);
  return out;
}

std::string as_json(const std::vector<Suggested>& all, const SavedModel& m, const Matrix& x) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (size_t i = 0; i < all.size(); ++i) {
    nlohmann::ordered_json j{{"row", all[i].row + 1},
                             {"score", all[i].choice.score},
                             {"sd", all[i].before},
                             {"probability", all[i].choice.probability},
                             {"reason", all[i].choice.reason}};
    for (size_t k = 0; k < m.features.size(); ++k) j["at"][m.features[k]] = x(Index(i), Index(k));
    out.push_back(std::move(j));
  }
  return out.dump(2) + "\n";
}

void run(const SuggestArguments& a) {
  Messages messages(a.quiet);
  (void)parse_strategy(a.strategy);
  const SavedModel m = load_model(a.model);
  const Table table = read_csv_file(a.candidates, csv_options(a.csv));
  messages.notes(table.notes);
  for (const std::string& f : m.features) table.column(f);
  const std::vector<Index> rows = rows_in_use(table, m.features, a.missing);
  const std::vector<Suggested> all = chosen(a, m, table, rows, messages);
  std::vector<Index> which;
  for (const Suggested& s : all) which.push_back(s.row);
  write_output(a.out, a.json ? as_json(all, m, numbers(table, m.features, which)) : as_csv(all, table));
}

}  // namespace

Run add_suggest(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("suggest", "What to measure next, from a table of candidates.");
  verb->footer(
      "  covary suggest model.json candidates.csv -n 4\n"
      "  covary suggest model.json candidates.csv --strategy uncertainty --cost euros");
  auto a = std::make_shared<SuggestArguments>();
  verb->add_option("MODEL", a->model, "From covary fit")->required();
  verb->add_option("CANDIDATES", a->candidates, "A CSV file with the model's columns; - is standard input")
      ->required();
  verb->add_option("-n,--count", a->count, "How many, to be measured together")
      ->check(CLI::Range(1, 100000).description(""))
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("--strategy", a->strategy, "See covary strategies")
      ->type_name("NAME")
      ->capture_default_str();
  verb->add_option("--cost", a->cost, "A column with the cost of each: then gain per cost decides")
      ->type_name("NAME");
  verb->add_option("--random", a->random_share, "Share of picks by chance, so that nothing is out of reach")
      ->check(CLI::Range(0.0, 1.0).description(""))
      ->type_name("SHARE")
      ->capture_default_str();
  verb->add_option("--stop-sd", a->stop_sd,
                   "Say how many more are needed until no candidate's sd is larger; 0: do not")
      ->type_name("SD");
  verb->add_option("--unit", a->unit, "Of the target, for what is said of it")->type_name("UNIT");
  verb->add_option("--seed", a->seed, "Of everything that chance decides")
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("-o,--out", a->out, "Where the suggestions go")->type_name("FILE")->capture_default_str();
  add_missing_option(*verb, a->missing);
  add_csv_options(*verb, a->csv);
  add_threads(*verb, a->threads);
  add_reporting(*verb, a->json, a->quiet);
  return [a] { run(*a); };
}

}  // namespace covary::cli
