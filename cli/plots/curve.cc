// A function of one input: data, mean, bands and samples.
#include <fmt/format.h>

#include <algorithm>

#include "plots/plot.h"
#include "words.h"

namespace covary::cli {

std::string band_label(double percent, Of of) {
  return fmt::format("{:g} % band of {}", percent, of == Of::f ? "f" : "y");
}

std::vector<Chart::Band> bands(const Vector& x, const Prediction& p, const PlotOptions& o) {
  std::vector<Chart::Band> out;
  for (const double percent : o.intervals) {
    auto [lower, upper] = p.interval(percent);
    out.push_back({x, std::move(lower), std::move(upper), band_label(percent, o.of)});
  }
  return out;
}

Chart::Line middle(const Vector& x, const Prediction& p, Of of) {
  const std::string name = of == Of::f ? "f" : "y";
  if (p.symmetric()) return {x, p.mean, "mean of " + name};
  return {x, p.at(0), "median of " + name};
}

void add_samples(Chart& chart, const Vector& x, const Matrix& draws) {
  for (Index k = 0; k < draws.cols(); ++k)
    chart.lines.push_back({x, draws.col(k), k == 0 ? "samples of f" : "", Chart::Style::sample});
}

Chart::Window padded(const Vector& values, double share) {
  const double low = values.minCoeff(), high = values.maxCoeff();
  if (!(high > low))
    return {low - (low == 0 ? 1 : 0.1 * std::abs(low)), high + (high == 0 ? 1 : 0.1 * std::abs(high))};
  return {low - share * (high - low), high + share * (high - low)};
}

Chart::Window window_of(const FittedModel& m, Index k, const PlotOptions& o, double share) {
  if (o.over.empty()) return padded(m->x.col(k), share);
  const Schema schema = inputs_of(m);
  if (!internal::holds_dates(schema[k].type)) return window_in(o.over, "--over");
  const size_t comma = o.over.find(',');
  if (comma == o.over.npos)
    throw Error(Problem::usage, fmt::format("--over: expected two dates, FROM,TO, found '{}'", o.over));
  const double low = value_in(schema, k, o.over.substr(0, comma), "--over"),
               high = value_in(schema, k, o.over.substr(comma + 1), "--over");
  if (!(low < high))
    throw Error(Problem::usage,
                fmt::format("--over: expected an earlier date, then a later one, found '{}'", o.over));
  return {low, high};
}

void cut_points(Figure& figure, const Chart::Window& window, const PlotOptions& o) {
  if (o.over.empty()) return;
  Index outside = 0;
  for (Chart::Points& p : figure.panels.front().points) {
    std::vector<Index> kept;
    for (Index i = 0; i < p.x.size(); ++i)
      if (p.x[i] >= window.low && p.x[i] <= window.high) kept.push_back(i);
    outside += p.x.size() - std::ssize(kept);
    p.x = Vector(p.x(kept)), p.y = Vector(p.y(kept));
  }
  if (outside > 0)
    figure.notes.push_back(counted(outside, "observation lies", "observations lie") + " outside this range.");
}

Figure curve_figure(const FittedModel& m, const PlotOptions& o) {
  const InputCounts inputs = count_inputs(m);
  if (inputs.levels > 0) return inputs.along > 0 ? curves_by_level_figure(m, o) : intervals_figure(m, o);
  const Vector data = m->x.col(0);
  const Chart::Window over = window_of(m, 0, o, 0.04);
  const Index points = o.grid > 0 ? o.grid : std::clamp<Index>(4 * data.size(), 401, 1601);
  const Vector x = Vector::LinSpaced(points, over.low, over.high);
  const Prediction p = m.predict(x, o.of, o.threads);
  Chart chart;
  chart.x_label = m->features[0], chart.y_label = m->target;
  chart.x_measure = measure_of(inputs_of(m)[0]);
  chart.bands = bands(x, p, o);
  if (o.samples.value_or(0) > 0) add_samples(chart, x, m.sample(x, *o.samples, o.seed));
  chart.lines.push_back(middle(x, p, o.of));
  chart.points = {{data, m->y, "observations"}};
  const std::string title =
      fmt::format("{} from {}, {}", m->target, m->features[0], counted(data.size(), "observation"));
  Figure figure{o.title.empty() ? title : o.title, {}, {chart}};
  cut_points(figure, over, o);
  return figure;
}

}  // namespace covary::cli
