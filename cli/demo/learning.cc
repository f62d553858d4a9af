// Learning kernel and noise from noisy observations of sinc.
#include <fmt/format.h>

#include <cmath>

#include "covary/kernels/expression.h"
#include "covary/model/model_file.h"
#include "covary/table/table.h"
#include "demo/demo.h"
#include "output.h"
#include "reports/fit_report.h"

namespace covary::cli {
namespace {

constexpr double learning_noise_sd = 0.1;

/// 60 noisy observations of sinc, none of them between 2.5 and 6.
Data noisy_sinc() {
  Random rng(1);
  Data d{Vector(60), Vector(60)};
  for (Index i = 0; i < d.x.size();) {
    const double x = std::round(1000 * (-10 + 20 * rng.uniform())) / 1000;
    if (x > 2.5 && x < 6) continue;
    d.x[i] = x;
    d.y[i] = std::round(1e4 * (sinc().f(x) + learning_noise_sd * rng.normal())) / 1e4;
    ++i;
  }
  return d;
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
  add_behind(chart, process, 4, 3, sinc().f);
  return chart;
}

}  // namespace

void show_learning(const std::string& folder, const std::string& number) {
  const Data d = noisy_sinc();
  const std::vector<std::string> features{"x"};
  FitOptions options;
  options.columns = features;
  const FitResult<Row> fitted = fit(Model<Row>{parse<Row>("se()")}, d.x, d.y, options);
  std::string csv;
  write_csv(csv, as_table(d));
  const std::string model = folder + "/sinc.json";
  write_output(folder + "/sinc.csv", csv);
  const FittedModel kept = internal::fitted_model(fitted, d.x, d.y, features);
  write_output(model, model_text(kept));
  write_output(folder + "/sinc.svg", as_svg(learned_picture(fitted.process, d)));
  print(
      fmt::format("{}Learning: 60 observations of sin(x)/x with noise of sd {}, none between 2.5 and 6.\n\n",
                  number, learning_noise_sd));
  print(text_report(kept, model));
  print("\n");
  print(as_text(picture(fitted.process, d, -12, 12)));
  print(
      fmt::format("\nWith samples and the truth: {0}/sinc.svg\n"
                  "The same by hand:\n"
                  "  covary fit {0}/sinc.csv --target y --kernel 'se()' -o {0}/sinc.json\n"
                  "  covary predict {0}/sinc.json {0}/sinc.csv\n"
                  "  covary plot {0}/sinc.json --over=-12,12 --samples 4 -o sinc.svg\n",
                  folder));
}

}  // namespace covary::cli
