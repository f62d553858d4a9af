// Slices: the mean along each input, with the others held.
#include "covary/table/slices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "numbers.h"
#include "plots/plot.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr size_t most_panels = 12;

/// Sets at[k] for every "name=value"; returns "name = value" of each.
std::vector<std::string> hold(const std::vector<std::string>& given, const FittedModel& m, Vector& at) {
  std::vector<std::string> said;
  for (const std::string& word : given) {
    const size_t sign = word.rfind('=');
    const std::string name = word.substr(0, sign), text = sign == word.npos ? "" : word.substr(sign + 1);
    const auto known = std::find(m->features.begin(), m->features.end(), name);
    if (known == m->features.end())
      throw Error(Problem::usage,
                  fmt::format("--at: the model has no input '{}'{}; it has {}", name,
                              internal::did_you_mean(name, m->features), fmt::join(m->features, ", ")));
    const std::optional<double> value = number_in(text);
    if (!value) throw Error(Problem::usage, fmt::format("--at: expected {}=NUMBER, found '{}'", name, word));
    at[known - m->features.begin()] = *value;
    said.push_back(fmt::format("{} = {}", name, internal::rounded(*value)));
  }
  return said;
}

Chart slice(const FittedModel& m, const PlotOptions& o, const Vector& at, Index k) {
  const Vector data = m->x.col(k);
  const Chart::Window w = padded(data, 0);
  const Vector x = Vector::LinSpaced(o.grid > 0 ? o.grid : 101, w.low, w.high);
  const Prediction p = m.predict(internal::slice_points(at, k, x), o.of, o.threads);
  Chart chart;
  chart.x_label = m->features[static_cast<size_t>(k)];
  chart.y_label = m->target;
  chart.bands = bands(x, p, o);
  chart.lines = {middle(x, p, o.of)};
  chart.rug = data;
  return chart;
}

double change(const Chart& c) { return c.lines[0].y.maxCoeff() - c.lines[0].y.minCoeff(); }

/// Keeps the charts whose mean changes most, in their order.
void keep_largest(std::vector<Chart>& charts) {
  std::vector<size_t> order(charts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return change(charts[a]) > change(charts[b]); });
  order.resize(most_panels);
  std::sort(order.begin(), order.end());
  std::vector<Chart> kept;
  kept.reserve(order.size());
  for (const size_t i : order) kept.push_back(std::move(charts[i]));
  charts = std::move(kept);
}

}  // namespace

Figure slices_figure(const FittedModel& m, const PlotOptions& o) {
  Vector at = internal::column_medians(m->x);
  const std::vector<std::string> held = hold(o.at, m, at);
  Figure figure;
  for (Index k = 0; k < m->x.cols(); ++k) figure.panels.push_back(slice(m, o, at, k));
  figure.title = o.title.empty()
                     ? fmt::format("{} along each input, {}", m->target, counted(m->y.size(), "observation"))
                     : o.title;
  std::string note = "One input moves, the others stay at their medians";
  if (!held.empty()) note += fmt::format(", but {}", fmt::join(held, ", "));
  figure.notes.push_back(note + "; along the bottom, the data.");
  if (figure.panels.size() > most_panels) {
    figure.notes.push_back(fmt::format("The {} of {} inputs along which the mean changes most.", most_panels,
                                       figure.panels.size()));
    keep_largest(figure.panels);
  }
  return figure;
}

}  // namespace covary::cli
