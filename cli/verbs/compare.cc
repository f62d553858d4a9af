// covary compare: several models, kernels or means on one table, the best first.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "command.h"
#include "covary/base/error.h"
#include "covary/base/finite.h"
#include "covary/kernels/expression.h"
#include "covary/predictive/score.h"
#include "inputs/model_options.h"
#include "json_text.h"
#include "words.h"

namespace covary::cli {
namespace {

struct CompareArguments : ModelArguments {
  std::vector<std::string> targets, models, kernels, means, bases;
  bool json = false, quiet = false;
  const CLI::App* verb = nullptr;
};

/// One of the models compared.
struct Candidate {
  ModelArguments arguments;
  Transform transform = {};  // of the target
  Summary summary = {};
  Index learned = 0;         // parameters
  std::string failure = {};  // why there is none
  bool failed() const { return !failure.empty(); }
  bool has_evidence() const { return !failed() && std::isfinite(summary.log_marginal_likelihood); }
  double evidence() const { return summary.log_marginal_likelihood; }
};

/// Every combination of model, kernel, mean, basis and target.
void add_models(const CompareArguments& a, ModelArguments m, std::vector<Candidate>& all) {
  for (const std::string& model : a.models) {
    m.model = model;
    if (request_of(m).is_linear()) {
      for (const std::string& basis : a.bases) m.basis = basis, all.push_back({m});
      continue;
    }
    for (const std::string& kernel : a.kernels)
      for (const std::string& mean : a.means) m.kernel = kernel, m.mean = mean, all.push_back({m});
  }
}

std::vector<Candidate> candidates(const CompareArguments& a) {
  std::vector<Candidate> all;
  for (const std::string& target : a.targets) {
    ModelArguments m = static_cast<const ModelArguments&>(a);
    m.target = target;
    add_models(a, std::move(m), all);
  }
  return all;
}

/// The hyper-parameters that were found for the others, as starts.
std::vector<ParameterValues> found_for_others(const Candidate& c, const std::vector<Candidate>& all) {
  std::vector<ParameterValues> out;
  for (const Candidate& other : all) {
    if (&other == &c || other.summary.parameters.empty() || !(other.transform == c.transform)) continue;
    ParameterValues& values = out.emplace_back();
    for (const FittedParameter& p : other.summary.parameters) values[p.name] = p.value;
  }
  return out;
}

void learn(Candidate& c, const Selection& s, const FitOptions& options) {
  try {
    Request request = request_of(c.arguments, s);
    request.transform = c.transform;
    const FittedModel fitted = fit(request, s.data(), options);
    const Summary& found = fitted.summary();
    const auto objective = [](const Summary& t) { return t.log_marginal_likelihood + t.log_prior; };
    if (!c.summary.kernel.empty() && !(objective(found) > objective(c.summary))) return;
    c.summary = found;
    if (c.arguments.inference == internal::automatic_inference) c.arguments.inference = found.inference;
    c.learned = fitted.process().coefficients().size() + std::ssize(found.coefficients);
    for (const FittedParameter& p : c.summary.parameters) c.learned += p.fixed ? 0 : 1;
  } catch (const Error& e) {
    if (e.problem() != Problem::numerical) throw;
    if (c.summary.kernel.empty()) c.failure = e.what();
  }
}

/// Every kernel starts also from what was found for the others: before it, and after it once more, so that
/// none is judged by a search that failed.
/// What `auto` stood for where that is approximate is used for the others too: evidences by different
/// approximations cannot be compared.
void learn_all(std::vector<Candidate>& all, const Selection& s, Messages& messages) {
  std::string common;
  for (Candidate& c : all) {
    const bool open = c.arguments.model == "gp" && c.arguments.inference == internal::automatic_inference;
    if (open && !common.empty()) c.arguments.inference = common;
    FitOptions options = options_of(c.arguments, s, messages);
    options.also_from = found_for_others(c, all);
    learn(c, s, options);
    for (const InferenceEstimate& e : c.summary.considered)
      if (open && e.chosen && e.approximate) common = e.inference;
  }
  for (Candidate& c : all) {
    FitOptions options = options_of(c.arguments, s, messages);
    options.starts = 1, options.also_from = found_for_others(c, all);
    if (c.arguments.model == "gp" && &c != &all.back() && !options.also_from.empty()) learn(c, s, options);
  }
}

/// The most evidence first; then those without one, as they predict; failures last.
bool before(const Candidate& x, const Candidate& y) {
  if (x.failed() != y.failed()) return y.failed();
  if (x.has_evidence() != y.has_evidence()) return x.has_evidence();
  return x.has_evidence() ? x.evidence() > y.evidence() : x.summary.loo_nlpd < y.summary.loo_nlpd;
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
  const ModelArguments& m = c.arguments;
  const std::string kind = a.models.size() > 1 || m.model != "gp" ? m.model : "";
  const std::string target = a.targets.size() > 1 ? " of " + m.target : "";
  if (request_of(m).is_linear()) return kind + (m.basis.empty() ? "" : ": " + m.basis) + target;
  const std::string mean = a.means.size() > 1 ? ", mean " + m.mean : "";
  return fmt::format("{}{}{}{}{}", kind, kind.empty() ? "" : ": ", m.kernel, mean, target);
}

std::string words(const Candidate& c, const Candidate& best) {
  if (!c.has_evidence()) return "no evidence: nothing was assumed of its weights";
  return &c == &best ? "the best" : internal::evidence_words(best.evidence() - c.evidence());
}

std::vector<std::string> row(const Candidate& c, const Candidate& best, const CompareArguments& a) {
  if (c.failed()) return {name(c, a), "failed", "", "", "", "", "", c.failure};
  const bool has = c.has_evidence();
  return {name(c, a),
          has ? fmt::format("{:.3f}", c.evidence()) : "none",
          has ? fmt::format("{:.3f}", best.evidence() - c.evidence()) : "",
          internal::rounded_or(c.summary.loo_rmse, "not defined"),
          internal::rounded_or(c.summary.loo_nlpd, "not defined"),
          std::to_string(c.learned),
          fmt::format("{:.2f} s", c.summary.seconds),
          words(c, best)};
}

std::string contents(const Summary& s) {
  if (s.basis.empty()) return internal::rounded_text(s.kernel);
  std::string out = internal::rounded_text(s.basis);
  for (const FittedParameter& p : s.parameters)
    out += fmt::format("; {} {}", p.name, internal::rounded(p.value));
  return out;
}

std::string as_text(const std::vector<Candidate>& all, const CompareArguments& a) {
  std::vector<std::vector<std::string>> rows{{a.models.size() > 1 ? "model" : "kernel", "log evidence",
                                              "behind", "loo rmse", "loo nlpd", "learned", "time",
                                              "in words"}};
  for (const Candidate& c : all) rows.push_back(row(c, all.front(), a));
  std::string out = text_table(rows) + "\n";
  for (const Candidate& c : all)
    if (!c.failed()) out += fmt::format("{}: {}\n", name(c, a), contents(c.summary));
  const Candidate& other = best_left_out(all);
  const Candidate& best = all.front();
  if (best.failed()) return out + "\nnone of the models could be fitted\n";
  if (!std::isfinite(best.summary.loo_nlpd) || !std::isfinite(other.summary.loo_nlpd))
    return out + "\nleave-one-out is not defined for these models\n";
  if (&other == &best) return out + "\nleave-one-out agrees: " + name(best, a) + " predicts best\n";
  const bool close = other.has_evidence() && best.evidence() - other.evidence() < 1;
  return out + fmt::format("\nleave-one-out prefers {} (nlpd {} against {}): {}\n", name(other, a),
                           internal::rounded(other.summary.loo_nlpd),
                           internal::rounded(best.summary.loo_nlpd),
                           close ? "there is little between them" : "evidence and prediction do not agree");
}

std::string as_json(const std::vector<Candidate>& all) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Candidate& c : all) {
    const bool weights = request_of(c.arguments).is_linear();
    nlohmann::ordered_json j{{"model", c.arguments.model},
                             {"asked", weights ? c.arguments.basis : c.arguments.kernel}};
    if (!weights) j["mean"] = c.arguments.mean;
    j["target"] = c.arguments.target;
    if (c.failed()) {
      j["failure"] = c.failure;
    } else {
      j[weights ? "basis" : "kernel"] = weights ? c.summary.basis : c.summary.kernel;
      j["log_marginal_likelihood"] = or_null(c.evidence());
      j["behind"] = or_null(all.front().evidence() - c.evidence());
      j["words"] = words(c, all.front());
      j["loo"] = {{"rmse", or_null(c.summary.loo_rmse)},
                  {"nlpd", or_null(c.summary.loo_nlpd)},
                  {"skill", or_null(c.summary.loo_skill)}};
      j["noise_variance"] = or_null(c.summary.noise_variance);
      j["learned"] = c.learned;
      j["seconds"] = c.summary.seconds;
      j["notes"] = c.summary.notes;
    }
    out.push_back(std::move(j));
  }
  return json_text(out);
}

