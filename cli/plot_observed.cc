// Leave-one-out: each observation against what the others say of it.
#include <fmt/format.h>

#include "covary/check.h"
#include "covary/normal.h"
#include "plot.h"
#include "words.h"

namespace covary::cli {
namespace {

std::vector<bool> inside(const Vector& y, const Prediction& p, double percent) {
  const double z = interval_quantile(percent, p.freedom);
  std::vector<bool> out;
  for (Index i = 0; i < y.size(); ++i) out.push_back(std::abs(y[i] - p.mean[i]) <= z * p.sd[i]);
  return out;
}

Index how_many(const std::vector<bool>& yes) { return std::count(yes.begin(), yes.end(), true); }

/// The points where `chosen` is `value`.
Chart::Points marked(const Vector& x, const Vector& y, const std::vector<bool>& chosen, bool value) {
  std::vector<Index> rows;
  for (size_t i = 0; i < chosen.size(); ++i)
    if (chosen[i] == value) rows.push_back(static_cast<Index>(i));
  return {x(rows), y(rows), "", value ? Chart::Mark::dot : Chart::Mark::cross};
}

std::string count_words(const Vector& y, const Prediction& p, double percent) {
  const Index n = how_many(inside(y, p, percent));
  return fmt::format("{} of {} ({:.1f} %) inside their {:g} % interval", n, y.size(),
                     100.0 * double(n) / double(y.size()), percent);
}

/// Everything drawn, on both axes.
Chart::Window common_window(const Vector& y, const Chart::Bars& longest) {
  Vector all(3 * y.size());
  all << y, longest.lower, longest.upper;
  return padded(all, 0.03);
}

}  // namespace

Figure observed_figure(const Subject& s, const PlotOptions& o) {
  const Vector& y = s.model.y;
  const Prediction p = left_out(s.model, s.predictor, {.threads = s.threads});
  if (!p.mean.allFinite() || !p.sd.allFinite())
    throw Error(Problem::data,
                fmt::format("{} too few for this model: some cannot be predicted from the others",
                            counted(y.size(), "observation is", "observations are")));
  Chart chart;
  for (const double percent : o.intervals) {
    const Vector half = interval_quantile(percent, p.freedom) * p.sd;
    chart.bars.push_back({y, p.mean - half, p.mean + half, fmt::format("{:g} % interval of y", percent)});
  }
  const Chart::Window w = common_window(y, chart.bars.front());
  chart.x_window = chart.y_window = w;
  chart.square = true;
  const Vector ends = (Vector(2) << w.low, w.high).finished();
  chart.lines = {{ends, ends, "predicted = observed", Chart::Style::reference}};
  const std::vector<bool> in = inside(y, p, o.intervals.front());
  chart.points = {marked(y, p.mean, in, true), marked(y, p.mean, in, false)};
  chart.points[0].label = "inside";
  chart.points[1].label = how_many(in) < y.size() ? "outside" : "";
  chart.x_label = "observed " + s.model.target;
  chart.y_label = "predicted " + s.model.target;
  Figure figure{o.title, {}, {chart}};
  size_t next = 0;
  if (o.title.empty()) figure.title = "Leave-one-out: " + count_words(y, p, o.intervals[next++]);
  for (; next < o.intervals.size(); ++next) figure.notes.push_back(count_words(y, p, o.intervals[next]));
  figure.notes.push_back(
      fmt::format("Each observation of {} is predicted from the {} others.", s.model.target, y.size() - 1));
  return figure;
}

}  // namespace covary::cli
