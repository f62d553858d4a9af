// covary compare: several kernels or means on one table, the best first.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "command.h"
#include "covary/error.h"
#include "covary/expression.h"
#include "covary/score.h"
#include "model_options.h"
#include "words.h"

namespace covary::cli {
namespace {

struct CompareArguments : ModelArguments {
  std::vector<std::string> kernels, means;
  bool json = false, quiet = false;
};

/// One of those compared.
struct Candidate {
  std::string kernel, mean;  // as asked for
  Summary summary;
  Index learned = 0;    // parameters
  std::string failure;  // why there is none
  bool failed() const { return !failure.empty(); }
  double evidence() const { return summary.log_marginal_likelihood; }
};

Candidate learn(const CompareArguments& a, const Selection& s, const std::string& kernel,
                const std::string& mean, Messages& messages) {
  Candidate c{kernel, mean, {}, 0, ""};
  try {
    const Fitted<Row> fitted = fit(model_of(s, kernel, mean), s.x, s.y, options_of(a, s, messages));
    c.summary = fitted.summary;
    c.learned = fitted.process.coefficients().size();
    for (const LearnedParameter& p : c.summary.parameters) c.learned += p.fixed ? 0 : 1;
  } catch (const Error& e) {
    if (e.problem() != Problem::numerical) throw;
    c.failure = e.what();
  }
  return c;
}

std::vector<Candidate> learn_all(const CompareArguments& a, const Selection& s, Messages& messages) {
  std::vector<Candidate> all;
  for (const std::string& kernel : a.kernels)
    for (const std::string& mean : a.means) all.push_back(learn(a, s, kernel, mean, messages));
  std::stable_sort(all.begin(), all.end(), [](const Candidate& x, const Candidate& y) {
    return x.failed() != y.failed() ? y.failed() : x.evidence() > y.evidence();
  });
  return all;
}

const Candidate& best_left_out(const std::vector<Candidate>& all) {
  const auto nlpd = [](const Candidate& c) {
    return c.failed() || std::isnan(c.summary.loo_nlpd) ? std::numeric_limits<double>::infinity()
                                                        : c.summary.loo_nlpd;
  };
  return *std::min_element(all.begin(), all.end(),
                           [&](const Candidate& x, const Candidate& y) { return nlpd(x) < nlpd(y); });
}

std::string name(const Candidate& c, const CompareArguments& a) {
  return a.means.size() > 1 ? fmt::format("{}, mean {}", c.kernel, c.mean) : c.kernel;
}

std::vector<std::string> row(const Candidate& c, const Candidate& best, const CompareArguments& a) {
  if (c.failed()) return {name(c, a), "failed", "", "", "", "", "", c.failure};
  const double behind = best.evidence() - c.evidence();
  return {name(c, a),
          fmt::format("{:.3f}", c.evidence()),
          fmt::format("{:.3f}", behind),
          rounded(c.summary.loo_rmse),
          rounded(c.summary.loo_nlpd),
          std::to_string(c.learned),
          fmt::format("{:.2f} s", c.summary.seconds),
          &c == &best ? "the best" : evidence_words(behind)};
}

std::string as_text(const std::vector<Candidate>& all, const CompareArguments& a) {
  std::vector<std::vector<std::string>> rows{
      {"kernel", "log evidence", "behind", "loo rmse", "loo nlpd", "learned", "time", "in words"}};
  for (const Candidate& c : all) rows.push_back(row(c, all.front(), a));
  std::string out = text_table(rows) + "\n";
  for (const Candidate& c : all)
    if (!c.failed()) out += fmt::format("{}: {}\n", name(c, a), rounded_text(c.summary.kernel));
  const Candidate& other = best_left_out(all);
  const Candidate& best = all.front();
  if (best.failed()) return out + "\nnone of them could be learned\n";
  if (std::isnan(best.summary.loo_nlpd)) return out + "\nleave-one-out is not defined for these\n";
  if (&other == &best) return out + "\nleave-one-out agrees: " + name(best, a) + " predicts best\n";
  const bool close = best.evidence() - other.evidence() < 1;
  return out + fmt::format("\nleave-one-out prefers {} (nlpd {} against {}): {}\n", name(other, a),
                           rounded(other.summary.loo_nlpd), rounded(best.summary.loo_nlpd),
                           close ? "there is little between them" : "evidence and prediction do not agree");
}

std::string as_json(const std::vector<Candidate>& all) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Candidate& c : all) {
    nlohmann::ordered_json j{{"asked", c.kernel}, {"mean", c.mean}};
    if (c.failed()) {
      j["failure"] = c.failure;
    } else {
      const double behind = all.front().evidence() - c.evidence();
      j["kernel"] = c.summary.kernel;
      j["log_marginal_likelihood"] = c.evidence();
      j["behind"] = behind;
      j["words"] = &c == &all.front() ? "the best" : evidence_words(behind);
      j["loo"] = {{"rmse", c.summary.loo_rmse}, {"nlpd", c.summary.loo_nlpd}, {"skill", c.summary.loo_skill}};
      j["noise_variance"] = c.summary.noise_variance;
      j["learned"] = c.learned;
      j["seconds"] = c.summary.seconds;
      j["notes"] = c.summary.notes;
    }
    out.push_back(std::move(j));
  }
  return out.dump(2) + "\n";
}

void run(CompareArguments a) {
  Messages messages(a.quiet);
  if (a.kernels.empty()) a.kernels = {"se()", "matern52()", "matern32()"};
  if (a.means.empty()) a.means = {a.mean};
  for (const std::string& kernel : a.kernels) (void)read_expression(kernel);
  const Selection s = read_training(a, messages).selection;
  for (const std::string& kernel : a.kernels)
    for (const std::string& mean : a.means)
      (void)model_of(s, kernel, mean);  // slips are said before learning
  const std::vector<Candidate> all = learn_all(a, s, messages);
  print(a.json ? as_json(all) : as_text(all, a));
}

}  // namespace

Run add_compare(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("compare", "Several kernels or means on one table, the best first.");
  verb->footer(
      "  covary compare data.csv --target y --kernel 'se()' --kernel 'matern32()' --kernel 'se() + "
      "linear()'\n"
      "  covary compare data.csv --target y --kernel 'se()' --mean zero --mean linear");
  auto a = std::make_shared<CompareArguments>();
  add_data_argument(*verb, a->data);
  add_table_options(*verb, *a);
  verb->add_option("-k,--kernel", a->kernels,
                   "As often as you like; se(), matern52() and matern32() if none is given")
      ->type_name("EXPR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_option("-m,--mean", a->means, std::string("As often as you like: ") + about_mean)
      ->type_name("TREND")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_noise_option(*verb, *a);
  add_learning_options(*verb, *a);
  add_reporting(*verb, a->json, a->quiet);
  return [a] { run(*a); };
}

}  // namespace covary::cli
