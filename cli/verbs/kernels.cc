// covary kernels: the registry as a table, or one expression in words and drawn.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "command.h"
#include "covary/kernels/registry.h"
#include "json_text.h"
#include "output.h"
#include "pictures/picture_file.h"
#include "reports/kernels_explained.h"
#include "words.h"

namespace covary::cli {
namespace {

struct KernelsArguments {
  std::string expression, over, out;
  Draws draws;
  bool json = false;
};

std::vector<Entry<Row>> listed_kernels() {
  std::vector<Entry<Row>> all = registry<Row>();
  for (const Combinator<Row>& c : combinators<Row>())
    if (!c.combines()) all.push_back({c.name, c.formula, c.about, c.parameters, nullptr});
  return all;
}

std::string kernels_json() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Entry<Row>& e : listed_kernels())
    all.push_back(
        {{"name", e.name}, {"formula", e.formula}, {"parameters", e.parameters}, {"about", e.about}});
  return json_text(all);
}

std::string kernels_table() {
  std::vector<std::vector<std::string>> rows{{"name", "formula", "parameters", "about"}};
  for (const Entry<Row>& e : listed_kernels())
    rows.push_back({e.name, e.formula, fmt::format("{}", fmt::join(e.parameters, ", ")), e.about});
  return text_table(rows) +
         "\nr is the distance after dividing each column by its length-scale, s = r^2.\n"
         "Combine them: a + b, a * b, 2.5 * a, on(column, a), on([c, d], a), fixed(a) keeps its parameters.\n"
         "What is not given is learned: se() learns its length-scales and a variance, se(lengthscale=2) "
         "starts at 2.\n"
         "Keep or bound one parameter: periodic(period=fixed(12)), se(lengthscale=0.1..10).\n"
         "In words, with draws from it: covary kernels 'se() * periodic(period=12)'\n";
}

void run(const KernelsArguments& a) {
  if (a.expression.empty()) {
    if (!a.out.empty() || !a.over.empty())
      throw Error(Problem::usage, "-o and --over draw an expression: covary kernels EXPR");
    print(a.json ? kernels_json() : kernels_table());
    return;
  }
  if (a.out == "-" || !a.out.empty()) check_picture_name(a.out);
  Draws draws = a.draws;
  if (!a.over.empty()) draws.over = window_in(a.over, "--over");
  const Explained explained = explained_kernel(a.expression, draws);
  if (!a.out.empty()) write_picture(a.out, as_svg(drawn(explained)));
  if (a.out != "-") print(a.json ? json_of(explained) : text_of(explained));
}

}  // namespace

Run add_kernels(CLI::App& app) {
  CLI::App* verb =
      app.add_subcommand("kernels", "List kernels, the choices of --kernel, or explain one expression.");
  verb->footer(
      "  covary kernels\n"
      "  covary kernels 'se() * periodic(period=12) + linear()' -o prior.svg");
  auto a = std::make_shared<KernelsArguments>();
  verb->add_option("EXPR", a->expression,
                   "Kernel expression to explain and draw; without it the table of all kernels");
  verb->add_option("--over", a->over, "Draw from LOW to HIGH; what shows the length-scales given")
      ->type_name("LOW,HIGH");
  verb->add_option("-n,--samples", a->draws.count, "Number of draws from the prior")
      ->transform(whole(1, 50))
      ->type_name("N")
      ->capture_default_str();
  add_seed(*verb, a->draws.seed);
  verb->add_option("-o,--out", a->out, "Picture of the draws, as .svg or .png")->type_name("FILE");
  verb->add_flag("--json", a->json, "As JSON");
  return [a] { run(*a); };
}

}  // namespace covary::cli
