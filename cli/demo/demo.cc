// covary demo: from prior to posterior, learning from noisy data, and what every course shows, in seconds.
#include "demo/demo.h"

#include <fmt/format.h>

#include <filesystem>

#include "command.h"
#include "covary/base/error.h"
#include "output.h"

namespace covary::cli {
namespace {

void make_folder(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Error(Problem::failed, fmt::format("{}: cannot be made: {}", folder, failed.message()));
}

void run(const std::string& what, const std::string& folder) {
  make_folder(folder);
  const bool all = what == "all";
  if (all || what == "short" || what == "lecture") show_lecture(folder, what == "lecture" ? "" : "1. ");
  if (all || what == "short" || what == "sinc") show_learning(folder, what == "sinc" ? "" : "\n2. ");
  if (all || what == "sine") show_studies(sine(), folder);
  if (all || what == "sinc") show_studies(sinc(), folder);
  const std::vector<std::pair<std::string, std::function<void()>>> next{
      {"thresholds", show_thresholds},
      {"bias", [&] { show_bias(folder); }},
      {"clusters", [&] { show_clusters(folder); }},
      {"explore", [&] { show_exploring(folder); }},
      {"best", [&] { show_best(folder); }},
      {"density", [&] { show_density(folder); }},
      {"sensors", [&] { show_sensors(folder); }}};
  for (const auto& [name, show] : next) {
    if (all) print("\n");
    if (all || what == name) show();
  }
  if (what == "short")
    print(
        "\nMore: covary demo sine, covary demo sinc (more and more points, more and more noise), covary demo "
        "thresholds, bias, clusters (what to label next), explore, best, density, sensors (what to measure "
        "next), "
        "covary demo all.\n");
}

}  // namespace

Chart picture(const Process<Row>& process, const Data& d, double low, double high) {
  const Vector x = Vector::LinSpaced(401, low, high);
  const Prediction f = Noise::none().predictive(process.predict(x));
  const Interval ends = f.interval(95);
  Chart chart;
  chart.x_label = "x", chart.y_label = "y";
  chart.bands = {{x, ends.lower, ends.upper, "95 % band of f"}};
  chart.lines = {{x, f.mean, "mean of f", Chart::Style::mean}};
  chart.points = {{d.x, d.y, "observations"}};
  return chart;
}

void add_behind(Chart& chart, const Process<Row>& process, Index draws, std::uint64_t seed,
                const std::function<double(double)>& truth) {
  const Vector x = chart.bands[0].x;
  std::vector<Chart::Line> lines;
  if (draws > 0) {
    const Matrix samples = process.sample(x, draws, seed);
    for (Index k = 0; k < samples.cols(); ++k)
      lines.push_back({x, samples.col(k), k == 0 ? "samples of f" : "", Chart::Style::sample});
  }
  if (truth) lines.push_back({x, x.unaryExpr(truth), "truth", Chart::Style::truth});
  lines.push_back(chart.lines[0]);
  chart.lines = std::move(lines);
}

Run add_demo(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("demo", "Answers worth looking at, on built-in data, in seconds.");
  verb->footer(
      "  covary demo\n"
      "  covary demo all -o pictures");
  auto what = std::make_shared<std::string>("short");
  auto folder = std::make_shared<std::string>("covary-demo");
  add_choice(
      *verb, "WHAT", *what,
      {"short", "lecture", "sine", "sinc", "thresholds", "bias", "clusters", "explore", "best", "density",
       "sensors", "all"},
      "lecture: eight points from prior to posterior; sine, sinc: more points, more noise; thresholds: "
      "active learning of a threshold; bias: sampling bias and its remedies; clusters: labels for all rows "
      "from a "
      "few; "
      "explore: uncertain hyper-parameters; best: the smallest value of a function; density: a "
      "posterior density from "
      "few log likelihoods; sensors: entropy and mutual information on one map; short: the lecture, and "
      "learning sinc");
  verb->add_option("-o,--out", *folder, "Output folder for data, models and pictures")
      ->type_name("DIR")
      ->capture_default_str();
  return [what, folder] { run(*what, *folder); };
}

}  // namespace covary::cli
