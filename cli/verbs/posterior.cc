// covary posterior: the posterior density of parameters, from a model of their log likelihood.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "covary/base/error.h"
#include "covary/design/posterior_density.h"
#include "covary/gaussian/univariate.h"
#include "covary/model/model_file.h"
#include "covary/table/grid.h"
#include "inputs/grids.h"
#include "inputs/impossible.h"
#include "inputs/tables.h"
#include "json_text.h"
#include "output.h"
#include "pictures/picture_file.h"
#include "plots/density.h"
#include "words.h"

namespace covary::cli {
namespace {

struct PosteriorArguments {
  std::string model, grid, prior = "uniform", impossible, out, samples, plot;
  double percent = 95;
  Index points = 0, count = 1000, draws = 200;
  std::uint64_t seed = 1;
  CsvArguments csv;
  int threads = 0;
  bool json = false, quiet = false;
  const CLI::App* verb = nullptr;
};

/// Points along a parameter by default, and parameters that have a grid by default.
constexpr Index default_points[] = {401, 101, 31};
constexpr Index default_drawn = 10000;

void check_arguments(const PosteriorArguments& a) {
  if (!a.plot.empty()) check_picture_name(a.plot);
  if (a.samples.empty())
    refuse_given(*a.verb, {"--count"}, "needs --samples FILE, where the samples are written");
}

void check_numbers(const FittedModel& m) {
  const Schema columns = internal::schema_of(m->request, m->features);
  for (Index k = 0; k < columns.size(); ++k)
    if (columns[k].type != ColumnType::number && columns[k].type != ColumnType::integer)
      throw Error(Problem::usage,
                  fmt::format("posterior: parameters are numbers, '{}' is a column of type {}",
                              columns[k].name, text_of(columns[k].type)));
}

/// The axes; where points are drawn only their ranges count.
std::vector<GridAxis> axes_of(const PosteriorArguments& a, const FittedModel& m, bool drawn) {
  const size_t d = m->features.size();
  const std::string usual = drawn || d > 3 ? "2" : std::to_string(default_points[d - 1]);
  if (a.grid.empty()) return parse_grid(usual, m->features, m->x);
  const bool has_count = a.grid.find_first_not_of("0123456789 ") == a.grid.npos;
  if (has_count) return parse_grid(a.grid, m->features, m->x);
  try {
    return parse_grid(a.grid + ", " + usual, m->features, m->x);
  } catch (const Error&) {
    return parse_grid(a.grid, m->features, m->x);  // it has a count of its own; or this says what is wrong
  }
}

PosteriorDensity density_of(const PosteriorArguments& a, const FittedModel& m, Messages& messages) {
  const bool drawn = a.points > 0 || (m->features.size() > 3 && a.grid.empty());
  DensityOptions o{.draws = a.draws, .percent = a.percent, .seed = a.seed, .threads = a.threads};
  std::vector<ParameterPrior> prior;
  std::vector<Index> counts;
  for (const GridAxis& axis : axes_of(a, m, drawn)) {
    prior.push_back({axis.name, axis.low, axis.count == 1 ? axis.low : axis.high});
    counts.push_back(axis.count);
  }
  o.joint = a.prior == "joint";
  if (!o.joint) internal::read_prior(a.prior, prior);
  o.impossible = impossible_rows(a.impossible, m, a.csv, messages);
  return drawn ? sampled_density(m, prior, a.points > 0 ? a.points : default_drawn, o)
               : grid_density(m, prior, counts, o);
}

std::vector<std::string> line_of(const std::string& what, const IntervalEstimate& e) {
  return {what, internal::rounded(e.value), internal::rounded(e.lower), internal::rounded(e.upper)};
}

std::string report(const PosteriorDensity& p, const FittedModel& m) {
  const std::vector<IntervalEstimate> means = p.means(), sds = p.sds();
  std::vector<std::vector<std::string>> rows{
      {"", "estimate", fmt::format("lower {:g} %", p.percent()), fmt::format("upper {:g} %", p.percent())},
      line_of("log evidence", p.log_evidence())};
  for (size_t k = 0; k < means.size(); ++k) {
    if (p.prior()[k].held()) continue;
    rows.push_back(line_of("mean of " + p.prior()[k].name, means[k]));
    rows.push_back(line_of("sd of " + p.prior()[k].name, sds[k]));
  }
  return text_table(rows) + fmt::format("from {}; {} points, as informative as {:.0f} of equal mass\n",
                                        counted(m->y.size(), "log likelihood"), p.points().rows(),
                                        p.effective_points());
}

nlohmann::ordered_json as_json(const IntervalEstimate& e) {
  return {{"value", e.value}, {"lower", e.lower}, {"upper", e.upper}};
}

std::string as_json(const PosteriorDensity& p, const FittedModel& m) {
  const std::vector<IntervalEstimate> means = p.means(), sds = p.sds();
  const Matrix covariance = p.covariance();
  nlohmann::ordered_json j{{"target", m->target},
                           {"log_likelihoods", m->y.size()},
                           {"percent", p.percent()},
                           {"log_evidence", as_json(p.log_evidence())},
                           {"points", p.points().rows()},
                           {"effective_points", p.effective_points()},
                           {"parameters", nlohmann::ordered_json::array()},
                           {"covariance", nlohmann::ordered_json::array()},
                           {"notes", p.notes()}};
  for (size_t k = 0; k < means.size(); ++k) {
    const ParameterPrior& prior = p.prior()[k];
    j["parameters"].push_back({{"name", prior.name},
                               {"low", prior.low},
                               {"high", prior.high},
                               {"prior", prior.held()      ? "held"
                                         : prior.uniform() ? "uniform"
                                                           : "normal"},
                               {"mean", as_json(means[k])},
                               {"sd", as_json(sds[k])}});
    if (!prior.uniform())
      j["parameters"].back()["prior_mean"] = prior.mean, j["parameters"].back()["prior_sd"] = prior.sd;
    const Vector row = covariance.row(Index(k));
    j["covariance"].push_back(std::vector<double>(row.begin(), row.end()));
  }
  return json_text(j);
}

Table with_columns(const FittedModel& m, const Matrix& points) {
  Table t;
  for (Index k = 0; k < points.cols(); ++k)
    t.columns.push_back({.name = m->features[static_cast<size_t>(k)],
                         .values = {points.col(k).begin(), points.col(k).end()}});
  return t;
}

/// The points with the density, its interval and the mass.
std::string density_csv(const PosteriorDensity& p, const FittedModel& m) {
  const double z = internal::interval_quantile(p.percent());
  Table t = with_columns(m, p.points());
  for (const auto& [name, values] : {std::pair<const char*, Vector>{"density", p.density()},
                                     {"lower", p.density_at(-z)},
                                     {"upper", p.density_at(z)},
                                     {"mass", p.mass()}}) {
    Column c{.name = name, .values = {values.begin(), values.end()}};
    while (t.find(c.name) != nullptr) c.name += "_2";
    t.columns.push_back(std::move(c));
  }
  std::string csv;
  write_csv(csv, t);
  return csv;
}

std::string samples_csv(const PosteriorDensity& p, const FittedModel& m, Index count, std::uint64_t seed) {
  std::string csv;
  write_csv(csv, with_columns(m, p.sample(count, seed)));
  return csv;
}

void run(const PosteriorArguments& a) {
  check_arguments(a);
  Messages messages(a.quiet);
  const FittedModel m = load_model(a.model);
  check_numbers(m);
  const PosteriorDensity p = density_of(a, m, messages);
  messages.notes(p.notes());
  if (!a.plot.empty()) write_picture(a.plot, density_picture(p, m->x));
  if (!a.out.empty()) write_output(a.out, density_csv(p, m));
  if (!a.samples.empty()) write_output(a.samples, samples_csv(p, m, a.count, a.seed));
  if (a.out != "-" && a.samples != "-") print(a.json ? as_json(p, m) : report(p, m));
}

void add_density_options(CLI::App& verb, PosteriorArguments& a) {
  verb.add_option(
          "--grid", a.grid,
          "Grid and ranges of the parameters, over the rows of the model unless given: '101, x=0..10, z=5' "
          "(default: 401 points of one parameter, 101 along each of two, 31 of three)")
      ->type_name("GRID");
  verb.add_option(
          "--points", a.points,
          "Number of points drawn by importance sampling over the ranges, in place of a grid (default for "
          "more than three parameters: 10000)")
      ->transform(whole(100, 1000000))
      ->type_name("N");
  verb.add_option(
          "--prior", a.prior,
          "Prior of the parameters, by name or of all: uniform, normal(mean=0, sd=2), 'x=normal(0, 2)', on "
          "their ranges; joint: the model holds log likelihood + log prior")
      ->type_name("PRIOR")
      ->capture_default_str();
  add_impossible_option(verb, a.impossible);
  verb.add_option("-i,--interval", a.percent, "Percent inside the intervals")
      ->transform(number(1, 99.9))
      ->type_name("P")
      ->capture_default_str();
  verb.add_option("--draws", a.draws, "Number of draws of the log likelihood, for the intervals")
      ->transform(whole(10, 100000))
      ->type_name("N")
      ->capture_default_str();
}

}  // namespace

Run add_posterior(CLI::App& app) {
  CLI::App* verb =
      app.add_subcommand("posterior", "Estimate a posterior density from a model of the log likelihood.");
  verb->footer(
      "  covary posterior likelihood.json --grid 'rate=0..5' --prior 'rate=normal(1, 2)'\n"
      "  covary posterior likelihood.json -o density.csv --samples draws.csv -n 500 --plot density.svg");
  auto a = std::make_shared<PosteriorArguments>();
  a->verb = verb;
  verb->add_option("MODEL", a->model, "Model file of covary fit -o, of a column of log likelihoods")
      ->required();
  add_density_options(*verb, *a);
  verb->add_option("-n,--count", a->count, "Number of samples for --samples")
      ->transform(whole(1, 10000000))
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("--samples", a->samples, "Output file for samples of the posterior, as CSV")
      ->type_name("FILE");
  verb->add_option("-o,--out", a->out, "Output file for the density at the points, as CSV")
      ->type_name("FILE");
  verb->add_option("--plot", a->plot, "Density of one parameter or map of two, as .svg or .png")
      ->type_name("FILE");
  add_seed(*verb, a->seed);
  add_csv_options(*verb, a->csv);
  add_threads(*verb, a->threads);
  add_reporting(*verb, a->json, a->quiet);
  return [a] { run(*a); };
}

}  // namespace covary::cli
