#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "covary/base/names.h"
#include "covary/kernels/named_call.h"
#include "covary/select/strategy.h"

namespace covary {
using namespace internal;

// Every strategy. To add one, write select/strategies/NAME.cc with `StrategyEntry strategy::NAME()` and name it here.
#define COVARY_STRATEGIES(STRATEGY)    \
  STRATEGY(random)                     \
  STRATEGY(uncertainty)                \
  STRATEGY(density)                    \
  STRATEGY(pure_density)               \
  STRATEGY(diversity)                  \
  STRATEGY(determinant)                \
  STRATEGY(representative)             \
  STRATEGY(committee)                  \
  STRATEGY(committee_draws)            \
  STRATEGY(variance_reduction)         \
  STRATEGY(information)                \
  STRATEGY(expected_model_change)      \
  STRATEGY(expected_error_reduction)   \
  STRATEGY(parameter_information)      \
  STRATEGY(mixture_entropy)            \
  STRATEGY(mixture_information)        \
  STRATEGY(explicit_exploration)       \
  STRATEGY(svm_margin)                 \
  STRATEGY(disagreement)               \
  STRATEGY(iwal)                       \
  STRATEGY(least_confident)            \
  STRATEGY(margin)                     \
  STRATEGY(entropy)                    \
  STRATEGY(hierarchical)               \
  STRATEGY(expected_improvement)       \
  STRATEGY(probability_of_improvement) \
  STRATEGY(upper_confidence)           \
  STRATEGY(thompson)                   \
  STRATEGY(knowledge_gradient)         \
  STRATEGY(exponentiated_variance)     \
  STRATEGY(expected_divergence)

namespace strategy {
#define COVARY_DECLARE(name) StrategyEntry name();
COVARY_STRATEGIES(COVARY_DECLARE)
}  // namespace strategy

const std::vector<StrategyEntry>& strategies() {
#define COVARY_LIST(name) strategy::name(),
  static const std::vector<StrategyEntry> all{COVARY_STRATEGIES(COVARY_LIST)};
  return all;
}

SvmOptions NamedStrategy::svm(SvmOptions options) const {
  if (!entry->machine) return options;
  if (const double penalty = arguments.number("penalty"); !std::isnan(penalty)) options.penalty = penalty;
  return options;
}

std::string text_of(StrategyEntry::For task) {
  if (task == StrategyEntry::For::both) return "both";
  return task == StrategyEntry::For::regression ? "numbers" : "classes";
}

std::string text_of(Question question) {
  switch (question) {
    case Question::baseline:
      return "compare with";
    case Question::function:
      return "learn the function";
    case Question::classes:
      return "tell classes apart";
    case Question::best:
      return "find the best";
    case Question::everything:
      return "label everything";
    case Question::posterior:
      return "estimate a posterior";
  }
  return {};
}

NamedStrategy parse_strategy(const std::string& text) {
  std::vector<Callable> known;
  for (const StrategyEntry& e : strategies()) {
    known.push_back({e.name, e.parameters});
    for (std::string& p : known.back().parameters)
      if (std::count(e.words.begin(), e.words.end(), p)) p += '=';  // read_call: it takes a word
  }
  NamedCall call = read_call(text, "strategy", known);
  return {&strategies()[call.entry], text, std::move(call.arguments)};
}

}  // namespace covary
