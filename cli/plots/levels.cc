// Categories: an interval for each level, or a curve for each.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "covary/table/slices.h"
#include "plots/inputs.h"
#include "plots/plot.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr Index most_intervals = 40, most_curves = 6;
constexpr double beside_interval = 0.14;  // where the rows of a level stand, in distances of levels

Vector as_vector(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), std::ssize(values));
}

/// The rows of each level beside its interval, spread where they are many: van der Corput's sequence.
Chart::Points rows_beside(const FittedModel& m, Index k, const Levels& levels) {
  std::vector<double> x, y;
  for (size_t i = 0; i < levels.values.size(); ++i) {
    unsigned seen = 0;
    for (Index row = 0; row < m->y.size(); ++row) {
      if (m->x(row, k) != levels.values[i]) continue;
      double spread = 0, share = 0.5;
      for (unsigned bits = seen++; bits != 0; bits /= 2, share /= 2) spread += (bits % 2) * share;
      x.push_back(double(i) + beside_interval + 0.16 * spread), y.push_back(m->y[row]);
    }
  }
  return {as_vector(x), as_vector(y), "observations"};
}

void say_left_out(Figure& figure, const FittedModel& m, Index k, const Levels& levels) {
  if (levels.left_out > 0)
    figure.notes.push_back(fmt::format("The {} of {} levels of {} that have the most rows.", levels.size(),
                                       levels.size() + levels.left_out, m->features[size_t(k)]));
}

void refuse_options(const PlotOptions& o, const std::string& picture, bool over) {
  if (o.samples) throw Error(Problem::usage, "--samples does not apply to " + picture);
  if (over && !o.over.empty()) throw Error(Problem::usage, "--over does not apply to " + picture);
}

std::vector<Index> rows_with(const Matrix& x, Index k, double value) {
  std::vector<Index> out;
  for (Index i = 0; i < x.rows(); ++i)
    if (x(i, k) == value) out.push_back(i);
  return out;
}

}  // namespace

Chart intervals_chart(const FittedModel& m, const PlotOptions& o, const Vector& at, Index k,
                      const Levels& levels) {
  const Vector places = Vector::LinSpaced(levels.size(), 0, double(levels.size() - 1));
  const Prediction p = m.predict(internal::slice_points(at, k, as_vector(levels.values)), o.of, o.threads);
  Chart chart;
  chart.x_label = m->features[size_t(k)], chart.y_label = m->target;
  chart.x_measure = {Measure::Kind::levels, levels.names};
  chart.x_window = {-0.5, double(levels.size()) - 0.5};
  for (const double percent : o.intervals) {
    const Interval ends = p.interval(percent);
    chart.bars.push_back({places, ends.lower, ends.upper,
                          fmt::format("{:g} % interval of {}", percent, o.of == Of::f ? "f" : "y"), 2});
  }
  const Chart::Line mean = middle(places, p, o.of);
  chart.points = {{places, mean.y, mean.label, Chart::Mark::diamond}};
  return chart;
}

Figure intervals_figure(const FittedModel& m, const PlotOptions& o) {
  refuse_options(o, "intervals of categories", true);
  const Levels levels = levels_of(m, 0, most_intervals);
  Chart chart = intervals_chart(m, o, Vector::Zero(1), 0, levels);
  chart.points.insert(chart.points.begin(), rows_beside(m, 0, levels));
  Figure figure{o.title, {}, {chart}};
  if (o.title.empty())
    figure.title =
        fmt::format("{} by {}, {}", m->target, m->features[0], counted(m->y.size(), "observation"));
  say_left_out(figure, m, 0, levels);
  return figure;
}

Figure curves_by_level_figure(const FittedModel& m, const PlotOptions& o) {
  refuse_options(o, "a curve for each level", false);
  const Schema schema = inputs_of(m);
  const Index c = has_levels(schema[0].type) ? 0 : 1, a = 1 - c;
  const Levels levels = levels_of(m, c, most_curves);
  const Chart::Window over = window_of(m, a, o, 0.04);
  const Vector x = Vector::LinSpaced(o.grid > 0 ? o.grid : 401, over.low, over.high);
  Chart chart;
  chart.x_label = m->features[size_t(a)], chart.y_label = m->target;
  chart.x_measure = measure_of(schema[a]);
  PlotOptions widest = o;
  widest.intervals.resize(1);
  for (int i = 0; i < int(levels.size()); ++i) {
    const double level = levels.values[size_t(i)];
    const Prediction p = m.predict(internal::slice_points(Vector::Constant(2, level), a, x), o.of, o.threads);
    chart.bands.push_back(bands(x, p, widest)[0]);
    chart.bands.back().series = i;
    chart.lines.push_back(middle(x, p, o.of));
    chart.lines.back().series = i, chart.lines.back().label = levels.names[size_t(i)];
    const std::vector<Index> rows = rows_with(m->x, c, level);
    chart.points.push_back({m->x.col(a)(rows), m->y(rows), "", Chart::Mark::dot, i});
  }
  std::reverse(chart.lines.begin(), chart.lines.end());  // the legend lists them from the last
  Figure figure{o.title, {}, {chart}};
  if (o.title.empty())
    figure.title = fmt::format("{} from {} by {}, {}", m->target, m->features[size_t(a)],
                               m->features[size_t(c)], counted(m->y.size(), "observation"));
  say_left_out(figure, m, c, levels);
  cut_points(figure, over, o);
  if (o.intervals.size() > 1)
    figure.notes.push_back(fmt::format("The band of each level is the widest, of {:g} %.", o.intervals[0]));
  return figure;
}

}  // namespace covary::cli
