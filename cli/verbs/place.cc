// covary place: sensor placement among the candidates of a table, given a prior of the field.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "command.h"
#include "covary/base/error.h"
#include "inputs/model_options.h"
#include "pictures/picture_file.h"
#include "plots/place_map.h"
#include "reports/place_report.h"
#include "verbs/place_readings.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr Index many_places = 50000;

void check_source(const PlaceArguments& a) {
  std::vector<std::string> given;
  if (!a.models.empty()) given.emplace_back("--model");
  if (!a.history.empty()) given.emplace_back("--history");
  if (!a.covariance.empty()) given.emplace_back("--covariance");
  if (!a.kernel.empty() && a.history.empty()) given.emplace_back("--kernel");
  if (given.empty())
    throw Error(Problem::usage,
                "the prior of the field is missing: give --history READINGS.csv, --covariance C.csv, --model "
                "model.json or --kernel EXPR");
  if (given.size() > 1)
    throw Error(Problem::usage, fmt::format("{} do not go together: each is a complete prior of the field",
                                            fmt::join(given, " and ")));
}

/// Refuses options that need another one.
void check_belongs(const PlaceArguments& a) {
  const std::vector<std::pair<std::string, std::string>> needs{
      {"--shrink", "--history"},      {"--draws", "--model"}, {"--per-group", "--group"},
      {"--cost", "--budget"},         {"--budget", "--cost"}, {"--repeats", "--held-out"},
      {"--max-seconds", "--optimal"}, {"--beside", "--plot"}};
  for (const auto& [option, other] : needs)
    if (given(*a.verb, option) && !given(*a.verb, other) && !(option == "--repeats" && !a.plot_curve.empty()))
      throw Error(Problem::usage, fmt::format("{} needs {}", option, other));
  if (!a.models.empty())
    refuse_given(*a.verb, {"--coordinates"}, "does not go with --model, whose features they are");
  if (a.draws > 0 && a.models.size() > 1)
    throw Error(Problem::usage, "--draws needs one --model, not several");
}

void check_task(const PlaceArguments& a) {
  std::vector<std::string> ways;
  for (const char* way : {"--refine", "--optimal", "--robust", "--evaluate"})
    if (given(*a.verb, way)) ways.emplace_back(way);
  if (ways.size() > 1)
    throw Error(Problem::usage, fmt::format("{} do not go together", fmt::join(ways, " and ")));
  if (!a.evaluate.empty()) refuse_given(*a.verb, {"-k"}, "does not go with --evaluate, which gives the set");
  if (a.evaluate.empty() && !given(*a.verb, "-k") && a.budget == std::numeric_limits<double>::infinity())
    throw Error(Problem::usage, "the number of sensors is missing: give -k N, or --cost and --budget");
  if (!a.held_out.empty() && a.history.empty() && a.models.empty())
    throw Error(Problem::usage,
                "--held-out needs --history or --model: only these give the mean of the readings");
}

void check_arguments(const PlaceArguments& a) {
  bool local = false;
  for (const std::string& name : {a.criterion, a.beside})
    local = (!name.empty() && criterion_called(name).name == "local-mutual-information") || local;
  if (!local) refuse_given(*a.verb, {"--neighbors"}, "needs --criterion local-mutual-information");
  check_source(a);
  check_belongs(a);
  check_task(a);
  for (const std::string& p : {a.plot, a.plot_curve})
    if (!p.empty()) check_picture_name(p);
}

PlaceSearch search_of(const PlaceArguments& a) {
  if (!a.evaluate.empty()) return PlaceSearch::given;
  if (a.optimal) return PlaceSearch::optimal;
  if (a.robust) return PlaceSearch::robust;
  return a.refine ? PlaceSearch::refined : PlaceSearch::greedy;
}

/// The number of random sets to compare with.
Index sets_by_chance(const PlaceArguments& a, const Places& p, bool compared, Messages& messages) {
  if (!compared || p.size() <= many_places || given(*a.verb, "--repeats")) return a.repeats;
  messages.note("many places: only 10 random sets are drawn for comparison (--repeats)");
  return 10;
}

PlaceRequest request_of(const PlaceArguments& a, const Places& p, Messages& messages) {
  PlaceRequest out{.criterion = &criterion_called(a.criterion),
                   .k = a.k > 0 ? a.k : p.candidates(),
                   .search = search_of(a),
                   .compare = !a.plot_curve.empty()};
  if (!a.evaluate.empty()) out.set = listed_places(a, p, a.evaluate, "--evaluate");
  out.options = {
      .seed = a.seed, .threads = a.threads, .neighbors = a.neighbors, .max_seconds = a.max_seconds};
  out.options.progress = [&](double share) {
    messages.progress("placing sensors", share);
    return true;
  };
  out.repeats = sets_by_chance(a, p, out.compare || !a.held_out.empty(), messages);
  return out;
}

