#include "verbs/checks/check_forward.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "command.h"
#include "covary/base/error.h"
#include "covary/evaluate/cross_validation.h"
#include "covary/table/table.h"
#include "numbers.h"
#include "words.h"

namespace covary::cli {
namespace {

using nlohmann::ordered_json;

/// Which input orders the rows.
Index time_column(const FittedModel& m, const std::string& typed) {
  if (typed.empty() && m->features.size() == 1) return 0;
  const std::string inputs = listed(m->features);
  if (typed.empty())
    throw Error(Problem::usage,
                fmt::format("--forward: --time is needed, the model has several inputs: {}", inputs));
  const auto it = std::find(m->features.begin(), m->features.end(), typed);
  if (it == m->features.end())
    throw Error(Problem::usage, fmt::format("--time: the model has no input '{}'{} (it has {})", typed,
                                            internal::did_you_mean(typed, m->features), inputs));
  return it - m->features.begin();
}

/// Of the rows that were forecast, as often as they were.
Scores left_out_scores(const FittedModel& m, const Forecasts& f, int threads) {
  const Prediction p = left_out(m, {.threads = threads});
  if (!p.mean.allFinite() || !p.sd.allFinite()) return {};
  return score(p.picked(f.row), f.observed);
}

std::string steps(const HorizonScores& h) {
  return h.from == h.to ? fmt::format("{}", h.from) : fmt::format("{} to {}", h.from, h.to);
}

std::string parameters(bool refit) {
  return refit ? "learned from the rows before each origin"
               : "learned from all rows (--refit: from the rows before each origin)";
}

std::vector<std::string> score_row(const std::string& name, const Scores& s) {
  if (s.n == 0) return {name, "not defined", "", "", "", ""};
  return {name,
          internal::rounded(s.rmse),
          internal::rounded(s.mae),
          internal::rounded(s.nlpd),
          internal::rounded(s.crps),
          fmt::format("{:.1f} %", s.coverage[2].covered())};
}

/// 1 - mse/mse of the last value carried forward.
double skill_over_naive(const HorizonScores& h) {
  const double share = h.model.rmse / h.naive_rmse;
  return h.naive_rmse > 0 ? 1 - share * share : 0;
}

ordered_json finite(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(); }

ordered_json json_of(const Scores& s) {
  if (s.n == 0) return {};
  ordered_json coverage = ordered_json::array();
  for (const Coverage& c : s.coverage)
    coverage.push_back({{"percent", c.percent}, {"covers", c.covered()}, {"inside", c.inside}});
  return {{"n", s.n},
          {"rmse", finite(s.rmse)},
          {"mae", finite(s.mae)},
          {"skill", finite(s.skill)},
          {"nlpd", finite(s.nlpd)},
          {"crps", finite(s.crps)},
          {"coverage", coverage}};
}

std::string conclusion(const ForwardReport& r) {
  const double forecast = r.all.model.rmse;
  std::string out = fmt::format("verdict: forecasts miss by {} (rmse)", internal::rounded(forecast));
  if (r.left_out.n > 0 && r.left_out.rmse > 0)
    out += fmt::format(", {:.3g} times what leave-one-out says of the same rows", forecast / r.left_out.rmse);
  if (skill_over_naive(r.all) <= 0) out += "; the last value carried forward does better";
  return out + "; " + verdict(r.all.model) + "\n";
}

}  // namespace

void add_forward_options(CLI::App& verb, ForwardArguments& a) {
  verb.add_option("--time", a.time, "--forward: input that orders the rows (default: the only one)")
      ->type_name("NAME");
  verb.add_option("--horizon", a.horizon,
                  "--forward: steps ahead, counted in different times (default: up to the next origin)")
      ->transform(whole(1, 100000000))
      ->type_name("STEPS");
  verb.add_option("--origins", a.origins, "--forward: number of origins, evenly spaced")
      ->transform(whole(1, 1000000))
      ->type_name("N")
      ->capture_default_str();
  verb.add_option("--initial", a.initial, "--forward: share of the times before the first origin")
      ->transform(number(0, 1))
      ->type_name("SHARE")
      ->capture_default_str();
}

ForwardReport forward_report(const FittedModel& m, const ForwardArguments& a, bool refit,
                             const FitOptions& options, Messages& messages) {
  ForwardOptions o{time_column(m, a.time), a.initial,           a.horizon, a.origins, refit,
                   options.threads,        options.max_seconds, {}};
  o.progress = [&](Index done, Index of) { messages.progress("forecasting", double(done) / double(of)); };
  ForwardReport r;
  r.target = m->target, r.time = m->features[static_cast<size_t>(o.column)];
  r.model = described(m), r.refit = refit;
  r.forecasts = roll_forward(m, o);
  r.all = internal::overall(r.forecasts), r.horizons = internal::by_horizon(r.forecasts);
  r.left_out = left_out_scores(m, r.forecasts, options.threads);
  return r;
}

std::string text_report(const ForwardReport& r) {
  const Forecasts& f = r.forecasts;
  std::vector<std::vector<std::string>> head{
      {r.target,
       fmt::format("forward in {}: {}, up to {} ahead, {}", r.time, counted(f.last.size(), "origin"),
                   counted(f.horizon, "step"), counted(r.all.model.n, "forecast"))},
      {"hyper-parameters", parameters(r.refit)}};
  for (const auto& [name, text] : r.model) head.push_back({label_of(name), internal::rounded_text(text)});
  std::string out = text_table(head) + "\n";
  out += text_table({{"", "rmse", "mae", "nlpd", "crps", "95 % covers"},
                     score_row("forecast", r.all.model),
                     score_row("leave-one-out, same rows", r.left_out),
                     {"last value carried forward", internal::rounded(r.all.naive_rmse), "", "", "", ""}});
  std::vector<std::vector<std::string>> rows{
      {"steps ahead", "forecasts", "rmse", "naive rmse", "skill over naive", "nlpd", "95 % covers"}};
  for (const HorizonScores& h : r.horizons)
    rows.push_back({steps(h), std::to_string(h.model.n), internal::rounded(h.model.rmse),
                    internal::rounded(h.naive_rmse), fmt::format("{:.3f}", skill_over_naive(h)),
                    internal::rounded(h.model.nlpd), fmt::format("{:.1f} %", h.model.coverage[2].covered())});
  return out + "\n" + text_table(rows) + "\n" + conclusion(r);
}

std::string json_report(const ForwardReport& r) {
  const Forecasts& f = r.forecasts;
  ordered_json all{{"target", r.target}, {"how", "forward"}};
  for (const auto& [name, text] : r.model) all[name] = text;
  all["time"] = r.time;
  all["refit"] = r.refit;
  all["horizon"] = f.horizon;
  all["origins"] = std::vector<double>(f.last.begin(), f.last.end());
  all["forecast"] = json_of(r.all.model);
  all["leave_one_out"] = json_of(r.left_out);
  all["naive"] = {{"rmse", r.all.naive_rmse}};
  all["by_horizon"] = ordered_json::array();
  for (const HorizonScores& h : r.horizons) {
    ordered_json j{{"from", h.from}, {"to", h.to}};
    j.update(json_of(h.model));
    j["naive_rmse"] = h.naive_rmse;
    all["by_horizon"].push_back(std::move(j));
  }
  all["verdict"] = verdict(r.all.model);
  return all.dump(2) + "\n";
}

std::string csv_rows(const ForwardReport& r, const FittedModel& m) {
  const Forecasts& f = r.forecasts;
  const auto values = [](const auto& v) { return std::vector<double>(v.begin(), v.end()); };
  Table t;
  const Matrix x = m->x(f.row, Eigen::all);
  for (size_t k = 0; k < m->features.size(); ++k)
    t.columns.push_back({.name = m->features[k], .values = values(x.col(Index(k)))});
  const Vector last = f.last(f.origin);
  t.columns.push_back({.name = m->target, .values = values(f.observed)});
  t.columns.push_back({.name = "origin", .values = values(last)});
  t.columns.push_back({.name = "step", .values = values(f.step)});
  t.columns.push_back({.name = "mean", .values = values(f.prediction.mean)});
  t.columns.push_back({.name = "sd", .values = values(f.prediction.sd)});
  t.columns.push_back({.name = "standardized", .values = values(f.prediction.standardized(f.observed))});
  t.columns.push_back({.name = "pit", .values = values(f.prediction.cdf(f.observed))});
  t.columns.push_back({.name = "naive", .values = values(f.naive)});
  std::string csv;
  write_csv(csv, t);
  return csv;
}

}  // namespace covary::cli
