// The smallest value of a function from few of its values: where each strategy looks, and how near it comes.
#include <fmt/format.h>

#include <cmath>

#include "covary/design/suggest_over.h"
#include "covary/kernels/expression.h"
#include "demo/demo.h"
#include "output.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr int runs_of_each = 10;
constexpr Index at_first = 3;
constexpr Index steps_shown[] = {3, 6, 9};  // beyond the first

/// Forrester's function: a wide valley, and a narrow one that is deeper.
double forrester(double x) { return std::pow(6 * x - 2, 2) * std::sin(12 * x - 4); }
constexpr double smallest = -6.020740055;

FittedModel model_of(const Data& d) {
  Request request;
  request.kernel = "fixed(40 * se(lengthscale=0.13))", request.noise = "1e-6", request.mean = "constant";
  return fit(request, {d.x, d.y, {"x"}});
}

void measure(Data& d, double x) {
  d.x.conservativeResize(d.x.size() + 1), d.y.conservativeResize(d.x.size());
  d.x[d.x.size() - 1] = x, d.y[d.y.size() - 1] = forrester(x);
}

/// The first ones, then one at a time, as the strategy says or by chance.
std::vector<Data> course(const std::string& strategy, std::uint64_t seed) {
  Random rng(seed);
  std::vector<Data> out(1);
  for (Index i = 0; i < at_first; ++i) measure(out[0], (double(i) + rng.uniform()) / double(at_first));
  for (Index i = 0; i < steps_shown[2]; ++i) {
    SuggestOptions o{.strategy = strategy};
    o.selector.minimize = true, o.selector.seed = seed + std::uint64_t(i), o.selector.threads = 1;
    const double next =
        strategy == "random" ? rng.uniform() : suggest(model_of(out.back()), {{"x", 0, 1}}, o).x(0, 0);
    Data more = out.back();
    measure(more, next);
    out.push_back(std::move(more));
  }
  return out;
}

/// How much smaller the function is than the smallest value so far, on average over starts.
std::vector<std::string> regrets(const std::string& strategy) {
  Vector sum = Vector::Zero(std::size(steps_shown));
  for (int r = 0; r < runs_of_each; ++r) {
    const std::vector<Data> all = course(strategy, 100 * std::uint64_t(r) + 1);
    for (Index k = 0; k < sum.size(); ++k)
      sum[k] += (all[size_t(steps_shown[k])].y.minCoeff() - smallest) / runs_of_each;
  }
  std::vector<std::string> out{strategy};
  for (const double regret : sum) out.push_back(fmt::format("{:.2f}", regret));
  return out;
}

}  // namespace

void show_best(const std::string& folder) {
  std::vector<std::vector<std::string>> rows{{"strategy", "after 3 more", "6 more", "9 more"}};
  for (const char* s : {"expected-improvement", "probability-of-improvement", "upper-confidence", "thompson",
                        "knowledge-gradient", "uncertainty", "random"})
    rows.push_back(regrets(s));
  print(fmt::format(
      "The best of a function: {} values by chance, then one at a time. What the smallest value so far "
      "lacks to the smallest there is ({:.2f}), mean of {} starts.\n\n{}",
      at_first, smallest, runs_of_each, text_table(rows)));
  const std::vector<Data> all = course("expected-improvement", 1);
  Figure figure{"The smallest value, by expected improvement", {}, {}, 2};
  for (const Index k : {Index(0), steps_shown[0], steps_shown[1], steps_shown[2]}) {
    const Data& d = all[size_t(k)];
    const Process<Row> p = model_of(d).process(1);
    Chart chart = picture(p, d, 0, 1);
    add_behind(chart, p, 0, 0, forrester);
    chart.title = fmt::format("{} values", d.x.size());
    figure.panels.push_back(std::move(chart));
  }
  write_output(folder + "/best.svg", as_svg(figure));
  print(fmt::format("\nWhere it looked: {}/best.svg\n", folder));
}

}  // namespace covary::cli