/// The set of as many sensors by the criterion --beside, and a note of what the two have in common.
Placed beside(const PlacementProblem& problem, const Placed& chosen, const PlaceArguments& a, const Places& p,
              const PlaceOptions& options, Messages& messages) {
  if (a.beside.empty()) return {};
  const CriterionEntry& other = criterion_called(a.beside);
  Placed out = place(problem, other, a.k > 0 ? a.k : std::ssize(chosen.picks), options);
  const std::vector<Index> these = chosen.places();
  std::vector<std::string> names;
  Index shared = 0;
  for (const Index i : out.places()) {
    shared += std::count(these.begin(), these.end(), i);
    names.push_back(p.names()[static_cast<size_t>(i)]);
  }
  messages.note(fmt::format("{} chooses {}: {} of {} places are the same", other.name, fmt::join(names, ", "),
                            shared, names.size()));
  return out;
}

void run(const PlaceArguments& a) {
  Messages messages(a.quiet);
  check_arguments(a);
  const std::vector<FittedModel> models = load_models(a);
  Places places = read_places(
      a, models.empty() ? Schema() : internal::schema_of(models[0]->request, models[0]->features), messages);
  if (!a.history.empty()) read_history(places, a, messages);
  if (!a.plot.empty()) check_mappable(places);
  const FieldPrior prior = prior_of(a, places, models, messages);
  if (places.has_coordinates()) places.where.distance = internal::distance_between(places.x);
  const PlacementProblem problem = problem_of(prior, places.where);
  PlaceRequest request = request_of(a, places, messages);
  PlaceResult r{.criterion = request.criterion, .field = prior.words, .sets = request.repeats};
  if (!a.held_out.empty()) {
    Readings readings = read_readings(a, places, a.held_out, "--held-out", places.candidates(), messages);
    request.held_out = std::move(readings.values), r.times = std::move(readings.times);
  }
  r.plan = place(prior, problem, request);
  if (!a.plot.empty()) {
    const Placed other = beside(problem, r.plan.placed, a, places, request.options, messages);
    write_picture(a.plot, as_svg(place_map(problem, r.plan.placed, other, prior, a, places), {860, 0}));
  }
  if (!a.plot_curve.empty()) write_picture(a.plot_curve, as_svg(place_curve(r, a, places), {}));
  write_output(a.out, a.json ? place_json(r, a, places) : place_csv(r, a, places));
  if (!a.json) messages.notes(place_words(r, a, places));
}

