// Few measurements and uncertain hyper-parameters: predictions that average over them, and places chosen to learn them.
#include <fmt/format.h>

#include <cmath>

#include "covary/kernels/expression.h"
#include "covary/model/marginalized.h"
#include "covary/select/selector.h"
#include "demo/demo.h"
#include "output.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr int fields_seen = 6, fits = 20;
constexpr Index few_rows = 8, labels_shown[] = {5, 10, 15};
constexpr double true_lengthscale = 3, guessed_lengthscale = 12;

/// A field along a line of 30 km.
Process<Row> along_a_line(double lengthscale) {
  return Process<Row>(parse<Row>(fmt::format("4 * matern52(lengthscale={})", lengthscale)), zero_mean<Row>(),
                      Noise::of(0.05));
}

/// What was measured, and the field everywhere.
struct Measured {
  Data few;
  Vector x, f;
};

Measured measured(std::uint64_t seed) {
  Random rng(seed);
  Measured out;
  out.x = Vector::LinSpaced(121, 0, 30);
  out.f = along_a_line(true_lengthscale).sample(out.x, 1, seed).col(0);
  out.few = {Vector(few_rows), Vector(few_rows)};
  for (Index i = 0; i < few_rows; ++i) {
    const Index at = rng.integer(out.x.size());
    out.few.x[i] = out.x[at], out.few.y[i] = out.f[at] + std::sqrt(0.05) * rng.normal();
  }
  return out;
}

FittedModel fitted_to(const Data& d) {
  Request request;
  request.kernel = "matern52()", request.noise = "learn";
  return fit(request, {d.x, d.y, {"x"}});
}

double share_inside(const Interval& band, const Vector& f) {
  return ((band.lower.array() <= f.array()) && (f.array() <= band.upper.array())).cast<double>().mean();
}

Chart panel(const std::string& title, const Measured& m, const Prediction& p) {
  const Interval band = p.interval(95);
  Chart chart;
  chart.title = title, chart.x_label = "x [km]", chart.y_label = "f";
  chart.bands = {{m.x, band.lower, band.upper, "95 % band of f"}};
  chart.lines = {{m.x, m.f, "truth", Chart::Style::truth}, {m.x, p.mean, "mean of f", Chart::Style::mean}};
  chart.points = {{m.few.x, m.few.y, "measured"}};
  return chart;
}

/// Bands of the best fit and of the mixture: how much of the field they hold.
Figure show_predictions() {
  Figure figure{"Eight measurements: one parameter vector, or all that are credible", {}, {}, 2};
  double plug_in = 0, mixed = 0;
  for (int r = 0; r < fits; ++r) {
    const Measured m = measured(std::uint64_t(r) + 1);
    const FittedModel one = fitted_to(m.few);
    const Prediction best = one.predict(m.x), mixture = MarginalizedModel(one).predict(m.x);
    plug_in += share_inside(best.interval(95), m.f) / fits,
        mixed += share_inside(mixture.interval(95), m.f) / fits;
    if (r == 0) figure.panels = {panel("plug-in", m, best), panel("mixture", m, mixture)};
  }
  print(fmt::format(
      "Uncertain hyper-parameters: the 95 % bands of {} fits to {} measurements hold {:.0f} % of the "
      "field with the parameters of the best fit,\n{:.0f} % averaged over the parameters "
      "(predict --marginalize).\n",
      fits, few_rows, 100 * plug_in, 100 * mixed));
  return figure;
}

struct Design {
  std::string name, strategy;
  double lengthscale;  // that it takes for true, or begins with
};

/// The rmse after 5, 10 and 15 labels at places that the strategy chose, predicted with the true parameters; and what it
/// says when it turns from exploring to exploiting.
std::vector<std::string> errors(const Design& d, std::string& turned) {
  const Matrix x = Vector::LinSpaced(60, 0, 30);
  Vector sum = Vector::Zero(std::size(labels_shown));
  double explored = 0;
  for (int r = 0; r < fields_seen; ++r) {
    const Vector f = along_a_line(true_lengthscale).sample(x, 1, std::uint64_t(r) + 1).col(0),
                 y = f + std::sqrt(0.05) * Random(std::uint64_t(r)).normal(x.rows(), 1);
    Selector s(parse_strategy(d.strategy), pool_of<Row>(along_a_line(d.lengthscale), x),
               {.seed = std::uint64_t(r) + 1});
    for (Index k = 0; k < std::ssize(labels_shown); ++k) {
      while (s.belief().labels() < labels_shown[k]) {
        const Choice c = s.suggest()[0];
        const bool explores = c.reason.starts_with("explores");
        explored += double(explores) / fields_seen;
        if (r == 0 && !explores && turned.empty() && c.reason.starts_with("exploits"))
          turned = fmt::format("label {}: {}", s.belief().labels() + 1, c.reason);
        s.tell(c.candidate, y[c.candidate]);
      }
      const std::vector<Index>& known = s.belief().order();
      const Process<Row> p =
          along_a_line(true_lengthscale).condition(Matrix(x(known, Eigen::all)), Vector(y(known)));
      sum[k] += std::sqrt((p.mean(x) - f).squaredNorm() / double(f.size())) / fields_seen;
    }
  }
  std::vector<std::string> out{d.name};
  for (const double e : sum) out.push_back(fmt::format("{:.3f}", e));
  out.push_back(fmt::format("{:.1f}", explored));
  return out;
}

}  // namespace

void show_exploring(const std::string& folder) {
  write_output(folder + "/explore.svg", as_svg(show_predictions()));
  std::vector<std::vector<std::string>> rows{{"places chosen by", "5 labels", "10", "15", "explored for"}};
  std::string turned;
  for (const Design& d :
       {Design{"information, parameters known", "information", true_lengthscale},
        Design{"information, first guess", "information", guessed_lengthscale},
        Design{"mixture-information (implicit)", "mixture-information", guessed_lengthscale},
        Design{"explicit-exploration", "explicit-exploration", guessed_lengthscale},
        Design{"random", "random", guessed_lengthscale}})
    rows.push_back(errors(d, turned));
  print(fmt::format(
      "\nWhere to measure, from a first guess with a length-scale {:g} times too long: rmse of the field "
      "predicted from the places chosen, {} fields.\n\n{}",
      guessed_lengthscale / true_lengthscale, fields_seen, text_table(rows)));
  print(fmt::format("\nexplicit-exploration at {}\n\nBoth bands: {}/explore.svg\n", turned, folder));
}

}  // namespace covary::cli
