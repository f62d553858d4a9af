// A posterior density from few log likelihoods: what each strategy has after so many of them.
#include <fmt/format.h>

#include <cmath>

#include "covary/design/posterior_search.h"
#include "demo/demo.h"
#include "output.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr double end_of_range = 8;
constexpr int searches = 5;
constexpr Index calls_shown[] = {8, 12, 16, 20};

/// Two modes, the smaller one narrow: what a simulator would take an hour for.
double log_likelihood(double x) {
  const auto normal = [x](double mean, double sd) {
    return std::exp(-0.5 * std::pow((x - mean) / sd, 2)) / sd;
  };
  return std::log(0.65 * normal(-2.5, 1) + 0.35 * normal(3, 0.5));
}

PosteriorDensity density_after(const std::string& strategy, Index calls, std::uint64_t seed = 1) {
  return estimate_posterior([](const Vector& x) { return log_likelihood(x[0]); },
                            {{"x", -end_of_range, end_of_range}}, calls,
                            {.strategy = strategy, .seed = seed, .threads = 1});
}

/// m: the density itself at evenly spaced points, by their sum.
Vector true_density(const Vector& x) {
  const Vector value = x.unaryExpr([](double at) { return std::exp(log_likelihood(at)); });
  return value / (value.sum() * (x[1] - x[0]));
}

/// sum p log(p/q) dx
double divergence(const PosteriorDensity& q) {
  const Vector x = q.points().col(0), p = true_density(x), found = q.density();
  double out = 0;
  for (Index i = 0; i < x.size(); ++i)
    if (p[i] > 0) out += p[i] * std::log(p[i] / std::max(found[i], 1e-300)) * (x[1] - x[0]);
  return out;
}

std::vector<std::string> divergences(const std::string& strategy) {
  std::vector<std::string> out{strategy};
  for (const Index calls : calls_shown) {
    double sum = 0;
    for (int r = 0; r < searches; ++r)
      sum += divergence(density_after(strategy, calls, std::uint64_t(r) + 1));
    out.push_back(fmt::format("{:.2f}", sum / searches));
  }
  return out;
}

Chart panel(const std::string& strategy, Index calls) {
  const PosteriorDensity found = density_after(strategy, calls);
  const Vector x = found.points().col(0);
  Chart chart;
  chart.title = fmt::format("{} log likelihoods", calls), chart.x_label = "x", chart.y_label = "density";
  chart.lines = {{x, true_density(x), "truth", Chart::Style::truth},
                 {x, found.density(), "estimate", Chart::Style::mean}};
  return chart;
}

}  // namespace

void show_density(const std::string& folder) {
  std::vector<std::vector<std::string>> rows{{"strategy", "8 log likelihoods", "12", "16", "20"}};
  for (const char* s : {"exponentiated-variance", "expected-divergence", "uncertainty", "random"})
    rows.push_back(divergences(s));
  const PosteriorDensity last = density_after("exponentiated-variance", calls_shown[3]);
  print(fmt::format(
      "A posterior density with two modes: its divergence from the truth, nats, mean of {} searches.\n\n{}"
      "\nLog evidence from 20: {:.4f}; the truth: {:.4f}.\n",
      searches, text_table(rows), last.log_evidence().value,
      std::log(std::sqrt(2 * M_PI) / (2 * end_of_range))));
  Figure figure{"A density from few log likelihoods, by exponentiated-variance", {}, {}, 2};
  for (const Index calls : calls_shown) figure.panels.push_back(panel("exponentiated-variance", calls));
  write_output(folder + "/density.svg", as_svg(figure));
  print(fmt::format("Estimates and the truth: {}/density.svg\n", folder));
}

}  // namespace covary::cli