std::string criterion_names() {
  std::vector<std::string> names;
  for (const CriterionEntry& e : criteria()) names.push_back(e.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void add_field_options(CLI::App& verb, PlaceArguments& a) {
  verb.add_option("--history", a.history,
                  "Past readings: a CSV with a column for every place, named as it is, and a row for every "
                  "time; or columns:PATTERN, columns of CANDIDATES such as 'columns:train_*'")
      ->type_name("FILE");
  verb.add_option("--covariance", a.covariance,
                  "Covariances of the places: a square CSV, or columns:PATTERN of CANDIDATES")
      ->type_name("FILE");
  verb.add_option("--model", a.models,
                  "Model file of covary fit -o, whose features are the coordinates. Several: the criterion "
                  "is averaged")
      ->type_name("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb.add_option(
          "--kernel", a.kernel,
          "Kernel over the coordinates, see covary kernels; with --history it is fitted, and the history's "
          "covariances are shrunk towards it")
      ->type_name("EXPR");
  verb.add_option("--shrink", a.shrink,
                  "Shrinkage of the sample covariance towards its target, 0 to 1; auto: chosen by "
                  "cross-validation (default: 0; auto with --kernel)")
      ->type_name("SHARE");
  verb.add_option("--draws", a.draws,
                  "Number of draws of the model's uncertain hyper-parameters to average over")
      ->transform(whole(1, 1000))
      ->type_name("N");
  verb.add_option("--nugget", a.nugget, "Nugget: variance of each place alone, part of the field")
      ->transform(not_negative())
      ->type_name("V")
      ->capture_default_str();
  verb.add_option("--noise", a.noise,
                  "Noise of a sensor: a variance, or column:NAME with a standard deviation for each place "
                  "(default: the model's, or 0)")
      ->type_name("NOISE");
}

void add_place_options(CLI::App& verb, PlaceArguments& a) {
  verb.add_option("--name", a.name,
                  "Column that names places (default: name, station or id, or the number of the row)")
      ->type_name("COLUMN");
  verb.add_option("--coordinates", a.coordinates, "Columns with the coordinates of places")->type_name("A,B");
  add_type_options(verb, a.types, a.graph);
  verb.add_option("--existing", a.existing,
                  "Existing sensors: a CSV with coordinates or names, or names separated by commas")
      ->type_name("FILE");
  verb.add_option("--targets", a.targets, "Places to be predicted, given the same way (default: every place)")
      ->type_name("FILE");
  verb.add_option("--forbid", a.forbid, "Column that is 1, yes or true where no sensor may be placed")
      ->type_name("COLUMN");
  verb.add_option("--cost", a.cost, "Column with the cost of a sensor at each place")->type_name("COLUMN");
  verb.add_option("--budget", a.budget, "Total budget")->transform(positive())->type_name("B");
  verb.add_option("--min-distance", a.min_distance,
                  "Minimum distance between any two sensors, in units of the coordinates")
      ->transform(not_negative())
      ->type_name("D");
  verb.add_option("--group", a.group, "Column of groups, as rooms; at most --per-group sensors in each")
      ->type_name("COLUMN");
  verb.add_option("--per-group", a.per_group, "Maximum number of sensors in a group")
      ->transform(whole(1, 1000000))
      ->type_name("M")
      ->capture_default_str();
}

void add_task_options(CLI::App& verb, PlaceArguments& a) {
  verb.add_option("-k", a.k, "Number of sensors; may be left out with --budget")
      ->transform(whole(1, 1000000))
      ->type_name("K");
  verb.add_option("--criterion", a.criterion,
                  "Placement criterion, see covary criteria: " + criterion_names())
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option("--neighbors", a.neighbors,
                  "local-mutual-information: number of places that each place is compared with")
      ->transform(whole(1, 2000))
      ->type_name("N")
      ->capture_default_str();
  verb.add_flag("--refine", a.refine, "Swap sensors for other places as long as the value increases");
  verb.add_flag("--optimal", a.optimal, "Find the optimal set and prove it; for small problems");
  verb.add_option("--max-seconds", a.max_seconds,
                  "Time limit of --optimal, in seconds; then the best set so far and its proven bound")
      ->transform(positive())
      ->type_name("S")
      ->capture_default_str();
  verb.add_flag("--robust", a.robust, "Maximize the value after the worst failure of one sensor");
  verb.add_option("--evaluate", a.evaluate,
                  "Score this set instead: names of candidates, separated by commas or in a CSV")
      ->type_name("SET");
  verb.add_option("--held-out", a.held_out,
                  "Later readings, like --history: errors at places without a sensor, beside random sets")
      ->type_name("FILE");
  verb.add_option("--repeats", a.repeats, "Number of random sets")
      ->transform(whole(1, 100000))
      ->type_name("N")
      ->capture_default_str();
}

}  // namespace

Run add_place(CLI::App& app) {
  CLI::App* verb =
      app.add_subcommand("place", "Choose sensor locations that best predict the rest of the field.");
  verb->footer(
      "  covary place rooms.csv -k 10 --history readings.csv --nugget 0.05 --plot map.svg\n"
      "  covary place grid.csv -k 5 --model model.json --existing sensors.csv --forbid locked\n"
      "  covary place grid.csv --kernel '2 * matern52(lengthscale=3)' --cost euros --budget 900\n"
      "  covary place rooms.csv --history readings.csv --evaluate hall,roof,cellar");
  auto a = std::make_shared<PlaceArguments>();
  a->verb = verb;
  verb->add_option("CANDIDATES", a->candidates, "A CSV file with a row for every place; - is standard input")
      ->required();
  add_task_options(*verb, *a);
  add_field_options(*verb, *a);
  add_place_options(*verb, *a);
  verb->add_option("-o,--out", a->out, "Output file for the chosen sensors, in the order of choice")
      ->type_name("FILE")
      ->capture_default_str();
  verb->add_option("--plot", a->plot, "Map of the sensors and of the remaining uncertainty, as .svg or .png")
      ->type_name("FILE");
  verb->add_option("--beside", a->beside,
                   "Second criterion, whose set of as many sensors is drawn on the same map as diamonds")
      ->type_name("NAME");
  verb->add_option("--plot-curve", a->plot_curve,
                   "Picture of the remaining uncertainty with 1, 2, ... sensors")
      ->type_name("FILE");
  verb->add_option("--unit", a->unit, "Unit of the field, used in messages")->type_name("UNIT");
  add_seed(*verb, a->seed);
  add_missing_option(*verb, a->missing);
  add_csv_options(*verb, a->csv);
  add_threads(*verb, a->threads);
  add_device(*verb, a->device);
  add_reporting(*verb, a->json, a->quiet);
  return [a] { run(*a); };
}

}  // namespace covary::cli
