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
constexpr Index most_levels = 12;  // of one panel

/// Sets at[k] for every "name=value"; returns "name = value" of each.
std::vector<std::string> hold(const std::vector<std::string>& given, const FittedModel& m, Vector& at) {
  const Schema schema = inputs_of(m);
  std::vector<std::string> said;
  for (const std::string& word : given) {
    const size_t sign = word.rfind('=');
    const std::string name = word.substr(0, sign), text = sign == word.npos ? "" : word.substr(sign + 1);
    const auto known = std::find(m->features.begin(), m->features.end(), name);
    if (known == m->features.end())
      throw Error(Problem::usage,
                  fmt::format("--at: the model has no input '{}'{}; it has {}", name,
                              internal::did_you_mean(name, m->features), fmt::join(m->features, ", ")));
    const Index k = known - m->features.begin();
    const bool number = measure_of(schema[k]).kind == Measure::Kind::number && !has_levels(schema[k].type) &&
                        !schema[k].codes;
    if (number && !number_in(text))
      throw Error(Problem::usage, fmt::format("--at: expected {}=NUMBER, found '{}'", name, word));
    at[k] = value_in(schema, k, text, "--at");
    said.push_back(fmt::format("{} = {}", name, number ? internal::rounded(at[k]) : text));
  }
  return said;
}

/// The row nearest the medians of the numbers and dates, in units of their ranges; the first if there are none.
Index central_row(const FittedModel& m, const Schema& schema, const Vector& medians) {
  Vector distance = Vector::Zero(m->x.rows());
  for (Index k = 0; k < schema.size(); ++k) {
    const double range = m->x.col(k).maxCoeff() - m->x.col(k).minCoeff();
    if (internal::holds_numbers(schema[k].type) && range > 0)
      distance += ((m->x.col(k).array() - medians[k]) / range).square().matrix();
  }
  Index row = 0;
  distance.minCoeff(&row);
  return row;
}

/// Where inputs stay while another moves, and what to say of those that have no median.
struct Held {
  Vector at;
  std::vector<std::string> words;
};

Held held_inputs(const FittedModel& m, const Schema& schema, const std::vector<std::string>& given) {
  const auto is_given = [&](const std::string& name) {
    return std::any_of(given.begin(), given.end(),
                       [&](const std::string& g) { return g.starts_with(name + "="); });
  };
  Held out{internal::column_medians(m->x), {}};
  const Index row = central_row(m, schema, out.at);
  std::vector<std::string> levels, objects;
  for (Index k = 0; k < schema.size(); ++k) {
    if (has_levels(schema[k].type)) {
      const Levels most = levels_of(m, k, 1);
      out.at[k] = most.values[0];
      if (!is_given(schema[k].name))
        levels.push_back(fmt::format("{} = {}", schema[k].name, shortened(most.names[0], 160, {})));
    } else if (schema[k].codes) {
      out.at[k] = m->x(row, k);
      if (!is_given(schema[k].name)) objects.push_back(schema[k].name);
    }
  }
  if (!levels.empty())
    out.words.push_back(
        fmt::format("Categories stay at their most frequent level: {}.", fmt::join(levels, ", ")));
  if (!objects.empty())
    out.words.push_back(fmt::format("Without a slice: {}, as in {}{}.", fmt::join(objects, ", "),
                                    m->row_name(row),
                                    count_inputs(m).along > 0 ? ", the row nearest the medians" : ""));
  return out;
}

Chart slice(const FittedModel& m, const PlotOptions& o, const Vector& at, Index k,
            const TypedColumn& column) {
  if (has_levels(column.type)) return intervals_chart(m, o, at, k, levels_of(m, k, most_levels));
  const Vector data = m->x.col(k);
  const Chart::Window w = padded(data, 0);
  const Vector x = Vector::LinSpaced(o.grid > 0 ? o.grid : 101, w.low, w.high);
  const Prediction p = m.predict(internal::slice_points(at, k, x), o.of, o.threads);
  Chart chart;
  chart.x_label = m->features[static_cast<size_t>(k)];
  chart.y_label = m->target;
  chart.x_measure = measure_of(column);
  chart.bands = bands(x, p, o);
  chart.lines = {middle(x, p, o.of)};
  chart.rug = data;
  return chart;
}

double change(const Chart& c) {
  const Vector& mean = c.lines.empty() ? c.points[0].y : c.lines[0].y;
  return mean.maxCoeff() - mean.minCoeff();
}

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
  const Schema schema = inputs_of(m);
  Held held = held_inputs(m, schema, o.at);
  const std::vector<std::string> given = hold(o.at, m, held.at);
  Figure figure;
  for (Index k = 0; k < m->x.cols(); ++k)
    if (has_levels(schema[k].type) || !schema[k].codes)
      figure.panels.push_back(slice(m, o, held.at, k, schema[k]));
  figure.title = o.title.empty()
                     ? fmt::format("{} along each input, {}", m->target, counted(m->y.size(), "observation"))
                     : o.title;
  const bool rugs = count_inputs(m).along > 0;
  std::string note =
      rugs ? "One input moves, the others stay at their medians" : "One input moves, the others stay";
  if (!given.empty()) note += fmt::format(", but {}", fmt::join(given, ", "));
  figure.notes.push_back(note + (rugs ? "; along the bottom, the data." : "."));
  figure.notes.insert(figure.notes.end(), held.words.begin(), held.words.end());
  for (Index k = 0; k < schema.size(); ++k)
    if (has_levels(schema[k].type) && levels_of(m, k, most_levels).left_out > 0)
      figure.notes.push_back(
          fmt::format("Of {} the {} levels that have the most rows.", schema[k].name, most_levels));
  if (figure.panels.size() > most_panels) {
    figure.notes.push_back(fmt::format("The {} of {} inputs along which the mean changes most.", most_panels,
                                       figure.panels.size()));
    keep_largest(figure.panels);
  }
  return figure;
}

}  // namespace covary::cli
