// covary sample: functions drawn from a prior or a posterior, at the rows of a table.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "command.h"
#include "covary/base/error.h"
#include "covary/kernels/expression.h"
#include "covary/kernels/function.h"
#include "covary/model/model_file.h"
#include "covary/model/records.h"
#include "covary/table/table.h"
#include "inputs/grids.h"
#include "inputs/model_inputs.h"
#include "inputs/model_options.h"
#include "inputs/tables.h"
#include "json_text.h"
#include "output.h"
#include "words.h"

namespace covary::cli {
namespace {

struct SampleArguments {
  std::vector<std::string> files;  // [MODEL] GRID
  bool prior = false;
  std::string kernel, mean = "zero", noise = "0", features;
  Index draws = 10;
  std::uint64_t seed = 1;
  std::string of = "f", out = "-", at;  // at: --grid
  std::vector<std::string> types;
  std::string graph;
  CsvArguments csv;
  int threads = 0;
  std::string device = "cpu";
  bool json = false, quiet = false;
  const CLI::App* verb = nullptr;
};

/// The columns named, or those of numbers and dates and what the kernel reads besides.
Schema prior_columns(const SampleArguments& a, const Table& grid, Messages& messages) {
  std::vector<TypeRequest> types;
  for (const std::string& t : a.types) types.push_back(parse_type(t));
  const auto network = network_in(a.graph, a.csv, messages);
  if (!a.features.empty()) return schema_of(grid, names_in(a.features), types, network);
  std::vector<std::string> names;
  for (const Column& c : grid.columns)
    if (c.named() && !c.label) names.push_back(c.name);
  const Schema all = schema_of(grid, names, types, network);
  internal::check_nodes(grid, all, network);
  const std::vector<Index> used = internal::input_columns(all, a.kernel);
  if (used.empty())
    throw Error(Problem::data, fmt::format("{}: no column that the kernel reads", grid.source));
  return all.only(used);
}

/// A model that has seen no rows.
FittedModel prior(const SampleArguments& a, const Table& grid, Messages& messages) {
  const Schema columns = prior_columns(a, grid, messages);
  const std::vector<std::string> features = columns.names();
  const std::optional<double> noise = number_in(a.noise);
  if (!noise || *noise < 0)
    throw Error(Problem::usage, fmt::format("--noise: expected a variance, 0 or more, found '{}'", a.noise));
  const Kernel<Row> kernel = parse(a.kernel, columns);
  for (const Parameter& p : kernel.parameters())
    if (std::isnan(p.value))
      throw Error(Problem::usage,
                  fmt::format("--kernel: a prior needs every parameter given, {} is not: write for "
                              "example se(lengthscale=1)",
                              full_name(p, features)));
  Request request;
  request.schema = columns;
  return {{.request = std::move(request), .features = features, .kernel = kernel.text()},
          Process<Row>(kernel, parse_mean(a.mean, columns), Noise::of(*noise))};
}

/// The table, or the grid: over the data of a model, or over what is given alone.
Table points(const SampleArguments& a, const std::optional<FittedModel>& model) {
  if (a.at.empty()) return read_csv_file(a.files.back(), csv_options(a.csv));
  return model ? grid_table(a.at, *model) : grid_table(a.at);
}

/// Named so that no column of the table has the name.
std::string free_name(const Table& table, Index k) {
  std::string name = fmt::format("sample_{}", k);
  while (table.find(name) != nullptr) name += "_2";
  return name;
}

void check_arguments(const SampleArguments& a) {
  const size_t want = (a.prior ? 0 : 1) + (a.at.empty() ? 1 : 0);
  if (a.files.size() != want)
    throw Error(Problem::usage,
                !a.at.empty()
                    ? "--grid takes the place of a table: covary sample MODEL.json --grid N, or with "
                      "--prior no file at all"
                : a.prior ? "--prior takes one file: covary sample --prior --kernel EXPR GRID.csv"
                          : "two files are needed: covary sample MODEL.json GRID.csv (or --prior)");
  if (a.prior && a.kernel.empty()) throw Error(Problem::usage, "--prior needs --kernel EXPR");
  if (!a.prior)
    refuse_given(*a.verb, {"--kernel", "--mean", "--noise", "--features", "--type", "--graph"},
                 "applies to --prior: a model file has its own");
  if (want == 2 && a.files[0] == "-" && a.files[1] == "-")
    throw Error(Problem::usage, "the model and the grid cannot both be -");
}

/// The grid with a column for each draw.
std::string as_csv(Table grid, const Matrix& draws) {
  for (Index k = 0; k < draws.cols(); ++k)
    grid.columns.push_back(
        {.name = free_name(grid, k + 1), .values = {draws.col(k).begin(), draws.col(k).end()}});
  std::string csv;
  write_csv(csv, grid, grid.delimiter, grid.decimal);
  return csv;
}

/// {"of": "f", "seed": 1, ..., "samples": [[one value for each row], ...]}
std::string as_json(const SampleArguments& a, const FittedModel& m, const Matrix& draws) {
  nlohmann::ordered_json j{
      {"of", a.of},
      {"seed", a.seed},
      {m->weights ? "basis" : "kernel", m->weights ? m->weights->features.text() : m->kernel},
      {"features", m->features},
      {"samples", nlohmann::ordered_json::array()}};
  for (const auto& draw : draws.colwise())
    j["samples"].push_back(std::vector<double>(draw.begin(), draw.end()));
  return json_text(j, -1);
}

void run(const SampleArguments& a) {
  check_arguments(a);
  Messages messages(a.quiet);
  if (a.prior) (void)internal::read_expression(a.kernel);
  const std::optional<FittedModel> model = a.prior ? std::optional<FittedModel>() : load_model(a.files[0]);
  Table grid = points(a, model);
  messages.notes(grid.notes);
  const FittedModel source = model ? internal::on_device(*model, a.device) : prior(a, grid, messages);
  const std::vector<Index> rows = internal::all_indices(grid.rows());
  if (!a.prior) check_columns(grid, source);
  const Matrix x = a.prior ? encoded(grid, source->request.schema, rows) : model_inputs(grid, source, rows);
  if (!a.prior) {
    IgnoredColumns ignored(source);
    ignored.see(x);
    ignored.note(grid.source, messages);
  }
  condition_on_rows(source, a.threads, messages);
  const Matrix draws = source.sample(x, a.draws, a.seed, a.of == "y" ? Of::y : Of::f);
  write_output(a.out, a.json ? as_json(a, source, draws) : as_csv(std::move(grid), draws));
}

}  // namespace

Run add_sample(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("sample", "Draw functions from a model, or from a prior.");
  verb->footer(
      "  covary sample model.json grid.csv -n 20 --seed 1 -o samples.csv\n"
      "  covary sample model.json --grid 200\n"
      "  covary sample --prior --kernel '1.5 * se(lengthscale=2)' grid.csv");
  auto a = std::make_shared<SampleArguments>();
  a->verb = verb;
  verb->add_option(
          "MODEL GRID", a->files,
          "Model file of covary fit -o (not with --prior), and a CSV file of points (not with --grid)")
      ->expected(0, 2);
  add_grid_option(*verb, a->at);
  verb->add_option("-n,--draws", a->draws, "Number of functions to draw")
      ->transform(whole(1, 1000000))
      ->type_name("N")
      ->capture_default_str();
  add_seed(*verb, a->seed);
  add_choice(*verb, "--of", a->of, {"f", "y"}, "The function, or observations of it (with noise)");
  verb->add_flag("--prior", a->prior, "Draw from the prior of --kernel, without data");
  verb->add_option("-k,--kernel", a->kernel, "With --prior: kernel expression with every parameter given")
      ->type_name("EXPR");
  verb->add_option(
          "-m,--mean", a->mean,
          "With --prior: mean function, zero or with known coefficients: constant(3), linear(1, 0.5)")
      ->type_name("TREND")
      ->capture_default_str();
  verb->add_option("--noise", a->noise, "With --prior and --of y: noise variance")
      ->type_name("VARIANCE")
      ->capture_default_str();
  verb->add_option("-f,--features", a->features,
                   "With --prior: input columns of the kernel (default: numbers, dates, and those that the "
                   "kernel reads)")
      ->type_name("A,B");
  add_type_options(*verb, a->types, a->graph);
  verb->add_option("-o,--out", a->out, "Output file; - is standard output")
      ->type_name("FILE")
      ->capture_default_str();
  add_csv_options(*verb, a->csv);
  add_threads(*verb, a->threads);
  add_device(*verb, a->device);
  verb->add_flag("--json", a->json, "Print one JSON object instead of CSV");
  verb->add_flag("-q,--quiet", a->quiet, "Print no notes");
  return [a] { run(*a); };
}

}  // namespace covary::cli
