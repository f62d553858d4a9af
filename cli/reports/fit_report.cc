#include "reports/fit_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "covary/base/finite.h"
#include "covary/gaussian/univariate.h"
#include "covary/model/records.h"
#include "json_text.h"
#include "words.h"

namespace covary::cli {
namespace {

using nlohmann::ordered_json;

std::string features_words(const std::vector<std::string>& features) {
  constexpr size_t most = 8;
  if (features.size() <= most) return fmt::format("{}", fmt::join(features, ", "));
  const auto end = features.begin() + most;
  return fmt::format("{}, ... ({} in all)", fmt::join(features.begin(), end, ", "), features.size());
}

/// "Date: date from 1958-03-01 to 2019-12-01, in days; catalyst: category of 4 levels"; "" of numbers alone.
std::string types_words(const FittedModel& m) {
  std::vector<std::string> out;
  for (Index k = 0; k < m->request.schema.size(); ++k)
    out.push_back(m->request.schema[k].name + ": " + internal::type_summary(m->request.schema, k, m->x));
  return fmt::format("{}", fmt::join(out, "; "));
}

std::string mean_words(const FittedModel& m) {
  std::string out = internal::rounded_text(m->summary.mean);
  std::string separator = ": ";
  for (const Coefficient& c : internal::trend_coefficients(m)) {
    const std::string term = c.name == "1" ? "" : " " + c.name;
    out += fmt::format("{}({} \u00b1 {}){}", separator, internal::rounded(c.value), internal::rounded(c.sd),
                       term);
    separator = " + ";
  }
  return out;
}

std::string search_words(const Summary& s) {
  if (s.evaluations == 0) return s.stopped.empty() ? "nothing to learn" : s.stopped;
  const int starts = s.basins.empty() ? 0 : s.basins[0].starts;
  const std::string found = s.basins.size() > 1 ? fmt::format("{} optima, the best from {}", s.basins.size(),
                                                              counted(starts, "start"))
                            : starts > 1        ? fmt::format("one optimum found, from {} starts", starts)
                                                : std::string("one start only: there may be other optima");
  return fmt::format("{} in {:.2f} s, {}; {}", counted(s.evaluations, "evaluation"), s.seconds, found,
                     s.stopped);
}

ordered_json json_of(const FittedParameter& p) {
  return {{"name", p.name},
          {"value", or_null(p.value)},
          {"lower", or_null(p.lower)},
          {"upper", or_null(p.upper)},
          {"fixed", p.fixed},
          {"at_bound", p.at_lower || p.at_upper},
          {"flat", p.flat}};
}

ordered_json parameters(const Summary& s) {
  ordered_json all = ordered_json::array();
  for (const FittedParameter& p : s.parameters) all.push_back(json_of(p));
  return all;
}

ordered_json basins(const Summary& s) {
  ordered_json all = ordered_json::array();
  for (const Basin& b : s.basins)
    all.push_back({{"start", b.start},
                   {"objective", b.objective},
                   {"evaluations", b.evaluations},
                   {"polished", b.polished},
                   {"starts", b.starts},
                   {"stopped", b.stopped}});
  return all;
}

/// [{name, value, sd}]; `key` is what the name is called.
ordered_json json_of(const std::vector<Coefficient>& coefficients, const char* key) {
  ordered_json all = ordered_json::array();
  for (const Coefficient& c : coefficients)
    all.push_back({{key, c.name}, {"value", c.value}, {"sd", or_null(c.sd)}});
  return all;
}

std::string status_of(const InferenceEstimate& e) {
  return e.chosen ? "chosen" : e.refusal.empty() ? "" : e.refusal;
}

using Lines = std::vector<std::vector<std::string>>;

void add_process(Lines& rows, const FittedModel& m) {
  rows.push_back({"kernel", internal::rounded_text(m->summary.kernel)});
  rows.push_back({"mean", mean_words(m)});
  rows.push_back({"noise", internal::noise_words(m->summary)});
  if (!m->summary.how.empty()) rows.push_back({"ridge", m->summary.how});
  if (m->summary.inference != "exact()")
    rows.push_back(
        {"inference", m->summary.inference + (m.process().report().approximate ? ", approximate" : "")});
}

void add_weights(Lines& rows, const Summary& s) {
  rows.push_back({"model", s.model + " regression on " + internal::rounded_text(s.basis)});
  for (const FittedParameter& p : s.parameters)
    rows.push_back({p.name == "prior_sd" ? "prior sd" : p.name,
                    internal::rounded_or(p.value, "not known") + (p.fixed ? " (given)" : "")});
  rows.push_back({"noise", internal::noise_words(s)});
  rows.push_back({"taken from", s.how});
}

/// Value, standard error and interval of each weight.
std::string weights_table(const Summary& s) {
  constexpr size_t most = 40;
  const double q =
      s.freedom > 0 ? internal::interval_quantile(95, s.freedom) : std::numeric_limits<double>::infinity();
  Lines rows{{"weight of", "value", "sd", "95 % from", "to"}};
  for (size_t i = 0; i < std::min(most, s.coefficients.size()); ++i) {
    const Coefficient& c = s.coefficients[i];
    const bool known = std::isfinite(q * c.sd);
    rows.push_back({c.name, internal::rounded(c.value), known ? internal::rounded(c.sd) : "not determined",
                    known ? internal::rounded(c.value - q * c.sd) : "",
                    known ? internal::rounded(c.value + q * c.sd) : ""});
  }
  const size_t left = s.coefficients.size() - std::min(most, s.coefficients.size());
  return "\n" + text_table(rows) +
         (left ? fmt::format("... and {} more: --json lists them all\n", left) : "");
}

}  // namespace

std::string inferences_table(const std::vector<InferenceEstimate>& all) {
  if (all.empty()) return "";
  const bool compared =
      std::any_of(all.begin(), all.end(), [](const auto& e) { return !std::isnan(e.held_out); });
  Lines rows{{"inference", "time", "memory", "log density held out", ""}};
  for (const InferenceEstimate& e : all)
    rows.push_back({e.inference, std::isnan(e.seconds) ? "" : in_seconds(e.seconds),
                    std::isnan(e.bytes) ? "" : in_bytes(e.bytes),
                    std::isnan(e.held_out) ? "" : fmt::format("{:.3f}", e.held_out), status_of(e)});
  if (!compared)
    for (auto& row : rows) row.erase(row.begin() + 3);
  return text_table(rows);
}

ordered_json inferences_json(const std::vector<InferenceEstimate>& all) {
  ordered_json out = ordered_json::array();
  for (const InferenceEstimate& e : all)
    out.push_back({{"inference", e.inference},
                   {"approximate", e.approximate},
                   {"chosen", e.chosen},
                   {"seconds", or_null(e.seconds)},
                   {"memory_bytes", or_null(e.bytes)},
                   {"held_out_log_density", or_null(e.held_out)},
                   {"refusal", e.refusal.empty() ? ordered_json() : ordered_json(e.refusal)}});
  return out;
}

std::string text_report(const FittedModel& m, const std::string& saved_as) {
  const Summary& s = m.summary();
  const bool weights = m->weights.has_value();
  const std::string distinct = s.distinct == s.n ? "" : fmt::format(" ({} distinct)", s.distinct);
  Lines rows{
      {m->target, fmt::format("from {}; {}{}", features_words(m->features), counted(s.n, "row"), distinct)}};
  if (const std::string types = types_words(m); !types.empty()) rows.push_back({"columns", types});
  if (const Transform& g = m->request.transform; !g.is_identity())
    rows.push_back(
        {"fitted as", fmt::format("{}: {} and noise are of it; evidence, scores and predictions of {}",
                                  g.of(m->target), weights ? "weights" : "kernel, mean", m->target)});
  if (weights)
    add_weights(rows, s);
  else
    add_process(rows, m);
  rows.push_back({"log marginal likelihood", internal::evidence_words(s)});
  rows.push_back({"leave-one-out", internal::left_out_words(s)});
  if (!weights) rows.push_back({"search", search_words(s)});
  if (s.jitter > 0) rows.push_back({"jitter", internal::rounded(s.jitter)});
  if (const double scale = m->scale; scale != 1)
    rows.push_back(
        {"scale of y", internal::rounded(scale) +
                           (weights ? " (y was divided by it)" : " (kernel and noise are of y / scale)")});
  if (!saved_as.empty()) rows.push_back({"kept in", saved_as});
  return text_table(rows) + (weights ? weights_table(s) : "");
}

std::string json_report(const FittedModel& m) {
  const Summary& s = m.summary();
  ordered_json all{{"model", s.model}, {"log_marginal_likelihood", or_null(s.log_marginal_likelihood)}};
  if (const Regression* r = m.regression()) {
    all["basis"] = s.basis;
    all["coefficients"] = json_of(s.coefficients, "name");
    all["residual_sd"] = or_null(s.residual_sd);
    all["freedom"] = or_null(s.freedom);
    all["side"] = r->weights().on_side_of_functions() ? "functions" : "weights";
    all["how"] = s.how;
  } else {
    const bool per_row = m->noise.per_row();
    all["kernel"] = s.kernel;
    all["mean"] = s.mean;
    all["inference"] = s.inference;
    if (s.inference != Exact().text()) all["approximate"] = m.process().report().approximate;
    if (!s.considered.empty()) all["inferences"] = inferences_json(s.considered);
    all["mean_coefficients"] = json_of(internal::trend_coefficients(m), "term");
    all["noise_variance"] = per_row ? ordered_json() : ordered_json(s.noise_variance);
  }
  all["n"] = s.n;
  all["distinct"] = s.distinct;
  all["features"] = m->features;
  all["target"] = m->target;
  all["target_transform"] =
      m->request.transform.is_identity() ? ordered_json() : ordered_json(m->request.transform.name());
  all["target_scale"] = m->scale;
  all["loo"] = {
      {"rmse", or_null(s.loo_rmse)}, {"nlpd", or_null(s.loo_nlpd)}, {"skill", or_null(s.loo_skill)}};
  all["log_prior"] = s.log_prior;
  all["parameters"] = parameters(s);
  all["basins"] = basins(s);
  all["evaluations"] = s.evaluations;
  all["seconds"] = s.seconds;
  all["stopped"] = s.stopped;
  all["jitter"] = s.jitter;
  all["reciprocal_condition"] = s.reciprocal_condition;
  all["notes"] = s.notes;
  all["machine"] = s.machine;
  return json_text(all);
}

}  // namespace covary::cli
