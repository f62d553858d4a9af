// Eight observations that every lecture draws: prior, posterior without noise, posterior with noise.
#include <fmt/format.h>

#include "covary/kernels/expression.h"
#include "demo/demo.h"
#include "output.h"
#include "words.h"

namespace covary::cli {
namespace {

Data eight_points() {
  return {(Vector(8) << -1.5, -0.25, 0, 1, 5, 5.5, 10.5, 11.5).finished(),
          (Vector(8) << -1.6, 0.5, 0.8, -2, 0, 1, 3, 3).finished()};
}

std::vector<std::string> answer(const std::string& name, const Process<Row>& p, bool observed) {
  const Marginals m = p.predict(Matrix::Constant(1, 1, 8));
  return {name, fmt::format("{:.7f}", m.mean[0]), fmt::format("{:.7f}", m.variance[0]),
          observed ? fmt::format("{:.6f}", p.log_evidence()) : "\u2013"};
}

Chart panel(const std::string& title, const Process<Row>& process, const Data& d) {
  Chart chart = picture(process, d, -3, 13);
  add_behind(chart, process, 4, 2);
  chart.title = title;
  return chart;
}

}  // namespace

void show_lecture(const std::string& folder, const std::string& number) {
  const Data d = eight_points();
  const Kernel<Row> kernel = parse<Row>("1.6129 * se(lengthscale=1)");
  const Process<Row> prior(kernel), noisy_prior(kernel, zero_mean<Row>(), Noise::of(0.01));
  const Process<Row> exact = prior.condition(d.x, d.y), noisy = noisy_prior.condition(d.x, d.y);
  print(number +
        "From prior to posterior: eight observations, kernel 1.6129 * se(lengthscale=1), mean zero.\n\n");
  print(text_table({{"f at x = 8", "mean", "variance", "log marginal likelihood"},
                    answer("prior", prior, false),
                    answer("given the data, noise 0", exact, true),
                    answer("given the data, noise variance 0.01", noisy, true)}));
  print(
      "\n   mean \u2580\u2584  95 % band \u2591  observations \u25cf  (noise 0: the band closes on every "
      "observation)\n\n");
  print(as_text(picture(exact, d, -3, 13)));
  Figure figure{"Eight observations, kernel 1.6129 * se(lengthscale=1)", {}, {}, 1};
  figure.panels = {panel("prior", prior, {}), panel("posterior, noise 0", exact, d),
                   panel("posterior, noise variance 0.01", noisy, d)};
  write_output(folder + "/lecture.svg", as_svg(figure));
  print(fmt::format("\nPrior and both posteriors, with samples: {}/lecture.svg\n", folder));
}

}  // namespace covary::cli
