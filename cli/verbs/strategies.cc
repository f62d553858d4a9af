// covary strategies: the registry of what --strategy understands, as a table.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command.h"
#include "covary/select/strategy.h"
#include "json_text.h"
#include "output.h"
#include "words.h"

namespace covary::cli {
namespace {

/// "numbers, classes": the labels that it can be used for.
std::string labels_of(StrategyEntry::For task) {
  return task == StrategyEntry::For::both ? "numbers, classes" : text_of(task);
}

std::string strategies_json() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const StrategyEntry& e : strategies())
    all.push_back({{"name", e.name},
                   {"formula", e.formula},
                   {"parameters", e.parameters},
                   {"question", text_of(e.question)},
                   {"reference", e.reference},
                   {"for", text_of(e.task)},
                   {"pool", e.pool},
                   {"stream", e.stream ? nlohmann::ordered_json(text_of(*e.stream)) : nullptr},
                   {"about", e.about}});
  return json_text(all);
}

/// The questions, in the order of their first strategy; `fn(e)` for every strategy below its own.
template <class Fn>
void by_question(std::string& out, const Fn& fn) {
  std::vector<Question> seen;
  for (const StrategyEntry& first : strategies()) {
    if (std::count(seen.begin(), seen.end(), first.question)) continue;
    seen.push_back(first.question);
    out += fmt::format("To {}\n", text_of(first.question));
    for (const StrategyEntry& e : strategies())
      if (e.question == first.question) out += fn(e);
  }
}

std::string parameters_of(const StrategyEntry& e) { return fmt::format("{}", fmt::join(e.parameters, ", ")); }

std::string strategies_table() {
  size_t name = 0, parameters = 0;
  for (const StrategyEntry& e : strategies()) {
    name = std::max(name, e.name.size());
    parameters = std::max(parameters, parameters_of(e).size());
  }
  std::string out;
  by_question(out, [&](const StrategyEntry& e) {
    return fmt::format("  {:<{}}  {:<{}}  {:<16}  {}{}\n", e.name, name, parameters_of(e), parameters,
                       labels_of(e.task), e.about, e.reference.empty() ? "" : " [" + e.reference + "]");
  });
  out +=
      "\nThe candidate with the largest of these is chosen, or drawn with a probability proportional to it "
      "(*):\n";
  for (const StrategyEntry& e : strategies())
    out += fmt::format("  {:<{}}  {}{}\n", e.name, name, e.formula, e.draws ? " (*)" : "");
  out +=
      "f is the function, x a candidate, t a candidate without a label, z a label; lead: of the best class "
      "over the next; p: class probabilities.\nReferences are keys of docs/references.bib.\n\nsuggest takes "
      "those for numbers; "
      "replay "
      "--stream takes ";
  std::string streams;
  for (const StrategyEntry& e : strategies())
    if (e.stream)
      streams += fmt::format("{}{} ({})", streams.empty() ? "" : ", ", e.name, labels_of(*e.stream));
  return out + streams + ".\n";
}

}  // namespace

Run add_strategies(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "strategies", "List query strategies, the choices of --strategy in suggest and replay.");
  verb->footer("  covary strategies\n  covary strategies --json");
  auto json = std::make_shared<bool>(false);
  verb->add_flag("--json", *json, "As JSON");
  return [json] { print(*json ? strategies_json() : strategies_table()); };
}

}  // namespace covary::cli
