// covary plot: a picture of a model.
#include "plots/plot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "command.h"
#include "covary/base/error.h"
#include "covary/model/model_file.h"
#include "output.h"
#include "pictures/picture_file.h"

namespace covary::cli {
namespace {

struct PlotArguments {
  std::string model, out = "-", kind = "auto", interval = "95", of = "f", over, at, weights, rows;
  Size size;
  PlotOptions options;
  int threads = 0;
  bool quiet = false;
  CLI::App* verb = nullptr;

  bool given(const std::string& option) const { return cli::given(*verb, option); }
};

/// The models that a picture of this kind can show.
std::string needs(const std::string& kind) {
  if (kind == "curve")
    return "a model of one input, a number, date or category, or of a category and a number or date";
  if (kind == "map") return "a model of two inputs, numbers or dates";
  if (kind == "slices") return "an input that is a number, date or category";
  return kind == "weights" ? "a linear, ridge or bayes model" : "a Gaussian process";
}

/// Throws, with the kinds there are, if the model has no picture of this one.
std::string chosen_kind(const PlotArguments& a, const FittedModel& model) {
  const std::vector<std::string> kinds = kinds_of(model);
  if (a.kind == "auto") return kinds.front();
  if (std::count(kinds.begin(), kinds.end(), a.kind) == 0)
    throw Error(Problem::usage,
                fmt::format("--kind {}: expected {}, this one is {} of {}; it can be drawn as {}", a.kind,
                            needs(a.kind),
                            model->weights ? "a " + model->request.model + " model" : "a Gaussian process",
                            inputs_in_words(model), fmt::join(kinds, ", ")));
  return a.kind;
}

/// An option that does not apply to this kind is a usage error.
void check_options(const PlotArguments& a, const std::string& kind) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> belong{
      {"--samples", {"curve", "weights"}},
      {"--over", {"curve", "weights"}},
      {"--contours", {"map"}},
      {"--equal", {"map"}},
      {"--at", {"slices"}},
      {"--weights", {"weights"}},
      {"--rows", {"weights"}}};
  for (const auto& [option, its] : belong)
    if (a.given(option) && std::count(its.begin(), its.end(), kind) == 0)
      throw Error(Problem::usage, fmt::format("{} belongs to --kind {}, this picture is of kind {}", option,
                                              fmt::join(its, " or "), kind));
  if (kind == "kernel")
    for (const char* option : {"--of", "--interval", "--grid", "--seed"})
      if (a.given(option))
        throw Error(Problem::usage, fmt::format("{} does not apply to --kind kernel", option));
  if (kind == "observed" && a.given("--of") && a.of == "f")
    throw Error(Problem::usage, "--of f: observed compares with observations, so its intervals are of y");
}

PlotOptions options_of(const PlotArguments& a) {
  PlotOptions o = a.options;
  o.threads = a.threads;
  o.of = a.of == "y" ? Of::y : Of::f;
  const bool nested = a.kind == "weights" && !a.given("--interval");
  o.intervals = percents_in(nested ? "50,95" : a.interval, "--interval");
  std::sort(o.intervals.rbegin(), o.intervals.rend());
  o.intervals.erase(std::unique(o.intervals.begin(), o.intervals.end()), o.intervals.end());
  o.over = a.over;
  if (!a.at.empty()) o.at = names_in(a.at);
  if (!a.weights.empty()) o.weights = names_in(a.weights);
  if (!a.rows.empty()) o.rows = numbers_in(a.rows, "--rows");
  return o;
}

std::string picture(const std::string& kind, const FittedModel& m, const PlotOptions& o, const Size& size) {
  if (kind == "curve") return as_svg(curve_figure(m, o), size);
  if (kind == "map") return as_svg(map_figure(m, o), size);
  if (kind == "weights") return as_svg(weights_figure(m, o), size);
  if (kind == "kernel") return as_svg(kernel_figure(m, o), size);
  return as_svg(kind == "observed" ? observed_figure(m, o) : slices_figure(m, o), size);
}

void run(const PlotArguments& a) {
  Messages messages(a.quiet);
  const PlotOptions options = options_of(a);
  check_picture_name(a.out);
  const FittedModel model = load_model(a.model);
  const std::string kind = chosen_kind(a, model);
  check_options(a, kind);
  messages.notes(model.notes(a.threads));
  write_picture(a.out, picture(kind, model, options, a.size));
}

void add_content_options(CLI::App& verb, PlotArguments& a) {
  add_choice(
      verb, "-k,--kind", a.kind, {"auto", "curve", "map", "observed", "slices", "weights", "kernel"},
      "auto: curve of one input or by category, map of two, kernel of texts, sets, graphs and nodes, else "
      "observed");
  verb.add_option("-i,--interval", a.interval, "Percent inside the band; several are nested (weights: 50,95)")
      ->type_name("P,..")
      ->capture_default_str();
  add_choice(verb, "--of", a.of, {"f", "y"}, "The function, or a new observation of it (with noise)");
  verb.add_option("--over", a.over, "curve, weights: range of the input, LOW to HIGH, numbers or dates")
      ->type_name("LOW,HIGH");
  verb.add_option("--samples", a.options.samples, "curve, weights: number of functions to draw")
      ->transform(whole(0, 100))
      ->type_name("N");
  add_seed(verb, a.options.seed);
  verb.add_flag("--contours", a.options.contours, "map: lines of equal value, labelled");
  verb.add_flag("--equal", a.options.equal, "map: same scale for both inputs, for inputs in the same unit");
  verb.add_option("--at", a.at, "slices: values at which inputs are held (default: their medians)")
      ->type_name("NAME=VALUE,..");
  verb.add_option("--weights", a.weights, "weights: the two weights to show (default: the first two)")
      ->type_name("A,B");
  verb.add_option("--rows", a.rows, "weights: numbers of rows after which the posterior is shown")
      ->type_name("N,..");
  verb.add_option("--grid", a.options.grid,
                  "Number of points of a curve or slice, or of cells along each side of a map")
      ->transform(whole(2, 2000))
      ->type_name("N");
}

void add_look_options(CLI::App& verb, PlotArguments& a) {
  verb.add_option("--title", a.options.title, "Title (default: what is shown)");
  verb.add_option("--width", a.size.width, "Width in pixels")
      ->transform(whole(240, 10000))
      ->type_name("N")
      ->capture_default_str();
  verb.add_option("--height", a.size.height, "Height in pixels (default: suits the width)")
      ->transform(whole(120, 20000))
      ->type_name("N");
}

}  // namespace

Run add_plot(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("plot", "Draw a model: the function, or how well it predicts.");
  verb->footer(
      "  covary plot model.json -o fit.svg\n"
      "  covary plot model.json -o fit.png --interval 50,95 --samples 5 --width 1200\n"
      "  covary plot model.json -o slices.svg --kind slices --at temperature=20\n"
      "  covary plot co2.json -o co2.svg --over 2000-01-01,2020-01-01\n"
      "  covary plot line.json -o weights.svg --kind weights --rows 0,1,2,20");
  auto a = std::make_shared<PlotArguments>();
  a->verb = verb;
  verb->add_option("MODEL", a->model, "Model file of covary fit -o; - is standard input")->required();
  verb->add_option("-o,--out", a->out,
                   "Output picture, whose name ends in .svg or .png; - is standard output, as SVG")
      ->type_name("FILE")
      ->capture_default_str();
  add_content_options(*verb, *a);
  add_look_options(*verb, *a);
  add_threads(*verb, a->threads);
  verb->add_flag("-q,--quiet", a->quiet, "Print no notes");
  return [a] { run(*a); };
}

}  // namespace covary::cli
