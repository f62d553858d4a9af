// covary strategies: the registry of what --strategy understands, as a table.
#include <fmt/format.h>
#include <fmt/ranges.h>

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
                   {"for", text_of(e.task)},
                   {"stream", e.stream ? nlohmann::ordered_json(text_of(*e.stream)) : nullptr},
                   {"about", e.about}});
  return json_text(all);
}

std::string strategies_table() {
  std::vector<std::vector<std::string>> rows{{"name", "parameters", "labels", "about"}};
  for (const StrategyEntry& e : strategies())
    rows.push_back({e.name, fmt::format("{}", fmt::join(e.parameters, ", ")), labels_of(e.task), e.about});
  std::string out = text_table(rows) + "\nThe candidate with the largest of these is chosen:\n";
  for (const StrategyEntry& e : strategies()) out += fmt::format("  {:<20}{}\n", e.name, e.formula);
  out +=
      "f is the function, x a candidate, t a candidate without a label, z a label; lead: of the best class "
      "over the next.\n\nsuggest takes those for numbers; replay --stream takes ";
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
