#include "hints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "covary/base/error.h"

namespace covary::cli {
namespace {

struct Meant {
  std::string_view words;  // with a space on either side of each
  std::string_view name;   // of ours
};

constexpr std::array<Meant, 14> verbs_meant{
    {{" train learn-hyper optimize optimise estimate fit-model regress regression gp ", "fit"},
     {" forecast infer evaluate-at interpolate krige kriging apply ", "predict"},
     {" draw simulate prior posterior ", "sample"},
     {" validate evaluate test score cv crossval cross-validate diagnose assess loo ", "check"},
     {" select rank benchmark bayes-factor ", "compare"},
     {" draw-model graph chart show picture visualize visualise ", "plot"},
     {" ask next acquire query propose recommend design ", "suggest"},
     {" update add append condition observe ", "tell"},
     {" learn active active-learning ", "replay"},
     {" annotate cluster clusters classify ", "label"},
     {" sensors locate placement site ", "place"},
     {" kernel covariances ", "kernels"},
     {" strategy acquisition ", "strategies"},
     {" usage --h manual ", "help"}}};

constexpr std::array<Meant, 18> options_meant{
    {{" --output --file --save --to ", "--out"},
     {" --y --response --label --outcome --predict --dependent ", "--target"},
     {" --x --inputs --input --columns --predictors --covariates ", "--features"},
     {" --trend --drift ", "--mean"},
     {" --covariance --cov ", "--kernel"},
     {" --confidence --ci --level --alpha --credible --percent --quantile --quantiles ", "--interval"},
     {" --sep --separator --delim ", "--delimiter"},
     {" --random-state --random-seed --rng ", "--seed"},
     {" --restarts --n-restarts --n-restarts-optimizer --num-restarts ", "--starts"},
     {" --cv --kfold --k-fold --splits ", "--folds"},
     {" --n-samples --num-samples ", "--draws"},
     {" --nugget --noise-variance --likelihood-variance --alpha-noise ", "--noise"},
     {" --timeout --time-limit --time ", "--max-seconds"},
     {" --silent --no-notes ", "--quiet"},
     {" --cores --jobs --n-jobs --workers ", "--threads"},
     {" --maximize --maximise --minimize --minimise --loss --criterion ", "--objective"},
     {" --standardise ", "--standardize"},
     {" --na --missing-value --dropna ", "--missing"}}};

/// Our name for a word, if it is among `known`.
template <size_t n>
std::string meant(const std::array<Meant, n>& table, const std::string& typed,
                  const std::vector<std::string>& known) {
  for (const Meant& m : table)
    if (m.words.find(" " + typed + " ") != m.words.npos &&
        std::find(known.begin(), known.end(), m.name) != known.end())
      return fmt::format(", did you mean '{}'?", m.name);
  return {};
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

}  // namespace

std::string verb_hint(const std::string& typed, const std::vector<std::string>& verbs) {
  std::string hint = meant(verbs_meant, lower(typed), verbs);
  if (hint.empty()) hint = internal::did_you_mean(typed, verbs);
  return fmt::format("{} The verbs are {}; covary help VERB explains one", hint.empty() ? "." : hint,
                     fmt::join(verbs, ", "));
}

std::string option_hint(const std::string& typed, const std::vector<std::string>& options,
                        const std::string& verb) {
  std::string hint = meant(options_meant, lower(typed), options);
  if (hint.empty()) hint = internal::did_you_mean(typed, options);
  return hint.empty() ? fmt::format("; covary {}{}--help lists the options", verb, verb.empty() ? "" : " ")
                      : hint;
}

}  // namespace covary::cli
