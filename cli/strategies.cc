// covary strategies: the registry of what --strategy understands, as a table.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "command.h"
#include "covary/select/strategy.h"
#include "output.h"
#include "words.h"

namespace covary::cli {
namespace {

std::string task_of(const StrategyEntry& e) {
  switch (e.task) {
    case StrategyEntry::For::regression:
      return "numbers";
    case StrategyEntry::For::classification:
      return "classes";
    default:
      return "both";
  }
}

std::string as_json() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const StrategyEntry& e : strategies())
    all.push_back({{"name", e.name},
                   {"formula", e.formula},
                   {"parameters", e.parameters},
                   {"for", task_of(e)},
                   {"about", e.about}});
  return all.dump(2) + "\n";
}

std::string as_table() {
  std::vector<std::vector<std::string>> rows{{"name", "parameters", "for", "about"}};
  for (const StrategyEntry& e : strategies())
    rows.push_back({e.name, fmt::format("{}", fmt::join(e.parameters, ", ")), task_of(e), e.about});
  std::string out = text_table(rows) + "\nThe candidate with the largest of these is chosen:\n";
  for (const StrategyEntry& e : strategies()) out += fmt::format("  {:<20}{}\n", e.name, e.formula);
  return out +
         "f is the function, x a candidate, t a point of the pool, z a label; lead: of the best class over "
         "the next.\n";
}

}  // namespace

Run add_strategies(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("strategies", "What --strategy understands, in suggest and learn.");
  verb->footer("  covary strategies\n  covary strategies --json");
  auto json = std::make_shared<bool>(false);
  verb->add_flag("--json", *json, "As JSON");
  return [json] { print(*json ? as_json() : as_table()); };
}

}  // namespace covary::cli