/// Refuses an option that applies to none of the models.
void check_options(const CompareArguments& a) {
  std::string last;
  for (const std::string& model : a.models) {
    try {
      return check_model_options(*a.verb, model);
    } catch (const Error& e) {
      last = e.what();
    }
  }
  if (a.models.size() == 1) throw Error(Problem::usage, last);
}

ModelArguments first_target(const CompareArguments& a) {
  ModelArguments m = static_cast<const ModelArguments&>(a);
  m.target = a.targets[0];
  return m;
}

/// Of a target as typed: the evidence of one column can be compared with that of its transforms, with that of
/// another it cannot.
Transform transform_of(const std::string& typed, const Training& t) {
  const TargetColumn target = parse_target(typed, t.table.names()), &first = t.selection.target;
  if (target.column != first.column)
    throw Error(Problem::usage,
                fmt::format("--target: expected {0} or a transform of it, as 'log({0})', found '{1}'",
                            first.column, typed));
  check_domain(target, t.table, t.selection.rows, t.selection.y);
  return target.transform;
}

/// Their sum: it reads what any of them reads.
std::string joined_kernels(const std::vector<std::string>& kernels) {
  return fmt::format("{}", fmt::join(kernels, " + "));
}

void run(CompareArguments a) {
  Messages messages(a.quiet);
  if (a.models.empty()) a.models = {"gp"};
  check_options(a);
  const std::vector<std::string> usual = {"se()", "matern52()", "matern32()"};
  const bool by_types = a.kernels.empty();  // times what reads the columns that are no numbers
  if (by_types) a.kernels = usual;
  if (a.means.empty()) a.means = {a.mean};
  if (a.bases.empty()) a.bases = {""};
  if (a.targets.empty()) a.targets = {""};
  std::vector<Candidate> all = candidates(a);
  for (const Candidate& c : all) check_request(c.arguments);
  const bool linear = std::all_of(all.begin(), all.end(), [](const Candidate& c) {
    return request_of(c.arguments).is_linear() && !c.arguments.basis.empty();
  });
  if (linear)
    a.model = "linear", a.basis = fmt::format("{}", fmt::join(a.bases, ", "));  // their columns alone
  ModelArguments first = first_target(a);
  if (!by_types) first.kernel = joined_kernels(a.kernels);
  const bool any_linear = std::any_of(all.begin(), all.end(),
                                      [](const Candidate& c) { return request_of(c.arguments).is_linear(); });
  if (any_linear && by_types && !linear) first.model = "linear";  // columns that all of them read
  const Training t = read_training(first, messages);
  const Selection& s = t.selection;
  if (by_types)
    for (Candidate& c : all) c.arguments.kernel = internal::default_kernel(s.schema, c.arguments.kernel);
  for (Candidate& c : all) c.transform = transform_of(c.arguments.target, t);
  for (const Candidate& c : all)  // mistakes are reported before any fit
    if (request_of(c.arguments).is_linear())
      (void)internal::linear_model(request_of(c.arguments, s), s.features);
    else
      (void)model_of(s, c.arguments.kernel, c.arguments.mean);
  learn_all(all, s, messages);
  std::stable_sort(all.begin(), all.end(), before);
  print(a.json ? as_json(all) : as_text(all, a));
}

}  // namespace

