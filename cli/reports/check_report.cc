#include "reports/check_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "covary/base/finite.h"
#include "json_text.h"
#include "verbs/checks/check_model.h"
#include "words.h"

namespace covary::cli {
namespace {

using nlohmann::ordered_json;

std::vector<std::string> coverage_row(const CheckReport& r, const Coverage& c) {
  const std::string calibrated = r.calibration.allows(c.percent)
                                     ? fmt::format("{:.3f}", r.calibration.factor(c.percent))
                                     : "too few rows";
  return {fmt::format("{:g} %", c.percent), fmt::format("{:.1f} %", c.covered()),
          fmt::format("{} of {}", c.inside, c.n), fmt::format("{:.3f}", r.scores.family.reach(c.percent)),
          calibrated};
}

std::string coverage_table(const CheckReport& r) {
  std::vector<std::vector<std::string>> rows{{"interval", "covers", "rows", "sds either way", "calibrated"}};
  for (const Coverage& c : r.scores.coverage) rows.push_back(coverage_row(r, c));
  return text_table(rows);
}

/// Ten bars, the tallest as high as a character.
std::string bars(const std::vector<Index>& counts) {
  constexpr const char* steps[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                   "\u2585", "\u2586", "\u2587", "\u2588"};
  const double most = double(*std::max_element(counts.begin(), counts.end()));
  std::string out;
  for (const Index c : counts) out += steps[static_cast<size_t>(std::ceil(8 * double(c) / most))];
  return out;
}

std::string pit_words(const Scores& s) {
  const bool surprise = s.pit_distance > s.pit_surprise;
  return fmt::format(
      "PIT  \u2595{}\u258f  flat is right; {:.3f} from flat at most{}{:.3f} would {}be a surprise{}\n",
      bars(s.pit), s.pit_distance, surprise ? ", and " : " (", s.pit_surprise, surprise ? "already " : "",
      surprise ? "" : ")");
}

std::string worst_table(const CheckReport& r) {
  const Vector z = r.predicted.standardized(r.observed);
  std::vector<std::vector<std::string>> rows{{"worst rows", "observed", "predicted", "sd", "residual / sd"}};
  for (const Index i : worst_rows(r, r.worst))
    rows.push_back({r.rows[static_cast<size_t>(i)], internal::rounded(r.observed[i]),
                    internal::rounded(r.predicted.mean[i]), internal::rounded(r.predicted.sd[i]),
                    std::isfinite(z[i]) ? fmt::format("{:+.2f}", z[i]) : "certain, wrong"});
  return text_table(rows);
}

std::string approximation_table(const internal::ApproximationError& e) {
  std::vector<std::vector<std::string>> rows{
      {fmt::format("on {} random rows", e.given), e.inference, "exact()"},
      {"log density per row", fmt::format("{:.5f}", e.log_density),
       fmt::format("{:.5f}", e.exact_log_density)}};
  std::string out = text_table(rows);
  if (e.tested == 0) return out;
  return out + fmt::format(
                   "at {} others: means differ by {:.2g} sd (rms; at most {:.2g}), sds by a factor of {:.4f} "
                   "({:.3f} to {:.3f})\n",
                   e.tested, e.mean_difference, e.largest_mean_difference, e.sd_ratio, e.least_sd_ratio,
                   e.largest_sd_ratio);
}

ordered_json json_of(const internal::ApproximationError& e) {
  return {{"inference", e.inference},
          {"rows", e.given},
          {"log_density_per_row", e.log_density},
          {"exact_log_density_per_row", e.exact_log_density},
          {"tested", e.tested},
          {"mean_difference_in_sds", or_null(e.mean_difference)},
          {"largest_mean_difference_in_sds", or_null(e.largest_mean_difference)},
          {"sd_ratio", or_null(e.sd_ratio)},
          {"least_sd_ratio", or_null(e.least_sd_ratio)},
          {"largest_sd_ratio", or_null(e.largest_sd_ratio)}};
}

}  // namespace

std::vector<Index> worst_rows(const CheckReport& r, Index count) {
  const Vector z = r.predicted.standardized(r.observed).cwiseAbs();
  std::vector<Index> order(static_cast<size_t>(z.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return z[a] > z[b]; });
  order.resize(static_cast<size_t>(std::min(count, z.size())));
  return order;
}

std::string text_report(const CheckReport& r) {
  const Scores& s = r.scores;
  std::vector<std::vector<std::string>> head{{r.target, fmt::format("{}, {}", r.how, counted(s.n, "row"))}};
  for (const auto& [name, text] : r.model) head.push_back({label_of(name), internal::rounded_text(text)});
  head.push_back({"errors", fmt::format("rmse {}, mae {}, skill {:.4f} (1 is perfect, 0 is the mean)",
                                        internal::rounded(s.rmse), internal::rounded(s.mae), s.skill)});
  head.push_back(
      {"scores", fmt::format("nlpd {}, crps {} (smaller is better)",
                             internal::rounded_or(s.nlpd, "infinite: a prediction that was certain is wrong"),
                             internal::rounded_or(s.crps, "not defined"))});
  std::string out = text_table(head);
  if (r.approximation) out += "\n" + approximation_table(*r.approximation);
  out += "\n" + coverage_table(r) + "\n" + pit_words(s);
  if (r.worst > 0) out += "\n" + worst_table(r);
  return out + "\n" + "verdict: " + verdict(s) + "\n";
}

std::string json_report(const CheckReport& r) {
  const Scores& s = r.scores;
  ordered_json coverage = ordered_json::array(), worst = ordered_json::array();
  for (const Coverage& c : s.coverage) {
    const bool allowed = r.calibration.allows(c.percent);
    coverage.push_back(
        {{"percent", c.percent},
         {"covers", c.covered()},
         {"inside", c.inside},
         {"z", s.family.reach(c.percent)},
         {"calibrated_z", allowed ? ordered_json(r.calibration.factor(c.percent)) : ordered_json()}});
  }
  const Vector z = r.predicted.standardized(r.observed);
  for (const Index i : worst_rows(r, r.worst))
    worst.push_back({{"row", r.rows[static_cast<size_t>(i)]},
                     {"observed", r.observed[i]},
                     {"mean", r.predicted.mean[i]},
                     {"sd", r.predicted.sd[i]},
                     {"standardized", or_null(z[i])}});
  ordered_json all{{"target", r.target}, {"how", r.how}};
  for (const auto& [name, text] : r.model) all[name] = text;
  if (r.approximation) all["approximation"] = json_of(*r.approximation);
  all["n"] = s.n;
  all["rmse"] = s.rmse;
  all["mae"] = s.mae;
  all["skill"] = s.skill;
  all["nlpd"] = or_null(s.nlpd);
  all["crps"] = or_null(s.crps);
  all["freedom"] = or_null(s.family.freedom());
  all["coverage"] = coverage;
  all["pit"] = {{"counts", s.pit}, {"distance", s.pit_distance}};
  all["worst"] = worst;
  all["verdict"] = verdict(s);
  return json_text(all);
}

}  // namespace covary::cli
