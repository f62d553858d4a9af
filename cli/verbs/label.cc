// covary label: labels for all of a table from the labels of a few of its rows, and which rows to label next.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "command.h"
#include "covary/base/error.h"
#include "covary/base/percent.h"
#include "covary/design/label_pool.h"
#include "inputs/model_options.h"
#include "json_text.h"
#include "output.h"
#include "reports/appended_columns.h"
#include "words.h"

namespace covary::cli {
namespace {

struct LabelArguments : ModelArguments {
  LabelPoolOptions pool;
  std::string out;
  bool json = false, quiet = false;
};

/// The classes that a column names: its words in alphabetical order, or its numbers by size.
std::vector<std::string> class_names(const Column& c) {
  std::vector<std::string> out;
  if (c.kind == Column::Kind::text) {
    std::set<std::string> words(c.texts.begin(), c.texts.end());
    words.erase("");
    out.assign(words.begin(), words.end());
  } else {
    std::set<double> numbers;
    for (const double v : c.values)
      if (!std::isnan(v)) numbers.insert(v);
    for (const double v : numbers) out.push_back(internal::format_number(v));
  }
  return out;
}

/// A class for each row, -1 where the field is empty.
std::vector<Index> classes_in(const Column& c, const std::vector<std::string>& names) {
  std::vector<Index> out(static_cast<size_t>(c.rows()), -1);
  for (size_t i = 0; i < out.size(); ++i) {
    if (std::binary_search(c.missing.begin(), c.missing.end(), Index(i))) continue;
    const std::string word = c.kind == Column::Kind::text ? c.texts[i] : internal::format_number(c.values[i]);
    if (!word.empty()) out[i] = std::find(names.begin(), names.end(), word) - names.begin();
  }
  return out;
}

/// A table, its rows in use, and what is known of them.
struct Labels {
  Training training;
  std::vector<std::string> classes;
  std::vector<Index> known;  // of each row in use, or -1
};

/// The target may be empty: for the columns and rows in use it counts as a number that is always there.
Labels read_labels(const LabelArguments& a, Messages& messages) {
  Table table = read_table(a.data, a.csv, messages);
  if (a.target.empty()) return {training_of(std::move(table), a, messages), {}, {}};  // throws
  const Column target = table.column(a.target);
  Labels out{{}, class_names(target), {}};
  if (out.classes.size() > 200)
    throw Error(Problem::limit, fmt::format("{}: column '{}' has {} classes, at most 200 can be told apart",
                                            table.source, a.target, out.classes.size()));
  for (Column& c : table.columns)
    if (c.name == a.target)
      c = {c.name, Column::Kind::number, std::vector<double>(static_cast<size_t>(c.rows()), 0)};
  out.training = training_of(std::move(table), a, messages);
  check_readable_rows(out.training, a);
  const std::vector<Index> known = classes_in(target, out.classes);
  for (const Index row : out.training.selection.rows) out.known.push_back(known[static_cast<size_t>(row)]);
  return out;
}

std::string percent_of(double share) { return fmt::format("{:.2g} %", 100 * share); }

std::string class_of(const Labels& l, Index kind) {
  return l.classes.empty() ? "" : l.classes[static_cast<size_t>(kind)];
}

std::string summary(const LabelledPool& all, const Labels& l, const LabelArguments& a) {
  const auto told = std::ssize(l.known) - std::count(l.known.begin(), l.known.end(), -1);
  std::string out = text_table(
      {{"labels:", fmt::format("{} of {}, {}", told, counted(std::ssize(l.known), "row"),
                               counted(std::ssize(l.classes), "class", "classes"))},
       {"clusters:", fmt::format("{}", all.clusters.size())},
       {"wrong:", told == 0 ? "unknown without labels"
                            : fmt::format("{} of the rows estimated, at most {} ({:g} %)",
                                          percent_of(all.error), percent_of(all.limit), a.pool.percent)}});
  if (all.next.empty()) return out;
  std::vector<std::vector<std::string>> rows{{"label next", "drawn from"}};
  for (const Choice& c : all.next) rows.push_back({l.training.selection.row_name(c.candidate), c.reason});
  return out + "\n" + text_table(rows);
}

std::string as_json(const LabelledPool& all, const Labels& l) {
  const auto row_of = [&](Index i) { return l.training.selection.rows[static_cast<size_t>(i)] + 1; };
  nlohmann::ordered_json out{{"classes", l.classes}, {"error", all.error}, {"limit", all.limit}};
  out["clusters"] = nlohmann::ordered_json::array();
  for (const ClusterSampling::Cluster& c : all.clusters)
    out["clusters"].push_back({{"rows", c.size},
                               {"labels", c.labels},
                               {"class", class_of(l, c.kind)},
                               {"share", c.share},
                               {"lower", c.lower}});
  out["next"] = nlohmann::ordered_json::array();
  for (const Choice& c : all.next)
    out["next"].push_back({{"row", row_of(c.candidate)},
                           {"probability", c.probability},
                           {"open", c.open},
                           {"reason", c.reason}});
  return json_text(out);
}

/// The rows as they came, with their label, how probably it is wrong, and their cluster behind.
std::string as_csv(const LabelledPool& all, const Labels& l, const LabelArguments& a) {
  CsvReader reader(a.data, csv_options(a.csv));
  reader.next(std::numeric_limits<Index>::max());
  Table said;
  said.columns = {{a.target + "_label", Column::Kind::text}, {"error"}, {"cluster"}};
  for (size_t i = 0; i < l.known.size(); ++i) {
    said.columns[0].texts.push_back(class_of(l, all.labels[i]));
    said.columns[1].values.push_back(all.errors[Index(i)]);
    said.columns[2].values.push_back(double(all.cluster[i] + 1));
  }
  return with_columns_behind(reader, l.training.selection.rows, std::move(said));
}

void run(LabelArguments a) {
  Messages messages(a.quiet);
  internal::check_percent(a.pool.percent, "--interval");
  if (a.data == "-" && !a.out.empty())
    throw Error(Problem::usage, "-o repeats the rows of POOL, which cannot be standard input then");
  check_request(a);
  const Labels l = read_labels(a, messages);
  const Selection& s = l.training.selection;
  if (a.kernel == "auto") a.kernel = internal::default_kernel(s.schema, "se()");
  a.pool.seed = a.options.seed, a.pool.threads = a.options.threads;
  const Kernel<Row> kernel = model_of(s, a.kernel, "zero").kernel;
  const LabelledPool all =
      label_pool(kernel, s.x, l.known, std::max<Index>(2, std::ssize(l.classes)), a.pool);
  if (!a.out.empty()) write_output(a.out, as_csv(all, l, a));
  if (a.out != "-") print(a.json ? as_json(all, l) : summary(all, l, a));
}

}  // namespace

Run add_label(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "label", "Label all rows of a table from a few labelled ones, and choose which to label next.");
  verb->footer(
      "  covary label pool.csv --target kind -n 10\n"
      "  covary label pool.csv --target kind -o labelled.csv");
  auto a = std::make_shared<LabelArguments>();
  verb->add_option("POOL", a->data, "A CSV file whose target is empty where a row has no label yet")
      ->required();
  add_table_options(*verb, *a, "Column of classes");
  verb->add_option("-n,--count", a->pool.count, "Number of rows to draw for labelling next")
      ->transform(whole(0, 100000))
      ->type_name("N")
      ->capture_default_str();
  verb->add_option(
          "-k,--kernel", a->kernel,
          "Kernel expression whose distances define the clusters; auto: se(), times a kernel for each "
          "other type")
      ->type_name("EXPR")
      ->capture_default_str();
  verb->add_option("--factor", a->pool.factor,
                   "Admissibility factor, above 1: a class is admissible for a cluster if it errs at most "
                   "this many times as often as any other might")
      ->transform(number(1, 1000000))
      ->type_name("B")
      ->capture_default_str();
  verb->add_option("--interval", a->pool.percent, "Confidence of the upper limit of wrong labels, in percent")
      ->type_name("PERCENT")
      ->capture_default_str();
  verb->add_option("-o,--out", a->out, "Output file: the rows, their labels and how probably each is wrong")
      ->type_name("FILE");
  add_seed(*verb, a->options.seed);
  add_threads(*verb, a->options.threads);
  add_reporting(*verb, a->json, a->quiet);
  return [a] { run(*a); };
}

}  // namespace covary::cli
