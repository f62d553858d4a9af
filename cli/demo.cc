// covary demo: from prior to posterior on eight points, then learning from noisy data, in seconds.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "chart.h"
#include "command.h"
#include "covary/error.h"
#include "covary/expression.h"
#include "covary/model_file.h"
#include "covary/normal.h"
#include "covary/table.h"
#include "fit_report.h"
#include "output.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr double noise_sd = 0.1;  // of the built-in data

struct Data {
  Vector x, y;
};

Data eight_points() {
  return {(Vector(8) << -1.5, -0.25, 0, 1, 5, 5.5, 10.5, 11.5).finished(),
          (Vector(8) << -1.6, 0.5, 0.8, -2, 0, 1, 3, 3).finished()};
}

double sinc(double x) { return x == 0 ? 1 : std::sin(x) / x; }

/// 60 noisy observations of sinc, none of them between 2.5 and 6.
Data noisy_sinc() {
  Random rng(1);
  Data d{Vector(60), Vector(60)};
  for (Index i = 0; i < d.x.size();) {
    const double x = std::round(1000 * (-10 + 20 * rng.uniform())) / 1000;
    if (x > 2.5 && x < 6) continue;
    d.x[i] = x;
    d.y[i] = std::round(1e4 * (sinc(x) + noise_sd * rng.normal())) / 1e4;
    ++i;
  }
  return d;
}

/// Mean and 95 % band of f, and the data.
Chart picture(const Process<Row>& process, const Data& d, double low, double high) {
  const Vector x = Vector::LinSpaced(401, low, high);
  const Marginals m = process.predict(x);
  const Vector half = interval_quantile(95) * m.sd();
  Chart chart;
  chart.x_label = "x", chart.y_label = "y";
  chart.bands = {{x, m.mean - half, m.mean + half, "95 % band of f"}};
  chart.lines = {{x, m.mean, "mean of f", Chart::Style::mean}};
  chart.points = {{d.x, d.y, "observations"}};
  return chart;
}

std::vector<std::string> answer(const std::string& name, const Process<Row>& p, bool observed) {
  const Marginals m = p.predict(Matrix::Constant(1, 1, 8));
  return {name, fmt::format("{:.7f}", m.mean[0]), fmt::format("{:.7f}", m.variance[0]),
          observed ? fmt::format("{:.6f}", p.log_evidence()) : "\u2013"};
}

void show_posterior() {
  const Data d = eight_points();
  const Kernel<Row> kernel = parse<Row>("1.6129 * se(lengthscale=1)");
  const Process<Row> prior(kernel), noisy_prior(kernel, zero_mean<Row>(), Noise::of(0.01));
  const Process<Row> exact = prior.condition(d.x, d.y), noisy = noisy_prior.condition(d.x, d.y);
  print("1. From prior to posterior: eight observations, kernel 1.6129 * se(lengthscale=1), mean zero.\n\n");
  print(text_table({{"f at x = 8", "mean", "variance", "log marginal likelihood"},
                    answer("prior", prior, false),
                    answer("given the data, noise 0", exact, true),
                    answer("given the data, noise variance 0.01", noisy, true)}));
  print(
      "\n   mean \u2580\u2584  95 % band \u2591  observations \u25cf  (noise 0: the band closes on every "
      "observation)\n\n");
  print(as_text(picture(exact, d, -3, 13)));
}

Table as_table(const Data& d) {
  Table t;
  t.columns = {{.name = "x", .values = {d.x.begin(), d.x.end()}},
               {.name = "y", .values = {d.y.begin(), d.y.end()}}};
  return t;
}

Chart learned_picture(const Process<Row>& process, const Data& d) {
  Chart chart = picture(process, d, -12, 12);
  chart.title = "60 noisy observations of sin(x)/x, and what was learned from them";
  const Vector x = chart.bands[0].x;
  const Matrix draws = process.sample(x, 4, 3);
  std::vector<Chart::Line> lines;
  for (Index k = 0; k < draws.cols(); ++k)
    lines.push_back({x, draws.col(k), k == 0 ? "samples of f" : "", Chart::Style::sample});
  lines.push_back({x, x.unaryExpr(&sinc), "truth", Chart::Style::truth});
  lines.push_back(chart.lines[0]);
  chart.lines = std::move(lines);
  return chart;
}

void show_learning(const std::string& folder) {
  const Data d = noisy_sinc();
  const std::vector<std::string> features{"x"};
  FitOptions options;
  options.columns = features;
  const Fitted<Row> fitted = fit(Model<Row>{parse<Row>("se()")}, d.x, d.y, options);
  std::string csv;
  write_csv(csv, as_table(d));
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Error(Problem::failed, fmt::format("{}: cannot be made: {}", folder, failed.message()));
  const std::string model = folder + "/sinc.json";
  write_output(folder + "/sinc.csv", csv);
  write_output(model, model_text(saved(fitted, d.x, d.y, features, "y")));
  write_output(folder + "/sinc.svg", as_svg(learned_picture(fitted.process, d)));
  print(fmt::format(
      "\n2. Learning: 60 observations of sin(x)/x with noise of sd {}, none between 2.5 and 6.\n\n",
      noise_sd));
  print(text_report({fitted, features, "y", model}));
  print("\n");
  print(as_text(picture(fitted.process, d, -12, 12)));
  print(
      fmt::format("\nWith samples and the truth: {0}/sinc.svg\n"
                  "The same by hand:\n"
                  "  covary fit {0}/sinc.csv --target y --kernel 'se()' -o {0}/sinc.json\n"
                  "  covary predict {0}/sinc.json {0}/sinc.csv\n",
                  folder));
}

}  // namespace

Run add_demo(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("demo", "An answer worth looking at, on built-in data, in seconds.");
  verb->footer("  covary demo");
  auto folder = std::make_shared<std::string>("covary-demo");
  verb->add_option("-o,--out", *folder, "Where the data, the model and the picture go")
      ->type_name("DIR")
      ->capture_default_str();
  return [folder] {
    show_posterior();
    show_learning(*folder);
  };
}

}  // namespace covary::cli
