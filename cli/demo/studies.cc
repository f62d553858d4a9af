// What every course shows: a known function from more and more points, and under more and more noise.
#include <fmt/format.h>

#include <cmath>

#include "covary/kernels/expression.h"
#include "demo/demo.h"
#include "output.h"
#include "words.h"

namespace covary::cli {
namespace {

/// One panel of a study.
struct Case {
  Index n;
  double noise_sd;
  std::string title;
};

/// n inputs that fill the range evenly but not regularly, the first few the same for every n.
Data observed(const Curve& c, Index n, double noise_sd) {
  constexpr double step = 0.6180339887498949;
  Random rng(4);
  Data d{Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    d.x[i] = c.low + (c.high - c.low) * std::fmod(0.5 + step * double(i), 1.0);
    d.y[i] = c.f(d.x[i]) + noise_sd * rng.normal();
  }
  return d;
}

Process<Row> learned(const Curve& c, const Case& k, const Data& d) {
  const Process<Row> prior(parse<Row>(c.kernel), zero_mean<Row>(), Noise::of(k.noise_sd * k.noise_sd));
  return prior.condition(d.x, d.y);
}

/// The rmse of the posterior mean, and the mean posterior sd.
std::vector<std::string> answer(const Curve& c, const Case& k, const Process<Row>& p) {
  const Vector x = Vector::LinSpaced(401, c.low, c.high);
  const Marginals m = p.predict(x);
  const LeaveOneOut against_truth = internal::scored(m.mean, m.variance.array() + 1e-12, x.unaryExpr(c.f));
  return {k.title, fmt::format("{:.4f}", against_truth.rmse), fmt::format("{:.4f}", m.sd().mean())};
}

void show(const Curve& c, const std::vector<Case>& cases, const std::string& title, const std::string& file) {
  Figure figure{title, {}, {}, 2};
  std::vector<std::vector<std::string>> rows{{"", "error of the mean (rmse)", "mean sd of f"}};
  for (const Case& k : cases) {
    const Data d = observed(c, k.n, k.noise_sd);
    const Process<Row> p = learned(c, k, d);
    Chart chart = picture(p, d, c.low, c.high);
    add_behind(chart, p, 0, 0, c.f);
    chart.title = k.title;
    figure.panels.push_back(std::move(chart));
    rows.push_back(answer(c, k, p));
  }
  write_output(file, as_svg(figure));
  print(fmt::format("\n{}\n\n{}\n   {}\n", title, text_table(rows), file));
}

}  // namespace

Curve sine() {
  return {"sine", "sin(x)", [](double x) { return std::sin(x); }, -6, 6, "1 * se(lengthscale=1.5)"};
}

Curve sinc() {
  return {"sinc", "sin(x)/x", [](double x) { return x == 0 ? 1 : std::sin(x) / x; },
          -10,    10,         "0.5 * se(lengthscale=1.6)"};
}

void show_studies(const Curve& c, const std::string& folder) {
  const auto few = [](Index n) { return Case{n, 0.05, fmt::format("{} observations", n)}; };
  const auto noisy = [](double sd) { return Case{24, sd, fmt::format("noise of sd {}", sd)}; };
  show(c, {few(3), few(6), few(12), few(24)},
       fmt::format("{} from more and more points, noise of sd 0.05", c.formula),
       fmt::format("{}/{}-points.svg", folder, c.name));
  show(c, {noisy(0), noisy(0.1), noisy(0.2), noisy(0.5)},
       fmt::format("{} from 24 points under more and more noise", c.formula),
       fmt::format("{}/{}-noise.svg", folder, c.name));
}

}  // namespace covary::cli
