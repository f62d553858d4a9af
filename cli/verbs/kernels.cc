// covary kernels: the registries as a table, by what kernels read, or one expression in words and drawn.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "command.h"
#include "covary/kernels/graphs/graph.h"
#include "covary/kernels/registry.h"
#include "covary/kernels/sets/item_set.h"
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

/// A kernel as it is listed.
struct Listed {
  std::string name, formula, about;
  std::vector<std::string> parameters;
};

/// Kernels that read the same: what that is in one word, and as a heading.
struct Group {
  std::string reads, heading;
  std::vector<Listed> kernels;
};

template <class Entry>
Listed listed_entry(const Entry& e) {
  return {e.name, e.formula, e.about, e.parameters};
}

/// Those over texts, sets or graphs; a level is listed with the numbers.
template <class Y>
Group group_of(const std::string& reads, const std::string& heading) {
  Group out{reads, heading, {}};
  for (const Entry<Y>& e : registry<Y>())
    if (e.name != "constant") out.kernels.push_back(listed_entry(e));
  return out;
}

std::vector<Group> listed_kernels() {
  Group numbers{"numbers", "Numbers and dates", {}},
      sphere{"sphere", "Places on the sphere: on([lat, lon], ...)", {}},
      categories{"categories", "Categories", {}},
      nodes{"nodes", "Nodes of a network (--graph EDGES.csv)", {}};
  for (const Entry<Row>& e : registry<Row>()) {
    Group& group = e.reads == Reads::categories    ? categories
                   : e.reads == Reads::nodes       ? nodes
                   : e.name.starts_with("sphere_") ? sphere
                                                   : numbers;
    group.kernels.push_back(listed_entry(e));
  }
  for (const Combinator<Row>& c : combinators<Row>())
    if (!c.combines()) numbers.kernels.push_back(listed_entry(c));
  return {numbers,
          sphere,
          categories,
          group_of<std::string>("text", "Text"),
          group_of<ItemSet>("sets", "Sets"),
          group_of<Graph>("graphs", "Graphs"),
          nodes};
}

std::string kernels_json() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Group& g : listed_kernels())
    for (const Listed& k : g.kernels)
      all.push_back({{"name", k.name},
                     {"reads", g.reads},
                     {"formula", k.formula},
                     {"parameters", k.parameters},
                     {"about", k.about}});
  return json_text(all);
}

/// A table for each group, under its heading.
std::string kernels_table() {
  std::string out;
  for (const Group& g : listed_kernels()) {
    std::vector<std::vector<std::string>> rows;
    if (out.empty()) rows.push_back({"name", "formula", "parameters", "about"});
    for (const Listed& k : g.kernels)
      rows.push_back({k.name, k.formula, fmt::format("{}", fmt::join(k.parameters, ", ")), k.about});
    if (!g.kernels.empty()) out += (out.empty() ? "" : "\n") + g.heading + "\n" + text_table(rows);
  }
  return out +
         "\nr is the distance after dividing each column by its length-scale, s = r^2.\n"
         "Combine them: a + b, a * b, 2.5 * a, on(column, a), on([c, d], a), fixed(a) keeps its parameters.\n"
         "Each reads the columns of its type; on(column, a) names others: on(temp, se()) * on(catalyst, "
         "category()).\n"
         "What is not given is learned: se() learns its length-scales and a variance, se(lengthscale=2) "
         "starts at 2.\n"
         "Keep or bound one parameter: periodic(period=fixed(12)), se(lengthscale=0.1..10).\n"
         "In words, with draws from it: covary kernels 'se() * periodic(period=12)'\n";
}

/// Throws a usage error, before anything is written, if the kernel reads no numbers to draw along.
void explain_records(const ExplainedRecords& e, const KernelsArguments& a) {
  for (const auto& [given, option] : {std::pair(!a.out.empty(), "-o"), std::pair(!a.over.empty(), "--over")})
    if (given)
      throw Error(Problem::usage,
                  fmt::format("{}: functions are drawn along numbers, and this kernel reads {}: "
                              "there is nothing to draw over",
                              option, reads_of(e)));
  print(a.json ? json_of(e) : text_of(e));
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
  if (const auto records = explained_records(a.expression)) return explain_records(*records, a);
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
      "  covary kernels 'se() * periodic(period=12) + linear()' -o prior.svg\n"
      "  covary kernels 'on(temp, se()) * on(catalyst, category()) + on(sequence, spectrum(k=3))'");
  auto a = std::make_shared<KernelsArguments>();
  verb->add_option("EXPR", a->expression,
                   "Kernel expression to explain and draw; without it the table of all kernels");
  verb->add_option("--over", a->over, "Range of the draws, LOW to HIGH (default: suits the length-scales)")
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
