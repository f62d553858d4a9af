#include "reports/replay_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "json_text.h"
#include "words.h"

namespace covary::cli {
namespace {

std::string p_words(double p) { return p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p); }

std::string labels_words(const internal::Comparison& c, const LearningCurve& curve) {
  if (std::isnan(c.labels)) return fmt::format("over {:.0f}", curve.labels[curve.labels.size() - 1]);
  return fmt::format("{:.0f}", c.labels);
}

std::string share_words(const internal::Comparison& c) {
  return std::isfinite(c.share) ? fmt::format("{:.0f} %", 100 * c.share) : "\u2013";
}

/// Whether its labels were chosen with known probabilities, so that its risk can be estimated.
bool by_chance(const Replayed& r, const std::string& strategy) {
  return r.random_share > 0 || parse_strategy(strategy).entry->draws;
}

}  // namespace

std::string learn_text(const Replayed& r) {
  const std::string base = r.curves[r.baseline].strategy;
  const bool risks = std::any_of(r.compared.begin(), r.compared.end(),
                                 [&](const internal::Comparison& c) { return by_chance(r, c.strategy); });
  std::vector<std::vector<std::string>> rows{{"strategy", "labels to reach it", "of " + base + "'s",
                                              "mean error", "error at the end", "better in", "p"}};
  if (risks) rows[0].insert(rows[0].end(), {"risk, naive", "risk, corrected"});
  for (size_t i = 0; i < r.compared.size(); ++i) {
    const internal::Comparison& c = r.compared[i];
    const bool own = i == r.baseline;
    rows.push_back({c.strategy, labels_words(c, r.curves[i]), share_words(c), internal::rounded(c.area),
                    internal::rounded(c.last),
                    own ? "\u2013" : fmt::format("{} of {}", c.wins, r.curves[i].errors.cols()),
                    own ? "\u2013" : p_words(c.p)});
    if (!risks) continue;
    const internal::ReplayRisk k = by_chance(r, c.strategy)
                                       ? internal::replay_risk(r.runs, c.strategy, r.classifies)
                                       : internal::ReplayRisk{};
    rows.back().push_back(k.repeats ? internal::rounded(k.naive) : "\u2013");
    rows.back().push_back(k.repeats ? fmt::format("{:.4g} +- {:.2g}", k.corrected, k.standard_error)
                                    : "\u2013");
  }
  std::string out = fmt::format("{} of {}{}, {}, {} held out in each\nto reach: {}\n\n",
                                r.classifies ? "share of classes missed" : "root mean square error", r.target,
                                r.unit.empty() ? "" : " (" + r.unit + ")",
                                counted(r.curves[0].errors.cols(), "repeat"), "test rows", r.reach_words);
  out += text_table(rows);
  out += fmt::format(
      "\nmean error: over all label counts. better in: repeats with a smaller mean error than {}, same "
      "start; p: paired t test.\n",
      base);
  if (risks)
    out +=
        "risk: mean loss of predicting each label before it was known, naive and corrected for how labels "
        "were chosen, +- the standard error of one repeat.\n";
  return out;
}

std::string learn_json(const Replayed& r) {
  nlohmann::ordered_json out{{"target", r.target},
                             {"error", r.classifies ? "share of classes missed" : "rmse"},
                             {"repeats", r.curves[0].errors.cols()},
                             {"baseline", r.curves[r.baseline].strategy},
                             {"reach", r.reach}};
  for (size_t i = 0; i < r.compared.size(); ++i) {
    const internal::Comparison& c = r.compared[i];
    const internal::ReplayRisk k = by_chance(r, c.strategy)
                                       ? internal::replay_risk(r.runs, c.strategy, r.classifies)
                                       : internal::ReplayRisk{};
    nlohmann::ordered_json j{{"strategy", c.strategy},
                             {"labels_to_reach", or_null(c.labels)},
                             {"share_of_baseline", or_null(c.share)},
                             {"mean_error", c.area},
                             {"last_error", c.last},
                             {"wins", c.wins},
                             {"p", c.p}};
    if (k.repeats)
      j["risk"] = {{"naive", k.naive}, {"corrected", k.corrected}, {"standard_error", k.standard_error}};
    const LearningCurve& curve = r.curves[i];
    j["labels"] = std::vector<double>(curve.labels.begin(), curve.labels.end());
    j["error"] = std::vector<double>(curve.mean.begin(), curve.mean.end());
    out["strategies"].push_back(std::move(j));
  }
  out["notes"] = r.notes;
  return json_text(out);
}

Figure curves_figure(const Replayed& r) {
  Figure out;
  out.title =
      fmt::format("{} of {} as labels come", r.classifies ? "Share of classes missed" : "Error", r.target);
  out.notes = {
      fmt::format("Mean over {}; bands hold 80 % of them.", counted(r.curves[0].errors.cols(), "repeat"))};
  Chart all;
  all.title = "all strategies", all.x_label = "labels", all.counts = true;
  all.y_label = r.classifies ? "share missed" : r.unit.empty() ? "rmse" : fmt::format("rmse ({})", r.unit);
  for (size_t i = 0; i < r.curves.size(); ++i)
    all.lines.push_back(
        {r.curves[i].labels, r.curves[i].mean, r.curves[i].strategy, Chart::Style::mean, int(i)});
  out.panels.push_back(all);
  const LearningCurve& base = r.curves[r.baseline];
  for (size_t i = 0; i < r.curves.size(); ++i) {
    const LearningCurve& c = r.curves[i];
    Chart one;
    one.title = c.strategy, one.x_label = "labels", one.y_label = all.y_label, one.counts = true;
    one.bands = {{c.labels, c.lower, c.upper, "80 % of the repeats"}};
    one.lines = {{base.labels, base.mean, base.strategy, Chart::Style::mean, int(r.baseline)},
                 {c.labels, c.mean, c.strategy, Chart::Style::mean, int(i)}};
    out.panels.push_back(one);
  }
  out.columns = out.panels.size() > 4 ? 3 : 2;
  return out;
}

Figure where_figure(const Replayed& r, const Matrix& x, const Vector& y,
                    const std::vector<std::string>& names) {
  Figure out;
  out.title = "Where each strategy looked, first repeat";
  for (const LearningCurve& c : r.curves)
    for (const Trial& run : r.runs) {
      if (run.strategy != c.strategy || run.repeat != 0) continue;
      std::vector<Index> rows;
      for (const Step& s : run.steps)
        if (s.row >= 0) rows.push_back(s.row);
      const Vector up = x.cols() == 1 ? y : Vector(x.col(1));
      Chart chart;
      chart.title = c.strategy, chart.x_label = names[0], chart.y_label = x.cols() == 1 ? r.target : names[1];
      if (x.cols() == 1 && r.classifies) chart.y_measure = {Measure::Kind::levels, r.classes};
      chart.points = {{x.col(0), up, "candidates", Chart::Mark::ring},
                      {x.col(0)(rows), up(rows), "labelled", Chart::Mark::cross}};
      out.panels.push_back(chart);
    }
  out.columns = out.panels.size() > 4 ? 3 : 2;
  return out;
}

}  // namespace covary::cli