Run add_compare(CLI::App& app) {
  CLI::App* verb =
      app.add_subcommand("compare", "Compare models, kernels or means on one table, the best first.");
  verb->footer(
      "  covary compare data.csv --target y --kernel 'se()' --kernel 'matern32()' --kernel 'se() + "
      "linear()'\n"
      "  covary compare data.csv --target y --kernel 'se()' --mean zero --mean linear\n"
      "  covary compare data.csv --target y --target 'log(y)'\n"
      "  covary compare data.csv --target y --model linear --model bayes --model gp --kernel 'se()'");
  auto a = std::make_shared<CompareArguments>();
  a->verb = verb;
  add_data_argument(*verb, a->data);
  verb->add_option("-t,--target", a->targets, std::string(about_target) + "; may be repeated")
      ->type_name("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_table_options(*verb, *a, nullptr);
  verb->add_option("-k,--kernel", a->kernels,
                   "Kernel expression, may be repeated (default: se(), matern52() and matern32())")
      ->type_name("EXPR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_option("-m,--mean", a->means, std::string(about_mean) + "; may be repeated")
      ->type_name("TREND")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_option("--model", a->models,
                   "Kind of model, may be repeated: gp, linear, ridge, bayes, kernel-ridge (default: gp)")
      ->check(CLI::IsMember({"gp", "linear", "ridge", "bayes", "kernel-ridge"}).description(""))
      ->type_name("MODEL")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_option("--basis", a->bases, std::string(about_basis) + "; may be repeated")
      ->type_name("LIST")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_noise_option(*verb, *a);
  add_linear_options(*verb, *a);
  add_learning_options(*verb, *a);
  add_reporting(*verb, a->json, a->quiet);
  return [a] { run(*a); };
}

}  // namespace covary::cli
