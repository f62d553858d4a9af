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

Figure curve_figure(const FittedModel& m, const PlotOptions& o) {
  const Vector data = m->x.col(0);
  const Chart::Window over = o.over.value_or(padded(data, 0.04));
  const Index points = o.grid > 0 ? o.grid : std::clamp<Index>(4 * data.size(), 401, 1601);
  const Vector x = Vector::LinSpaced(points, over.low, over.high);
  const Prediction p = m.predict(x, o.of, o.threads);
  Chart chart;
  chart.x_label = m->features[0], chart.y_label = m->target;
  chart.bands = bands(x, p, o);
  if (o.samples.value_or(0) > 0) add_samples(chart, x, m.sample(x, *o.samples, o.seed));
  chart.lines.push_back(middle(x, p, o.of));
  chart.points = {{data, m->y, "observations"}};
  const std::string title =
      fmt::format("{} from {}, {}", m->target, m->features[0], counted(data.size(), "observation"));
  return {o.title.empty() ? title : o.title, {}, {chart}};
}

}  // namespace covary::cli
