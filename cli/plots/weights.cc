// Two weights of a linear model as rows arrive: ellipses, and for one input the lines they imply.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "plots/plot.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr size_t most_stages = 12;
constexpr Index lines_drawn = 6, most_to_come = 400;
constexpr Index ellipse_points = 401;  // points of an ellipse: smooth also where little of it is shown
constexpr double too_wide = 20;        // times the last ellipse: it would be a dot

/// What is known after so many rows, in the units of y.
struct Stage {
  Index rows = 0;
  FittedModel model;
  Gaussian pair;  // the two weights

  bool has_lines() const {
    return model.regression()->weights().rank() == model.regression()->weights().size();
  }
};

/// The two axes of the ellipses.
struct Windows {
  Chart::Window x, y;
  bool cut = false;  // some ellipse does not fit
};

// ---------------------------------------------------------------------------------------------- the options

/// A column whose name stands in quotes is asked for, and shown, without them.
std::vector<std::string> plain(std::vector<std::string> names) {
  for (std::string& name : names)
    if (std::count(name.begin(), name.end(), '"') == 2 && name.front() == '"' && name.back() == '"')
      name = name.substr(1, name.size() - 2);
  return names;
}

Index place_of(const std::string& name, const std::vector<std::string>& names) {
  const auto known = std::find(names.begin(), names.end(), name);
  if (known == names.end())
    throw Error(Problem::usage, fmt::format("--weights: the model has no weight '{}'{}; it has {}", name,
                                            internal::did_you_mean(name, names), listed(names)));
  return known - names.begin();
}

std::vector<Index> chosen_weights(const PlotOptions& o, const std::vector<std::string>& names) {
  if (names.size() < 2)
    throw Error(Problem::usage,
                fmt::format("--kind weights: expected a model of two weights or more, this one has only '{}'",
                            fmt::join(names, "")));
  if (o.weights.empty()) return {0, 1};
  if (o.weights.size() != 2 || o.weights[0] == o.weights[1])
    throw Error(Problem::usage, fmt::format("--weights: expected two different names A,B, found '{}'",
                                            fmt::join(o.weights, ",")));
  return {place_of(o.weights[0], names), place_of(o.weights[1], names)};
}

