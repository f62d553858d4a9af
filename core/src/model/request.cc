#include "covary/model/request.h"

#include <fast_float/fast_float.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "covary/base/error.h"
#include "covary/base/names.h"
#include "covary/kernels/expression.h"
#include "covary/learn/ignored_columns.h"
#include "covary/predictive/score.h"

namespace covary {
namespace {

/// A finite number, if the text is one.
std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, error] = fast_float::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

/// Empty for `word`. Throws a usage Error unless the text is that or a number.
std::optional<double> number_or(const std::string& text, const std::string& word, const char* what) {
  if (text == word) return {};
  if (const std::optional<double> value = number(text)) return value;
  throw Error(Problem::usage, fmt::format("{}: expected {} or a number, found '{}'", what, word, text));
}

const std::vector<std::pair<const char*, RidgeOptions::By>> ways{
    {"leave-one-out", RidgeOptions::By::leave_one_out},
    {"generalised", RidgeOptions::By::generalised},
    {"evidence", RidgeOptions::By::evidence}};

/// How a penalty is chosen; given if it is a number.
RidgeOptions::By way_of(const std::string& penalty) {
  for (const auto& [word, by] : ways)
    if (penalty == word) return by;
  if (number(penalty)) return RidgeOptions::By::given;
  throw Error(
      Problem::usage,
      fmt::format("penalty: expected a number, leave-one-out, generalised or evidence, found '{}'", penalty));
}

std::string all_columns(const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const std::string& c : columns) names.push_back(quoted_if_needed(c));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// What is said of constant columns, where they are ignored.
void note_ignored(Summary& s, const HeldColumns& held, const std::vector<std::string>& columns) {
  for (const HeldColumn& h : held) {
    const bool named = std::cmp_less(h.column, columns.size());
    const std::string name =
        named ? "'" + columns[static_cast<size_t>(h.column)] + "'" : std::to_string(h.column + 1);
    std::replace(s.notes.begin(), s.notes.end(), constant_note(name, false), constant_note(name, true));
  }
}

}  // namespace

void check(const Asked& asked) {
  if (asked.is_linear()) {
    (void)number_or(asked.noise, "learn", "noise");
    (void)number_or(asked.prior_sd, "learn", "prior sd");
    (void)way_of(asked.penalty);
  } else if (asked.model == "kernel-ridge") {
    (void)kernel_ridge_options(asked);
  }
}

LinearModel linear_model(const Asked& asked, const std::vector<std::string>& columns) {
  LinearModel m{.features =
                    parse_features(asked.basis.empty() ? all_columns(columns) : asked.basis, columns)};
  m.method = asked.model == "linear"  ? Method::linear
             : asked.model == "ridge" ? Method::ridge
                                      : Method::bayes;
  m.intercept = asked.intercept, m.standardise = asked.standardise;
  if (m.method == Method::ridge) {
    const RidgeOptions::By by = way_of(asked.penalty);
    if (by == RidgeOptions::By::given)
      m.penalty = number(asked.penalty);
    else
      m.choose = by;
  }
  if (m.method == Method::bayes) m.prior_sd = number_or(asked.prior_sd, "learn", "prior sd");
  m.noise = number_or(asked.noise, "learn", "noise");
  m.side = asked.side, m.undetermined = asked.undetermined;
  return m;
}

namespace {

FitOptions by_inference(FitOptions options, const Asked& asked) {
  options.inference = asked.inference;
  return options;
}

/// The same model with z = g(y) in the place of y, and its summary of z.
Learned learn_transformed(const Asked& asked, const std::string& mean, const Noise& noise, const Rows& x,
                          const Vector& z, const FitOptions& options) {
  const Transform& g = asked.transform;
  const HeldColumns held = ignored_columns(asked, options.columns, x);
  if (asked.is_linear()) {
    FittedRegression f = fit(ignoring(held, linear_model(asked, options.columns)), x, z, options);
    return {{std::move(f.regression), f.scale, g}, std::move(f.summary)};
  }
  const Model<Row> model =
      ignoring(held, Model<Row>{parse(asked.kernel, options.columns, asked.functions),
                                mean_of(asked.mean_function, mean, options.columns), noise});
  Fitted<Row> f = asked.model == "kernel-ridge"
                      ? fit_kernel_ridge(model, x, z, kernel_ridge_options(asked), options)
                      : fit(model, x, z, by_inference(options, asked));
  note_ignored(f.summary, held, options.columns);
  return {{std::move(f.process), f.scale, g}, std::move(f.summary)};
}

}  // namespace

Learned learn(const Asked& asked, const std::string& mean, const Noise& noise, const Rows& x, const Vector& y,
              const FitOptions& options) {
  Learned learned = learn_transformed(asked, mean, noise, x, asked.transform(y), options);
  if (asked.transform.is_identity()) return learned;
  describe_left_out(learned.summary, learned.predictor, x, y, options.threads);
  learned.summary.log_marginal_likelihood += asked.transform.log_jacobian(y);
  return learned;
}

void describe_left_out(Summary& s, const Predictor& predictor, const Rows& x, const Vector& y, int threads) {
  const Prediction p = predictor.leave_one_out(x, y, threads);
  const bool defined = p.mean.allFinite() && p.sd.allFinite();
  const Scores scores = defined ? score(p, y) : Scores{};
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  s.loo_rmse = defined ? scores.rmse : none;
  s.loo_nlpd = defined ? scores.nlpd : none;
  s.loo_skill = defined ? scores.skill : none;
}

KernelRidgeOptions kernel_ridge_options(const Asked& asked) {
  KernelRidgeOptions o;
  const RidgeOptions::By by = way_of(asked.penalty);
  if (by == RidgeOptions::By::evidence)
    throw Error(Problem::usage,
                "penalty: kernel ridge chooses by leave-one-out or generalised; a gp by evidence");
  if (by == RidgeOptions::By::given) o.penalty = number(asked.penalty);
  o.by = by == RidgeOptions::By::generalised ? KernelRidgeOptions::By::generalised
                                             : KernelRidgeOptions::By::leave_one_out;
  return o;
}

HeldColumns ignored_columns(const Asked& asked, const std::vector<std::string>& columns, const Rows& x) {
  if (asked.is_linear()) return constant_columns(x);
  if (asked.kernel.empty()) return {};
  return ignored_columns(parse(asked.kernel, columns, asked.functions).amplified(), x);
}

}  // namespace covary
