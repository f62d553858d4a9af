#include "fit_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "words.h"

namespace covary::cli {
namespace {

using nlohmann::ordered_json;

/// A coefficient of the trend, in the units of y.
struct Coefficient {
  std::string term;
  double value = 0, sd = 0;
};

std::vector<Coefficient> coefficients(const Fitted<Row>& f) {
  const Vector value = f.process.coefficients();
  const Matrix covariance = f.process.coefficient_covariance();
  std::vector<Coefficient> out;
  for (Index i = 0; i < value.size(); ++i)
    out.push_back({f.process.trend().terms[static_cast<size_t>(i)], f.scale * value[i],
                   f.scale * std::sqrt(covariance(i, i))});
  return out;
}

std::string noise_words(const Fitted<Row>& f) {
  const Noise& noise = f.process.noise();
  if (noise.kind == Noise::Kind::rows)
    return fmt::format("one sd per row, {} to {}", rounded(f.scale * noise.sd.minCoeff()),
                       rounded(f.scale * noise.sd.maxCoeff()));
  if (noise.variance == 0) return "none";
  return fmt::format("variance {} (sd {})", rounded(noise.variance),
                     rounded(f.scale * std::sqrt(noise.variance)));
}

std::string features_words(const std::vector<std::string>& features) {
  constexpr size_t most = 8;
  if (features.size() <= most) return fmt::format("{}", fmt::join(features, ", "));
  const auto end = features.begin() + most;
  return fmt::format("{}, ... ({} in all)", fmt::join(features.begin(), end, ", "), features.size());
}

std::string mean_words(const Fitted<Row>& f) {
  std::string out = rounded_text(f.summary.mean);
  std::string separator = ": ";
  for (const Coefficient& c : coefficients(f)) {
    const std::string term = c.term == "1" ? "" : " " + c.term;
    out += fmt::format("{}({} \u00b1 {}){}", separator, rounded(c.value), rounded(c.sd), term);
    separator = " + ";
  }
  return out;
}

std::string search_words(const Summary& s) {
  if (s.evaluations == 0) return s.stopped.empty() ? "nothing to learn" : s.stopped;
  return fmt::format("{} in {:.2f} s, {} found; {}", counted(s.evaluations, "evaluation"), s.seconds,
                     s.basins.size() == 1 ? "one optimum" : fmt::format("{} optima", s.basins.size()),
                     s.stopped);
}

ordered_json json_of(const LearnedParameter& p) {
  return {{"name", p.name},   {"value", p.value}, {"lower", p.lower},
          {"upper", p.upper}, {"fixed", p.fixed}, {"at_bound", p.at_lower || p.at_upper},
          {"flat", p.flat}};
}

ordered_json parameters(const Summary& s) {
  ordered_json all = ordered_json::array();
  for (const LearnedParameter& p : s.parameters) all.push_back(json_of(p));
  return all;
}

ordered_json basins(const Summary& s) {
  ordered_json all = ordered_json::array();
  for (const Basin& b : s.basins)
    all.push_back({{"start", b.start},
                   {"objective", b.objective},
                   {"evaluations", b.evaluations},
                   {"polished", b.polished},
                   {"stopped", b.stopped}});
  return all;
}

}  // namespace

std::string text_report(const Report& r) {
  const Summary& s = r.fitted.summary;
  const std::string distinct = s.distinct == s.n ? "" : fmt::format(" ({} distinct)", s.distinct);
  std::vector<std::vector<std::string>> rows{
      {r.target, fmt::format("from {}; {}{}", features_words(r.features), counted(s.n, "row"), distinct)},
      {"kernel", rounded_text(s.kernel)},
      {"mean", mean_words(r.fitted)},
      {"noise", noise_words(r.fitted)},
      {"log marginal likelihood", fmt::format("{:.6f}", s.log_marginal_likelihood)},
      {"leave-one-out",
       fmt::format("rmse {}, nlpd {}, skill {:.4f}", rounded(s.loo_rmse), rounded(s.loo_nlpd), s.loo_skill)},
      {"search", search_words(s)}};
  if (s.jitter > 0) rows.push_back({"jitter", rounded(s.jitter)});
  if (r.fitted.scale != 1)
    rows.push_back({"scale of y", rounded(r.fitted.scale) + " (kernel and noise are of y / scale)"});
  if (!r.saved_as.empty()) rows.push_back({"kept in", r.saved_as});
  return text_table(rows);
}

std::string json_report(const Report& r) {
  const Summary& s = r.fitted.summary;
  ordered_json mean_coefficients = ordered_json::array();
  for (const Coefficient& c : coefficients(r.fitted))
    mean_coefficients.push_back({{"term", c.term}, {"value", c.value}, {"sd", c.sd}});
  const bool per_row = r.fitted.process.noise().kind == Noise::Kind::rows;
  const ordered_json all{{"log_marginal_likelihood", s.log_marginal_likelihood},
                         {"kernel", s.kernel},
                         {"mean", s.mean},
                         {"mean_coefficients", mean_coefficients},
                         {"noise_variance", per_row ? ordered_json() : ordered_json(s.noise_variance)},
                         {"n", s.n},
                         {"distinct", s.distinct},
                         {"features", r.features},
                         {"target", r.target},
                         {"target_scale", r.fitted.scale},
                         {"loo", {{"rmse", s.loo_rmse}, {"nlpd", s.loo_nlpd}, {"skill", s.loo_skill}}},
                         {"log_prior", s.log_prior},
                         {"parameters", parameters(s)},
                         {"basins", basins(s)},
                         {"evaluations", s.evaluations},
                         {"seconds", s.seconds},
                         {"stopped", s.stopped},
                         {"jitter", s.jitter},
                         {"reciprocal_condition", s.reciprocal_condition},
                         {"notes", s.notes},
                         {"machine", s.machine}};
  return all.dump(2) + "\n";
}

}  // namespace covary::cli
