// covary kernels: the registry as a table.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "command.h"
#include "covary/registry.h"
#include "output.h"
#include "words.h"

namespace covary::cli {
namespace {

std::string as_json() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Entry<Row>& e : registry<Row>())
    all.push_back(
        {{"name", e.name}, {"formula", e.formula}, {"parameters", e.parameters}, {"about", e.about}});
  return all.dump(2) + "\n";
}

std::string as_table() {
  std::vector<std::vector<std::string>> rows{{"name", "formula", "parameters", "about"}};
  for (const Entry<Row>& e : registry<Row>())
    rows.push_back({e.name, e.formula, fmt::format("{}", fmt::join(e.parameters, ", ")), e.about});
  return text_table(rows) +
         "\nr is the distance after dividing each column by its length-scale, s = r^2.\n"
         "Combine them: a + b, a * b, 2.5 * a, on(column, a), on([c, d], a), fixed(a) keeps its parameters.\n"
         "What is not given is learned: se() learns its length-scales and a variance, se(lengthscale=2) "
         "starts at 2.\n";
}

}  // namespace

Run add_kernels(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("kernels", "The kernels that --kernel understands.");
  verb->footer("  covary kernels");
  auto json = std::make_shared<bool>(false);
  verb->add_flag("--json", *json, "As JSON");
  return [json] { print(*json ? as_json() : as_table()); };
}

}  // namespace covary::cli
