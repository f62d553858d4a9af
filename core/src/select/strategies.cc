#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "covary/names.h"
#include "covary/select/strategy.h"
#include "cursor.h"

namespace covary {

// Every strategy. To add one, write select/NAME.cc with `StrategyEntry strategy::NAME()` and name it here.
#define COVARY_STRATEGIES(STRATEGY) \
  STRATEGY(random)                  \
  STRATEGY(uncertainty)             \
  STRATEGY(density)                 \
  STRATEGY(diversity)               \
  STRATEGY(determinant)             \
  STRATEGY(committee)               \
  STRATEGY(committee_draws)         \
  STRATEGY(variance_reduction)      \
  STRATEGY(information)             \
  STRATEGY(svm_margin)

namespace strategy {
#define COVARY_DECLARE(name) StrategyEntry name();
COVARY_STRATEGIES(COVARY_DECLARE)
}  // namespace strategy

const std::vector<StrategyEntry>& strategies() {
#define COVARY_LIST(name) strategy::name(),
  static const std::vector<StrategyEntry> all{COVARY_STRATEGIES(COVARY_LIST)};
  return all;
}

namespace {

/// A name may hold hyphens.
std::string name_at(Cursor& in) {
  std::string name = in.word();
  while (in.eat('-')) name += "-" + in.word();
  return name;
}

const StrategyEntry& entry_called(const std::string& name, Cursor& in, size_t position) {
  std::vector<std::string> names;
  for (const StrategyEntry& e : strategies()) {
    if (e.name == name) return e;
    names.push_back(e.name);
  }
  in.fail_at(position, fmt::format("there is no strategy '{}'{}", name, there_are(name, names)));
}

/// A number, or inf.
double value_at(Cursor& in) {
  const size_t mark = in.mark();
  if (const std::string word = in.word(); word == "inf" || word == "infinity")
    return std::numeric_limits<double>::infinity();
  in.back_to(mark);
  return in.number("a number or inf");
}

Argument argument_at(Cursor& in, const StrategyEntry& entry) {
  const size_t position = in.position();
  const std::string name = in.word();
  if (std::find(entry.parameters.begin(), entry.parameters.end(), name) == entry.parameters.end())
    in.fail_at(position, fmt::format("{} has no parameter '{}'{}", entry.name, name,
                                     did_you_mean(name, entry.parameters)));
  in.expect('=');
  return {name, {value_at(in)}, false};
}

}  // namespace

SvmOptions NamedStrategy::svm(SvmOptions options) const {
  if (!entry->machine) return options;
  if (const double penalty = arguments.number("penalty"); !std::isnan(penalty)) options.penalty = penalty;
  return options;
}

std::string text_of(StrategyEntry::For task) {
  if (task == StrategyEntry::For::both) return "both";
  return task == StrategyEntry::For::regression ? "numbers" : "classes";
}

NamedStrategy parse_strategy(const std::string& text) {
  Cursor in(text, "strategy");
  const size_t position = in.position();
  const StrategyEntry& entry = entry_called(name_at(in), in, position);
  std::vector<Argument> given;
  if (in.eat('(')) {
    while (!in.next_is(')')) {
      given.push_back(argument_at(in, entry));
      for (size_t i = 0; i + 1 < given.size(); ++i)
        if (given[i].name == given.back().name) in.fail(given[i].name + " was given twice");
      if (!in.eat(',')) break;
    }
    in.expect(')');
  }
  if (!in.done()) in.fail("expected the end, found " + in.found());
  return {&entry, text, Arguments(std::move(given), "strategy " + entry.name)};
}

}  // namespace covary
