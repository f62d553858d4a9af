// covary criteria: the registry of what --criterion understands, as a table.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "command.h"
#include "covary/place/criterion.h"
#include "json_text.h"
#include "output.h"
#include "words.h"

namespace covary::cli {
namespace {

std::string criteria_json() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const CriterionEntry& e : criteria())
    all.push_back({{"name", e.name},
                   {"formula", e.formula},
                   {"unit", e.unit},
                   {"certificate", e.certificate},
                   {"about", e.about}});
  return json_text(all);
}

std::string criteria_table() {
  std::vector<std::vector<std::string>> rows{{"name", "values in", "about"}};
  for (const CriterionEntry& e : criteria()) rows.push_back({e.name, e.unit, e.about});
  std::string out = text_table(rows) + "\nWhat a sensor at y adds to those at A:\n";
  for (const CriterionEntry& e : criteria()) out += fmt::format("  {:<20}{}\n", e.name, e.formula);
  return out + "f is the field, y a reading of it, t a place to be predicted; variance: that of the field.\n";
}

}  // namespace

Run add_criteria(CLI::App& app) {
  CLI::App* verb =
      app.add_subcommand("criteria", "List placement criteria, the choices of --criterion in place.");
  verb->footer("  covary criteria\n  covary criteria --json");
  auto json = std::make_shared<bool>(false);
  verb->add_flag("--json", *json, "As JSON");
  return [json] { print(*json ? criteria_json() : criteria_table()); };
}

}  // namespace covary::cli