std::vector<Index> sorted(std::vector<Index> counts) {
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

std::vector<Index> given_counts(const std::vector<double>& rows, Index n) {
  std::vector<Index> out;
  for (const double count : rows) {
    if (!(count >= 0 && count <= double(n)) || count != std::floor(count))
      throw Error(Problem::usage,
                  fmt::format("--rows: expected whole numbers from 0 to {}, found {}", n, count));
    out.push_back(static_cast<Index>(count));
  }
  out = sorted(std::move(out));
  if (out.size() > most_stages)
    throw Error(Problem::limit,
                fmt::format("--rows: at most {} stages are drawn, found {}", most_stages, out.size()));
  return out;
}

/// Of 1, 2, 5, 10, 20, ... the nearest in proportion.
Index round_count(double n) {
  const double power = std::pow(10.0, std::floor(std::log10(n))), first = n / power;
  return static_cast<Index>(power * (first < 1.41 ? 1 : first < 3.16 ? 2 : first < 7.07 ? 5 : 10));
}

/// From the first that shows something to all, in equal proportions.
std::vector<Index> few_counts(Index first, Index n) {
  const Index from = std::max<Index>(first, 1);
  const int steps = first == 0 ? 2 : 3;
  std::vector<Index> out{first, from, n};
  for (int k = 1; k < steps; ++k) {
    const double count = double(from) * std::pow(double(n) / double(from), double(k) / steps);
    out.push_back(std::clamp(round_count(count), from, n));
  }
  return sorted(std::move(out));
}

// ----------------------------------------------------------------------------------------------- the stages

std::string after_rows(Index rows, Index n) {
  if (rows == 0) return "before any row";
  return rows == n ? "after all " + counted(n, "row") : "after " + counted(rows, "row");
}

/// Those that determine the weights; a note for each that does not.
std::vector<Stage> stages_of(const FittedModel& m, const PlotOptions& o, const std::vector<Index>& which,
                             Figure& figure) {
  const Regression& all = *m.regression();
  const double scale = m->scale;
  const Vector y = m->latent_target();
  const Index n = y.size();
  const auto first = internal::rows_that_determine(all, m->x, y, which);
  if (!first)
    throw Error(Problem::data, fmt::format("--kind weights: the {} rows do not determine both weights", n));
  std::vector<Stage> out;
  for (const Index rows : o.rows.empty() ? few_counts(*first, n) : given_counts(o.rows, n)) {
    if (rows < *first) {
      figure.notes.push_back(
          fmt::format("Not drawn: {} the weights are not determined.", after_rows(rows, n)));
      continue;
    }
    ModelRecord units{.scale = scale};
    units.request.transform = m->request.transform;
    FittedModel model(units,
                      internal::process_of(all.stage(m->x, y, rows), m->x.topRows(rows), y.head(rows)));
    const Gaussian pair = model.regression()->weights().marginal(which);
    out.push_back({rows, std::move(model), pair.affine(scale * Matrix::Identity(2, 2), Vector::Zero(2))});
  }
  if (out.empty())
    throw Error(Problem::data,
                fmt::format("--rows: both weights are determined only {}", after_rows(*first, n)));
  return out;
}

double width(const Matrix& ellipse, Index axis) {
  return ellipse.row(axis).maxCoeff() - ellipse.row(axis).minCoeff();
}

/// The same for all stages, so that the contraction is seen.
Windows windows_of(const std::vector<Stage>& stages, double percent) {
  const Matrix last = stages.back().pair.ellipse(percent);
  std::vector<Matrix> shown;
  Windows out;
  for (const Stage& s : stages) {
    Matrix e = s.pair.ellipse(percent);
    const bool fits = width(e, 0) <= too_wide * width(last, 0) && width(e, 1) <= too_wide * width(last, 1);
    if (fits || &s == &stages.back())
      shown.push_back(std::move(e));
    else
      out.cut = true;
  }
  Matrix all(2, 0);
  for (const Matrix& e : shown) all = (Matrix(2, all.cols() + e.cols()) << all, e).finished();
  out.x = padded(all.row(0).transpose(), 0.06), out.y = padded(all.row(1).transpose(), 0.03);
  return out;
}

// -------------------------------------------------------------------------------------------- the pictures

std::string axis_label(const std::string& weight) {
  return weight == "intercept" ? weight : "weight of " + weight;
}

Chart ellipses(const Stage& s, const PlotOptions& o, const Windows& w, const std::string& title) {
  Chart chart;
  chart.title = title;
  for (const double percent : o.intervals) {
    const Matrix e = s.pair.ellipse(percent, ellipse_points);
    chart.regions.push_back({e.row(0), e.row(1), fmt::format("{:g} % of the weights", percent)});
  }
  const Vector& mean = s.pair.mean();
  chart.points = {{mean.head(1), mean.tail(1), "mean of the weights", Chart::Mark::cross}};
  chart.x_window = w.x, chart.y_window = w.y;
  chart.cut = true;
  return chart;
}

/// The rows seen so far, and the remaining ones.
std::vector<Chart::Points> rows_as_points(const FittedModel& m, Index seen) {
  const Index n = m->y.size(), left = n - seen;
  std::vector<Chart::Points> out{{m->x.col(0).head(seen), m->y.head(seen), "rows seen"}};
  if (left > 0 && n <= most_to_come)
    out.push_back({m->x.col(0).tail(left), m->y.tail(left), "rows to come", Chart::Mark::ring});
  return out;
}

Chart lines(const Stage& s, const FittedModel& m, const PlotOptions& o, const Vector& x) {
  Chart chart;
  chart.x_label = m->features[0], chart.y_label = m->target;
  chart.x_measure = measure_of(inputs_of(m)[0]);
  chart.points = rows_as_points(m, s.rows);
  if (!s.has_lines()) {
    chart.title = "other weights are not determined";
    return chart;
  }
  const Prediction p = s.model.predict(x, o.of);
  PlotOptions widest = o;
  widest.intervals.resize(1);
  chart.bands = bands(x, p, widest);
  add_samples(chart, x, s.model.sample(x, o.samples.value_or(lines_drawn), o.seed));
  chart.lines.push_back(middle(x, p, o.of));
  return chart;
}

/// One window for all: the observations, and where the last band is.
void set_windows(std::vector<Chart>& charts, const Vector& x, const Vector& y) {
  const Chart& last = charts.back();
  Vector all = y;
  if (!last.bands.empty()) {
    all.resize(y.size() + 2 * x.size());
    all << y, last.bands[0].lower, last.bands[0].upper;
  }
  for (Chart& c : charts) {
    c.x_window = {x[0], x[x.size() - 1]}, c.y_window = padded(all, 0.2);
    c.cut = true;
  }
}

std::vector<Chart> all_lines(const std::vector<Stage>& stages, const FittedModel& m, const PlotOptions& o) {
  const Chart::Window over = window_of(m, 0, o, 0.04);
  const Vector x = Vector::LinSpaced(o.grid > 0 ? o.grid : 201, over.low, over.high);
  std::vector<Chart> out;
  out.reserve(stages.size());
  for (const Stage& s : stages) out.push_back(lines(s, m, o, x));
  set_windows(out, x, m->y);
  return out;
}

void add_notes(Figure& figure, const FittedModel& m, bool cut) {
  if (cut) figure.notes.emplace_back("Ellipses much wider than the last are cut off.");
  if (m->request.noise != "learn") return;
  const double variance = m.regression()->weights().noise_variance();
  figure.notes.push_back(
      fmt::format("At every stage the noise is taken as known, with the sd that all rows give it: {:.3g}.",
                  m->scale * std::sqrt(variance)));
}

}  // namespace

Figure weights_figure(const FittedModel& m, const PlotOptions& o) {
  const std::vector<std::string> names = plain(m.regression()->names());
  const std::vector<Index> which = chosen_weights(o, names);
  const std::string &a = names[static_cast<size_t>(which[0])], &b = names[static_cast<size_t>(which[1])];
  Figure figure;
  figure.title = o.title.empty()
                     ? fmt::format("Weights of {}: {} and {}, as {} arrive",
                                   m->request.transform.of(m->target), a, b, counted(m->y.size(), "row"))
                     : o.title;
  const std::vector<Stage> stages = stages_of(m, o, which, figure);
  const Windows w = windows_of(stages, o.intervals.front());
  add_notes(figure, m, w.cut);
  std::vector<Chart> beside;
  if (m->features.size() == 1) beside = all_lines(stages, m, o);
  for (size_t i = 0; i < stages.size(); ++i) {
    figure.panels.push_back(ellipses(stages[i], o, w, after_rows(stages[i].rows, m->y.size())));
    figure.panels.back().x_label = axis_label(a), figure.panels.back().y_label = axis_label(b);
    if (!beside.empty()) figure.panels.push_back(std::move(beside[i]));
  }
  figure.columns = 2;
  figure.own_scales = !beside.empty();
  return figure;
}

}  // namespace covary::cli
