// Leave-one-out: each observation against its prediction from the others.
#include <fmt/format.h>

#include "covary/base/random.h"
#include "covary/evaluate/cross_validation.h"
#include "plots/plot.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr Index most_drawn = 1500;  // with an interval each

std::vector<bool> inside(const Vector& y, const Prediction& p, double percent) {
  const double k = p.reach(percent);
  std::vector<bool> out;
  for (const double z : p.standardized(y)) out.push_back(std::abs(z) <= k);
  return out;
}

Index how_many(const std::vector<bool>& yes) { return std::count(yes.begin(), yes.end(), true); }

/// Of these rows those where `chosen` is `value`, as points.
Chart::Points marked(const Vector& x, const Vector& y, const std::vector<Index>& of,
                     const std::vector<bool>& chosen, bool value) {
  std::vector<Index> rows;
  for (const Index i : of)
    if (chosen[static_cast<size_t>(i)] == value) rows.push_back(i);
  return {x(rows), y(rows), "", value ? Chart::Mark::dot : Chart::Mark::exception};
}

std::string count_words(const Vector& y, const Prediction& p, double percent) {
  const Index n = how_many(inside(y, p, percent));
  return fmt::format("{} of {} ({:.1f} %) inside their {:g} % interval", n, y.size(),
                     100.0 * double(n) / double(y.size()), percent);
}

/// All rows, or a random subset of them that is small enough to be legible.
std::vector<Index> drawn_rows(Index n) { return Random(1).subset(n, std::min(n, most_drawn)); }

/// Everything drawn, on both axes.
Chart::Window common_window(const Chart::Bars& longest) {
  Vector all(3 * longest.x.size());
  all << longest.x, longest.lower, longest.upper;
  return padded(all, 0.03);
}

}  // namespace

Figure observed_figure(const FittedModel& m, const PlotOptions& o) {
  const Vector& y = m->y;
  const Prediction p = left_out(m, {.threads = o.threads});
  if (!p.mean.allFinite() || !p.sd.allFinite())
    throw Error(Problem::data,
                fmt::format("{} too few for this model: some cannot be predicted from the others",
                            counted(y.size(), "observation is", "observations are")));
  const std::vector<Index> rows = drawn_rows(y.size());
  Chart chart;
  for (const double percent : o.intervals) {
    const Interval ends = p.interval(percent);
    chart.bars.push_back(
        {y(rows), ends.lower(rows), ends.upper(rows), fmt::format("{:g} % interval of y", percent)});
  }
  const Chart::Window w = common_window(chart.bars.front());
  chart.x_window = chart.y_window = w;
  chart.square = true;
  const Vector ends = (Vector(2) << w.low, w.high).finished();
  chart.lines = {{ends, ends, "predicted = observed", Chart::Style::reference}};
  const std::vector<bool> in = inside(y, p, o.intervals.front());
  chart.points = {marked(y, p.mean, rows, in, true), marked(y, p.mean, rows, in, false)};
  chart.points[0].label = "inside";
  chart.points[1].label = chart.points[1].x.size() > 0 ? "outside" : "";
  chart.x_label = "observed " + m->target;
  chart.y_label = "predicted " + m->target;
  Figure figure{o.title, {}, {chart}};
  size_t next = 0;
  if (o.title.empty()) figure.title = "Leave-one-out: " + count_words(y, p, o.intervals[next++]);
  for (; next < o.intervals.size(); ++next) figure.notes.push_back(count_words(y, p, o.intervals[next]));
  figure.notes.push_back(
      fmt::format("Each observation of {} is predicted from the {} others.", m->target, y.size() - 1));
  if (std::ssize(rows) < y.size())
    figure.notes.push_back(fmt::format("Of the {} rows a random {} are drawn.", y.size(), rows.size()));
  return figure;
}

}  // namespace covary::cli
