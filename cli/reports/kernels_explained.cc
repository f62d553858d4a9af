#include "reports/kernels_explained.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "covary/kernels/function.h"
#include "covary/kernels/graphs/graph.h"
#include "covary/kernels/sets/item_set.h"
#include "covary/process/process.h"
#include "covary/table/slices.h"
#include "json_text.h"
#include "words.h"

namespace covary::cli {
namespace {

using nlohmann::ordered_json;
constexpr Index draw_points = 301;      // of a draw
constexpr Index most_drawn_inputs = 6;  // inputs that are drawn

Vector along(const Chart::Window& w) { return Vector::LinSpaced(draw_points, w.low, w.high); }

/// Points that fill the range in each of d columns.
Matrix filling(const Chart::Window& w, Index d) { return along(w).replicate(1, d); }

std::string input_name(const Explained& e, Index k) {
  const auto at = static_cast<size_t>(k);
  return e.columns.size() == 1 && e.columns[0].empty() ? "x" : e.columns[at];
}

/// Paths as fit gives them; where the one input has no name, without it.
std::string path_of(const Explained& e, const Parameter& p) {
  return e.columns.size() == 1 && e.columns[0].empty() ? p.path : full_name(p, e.columns);
}

std::string fate(const Parameter& p) {
  if (p.fixed) return "kept";
  return std::isnan(p.value) ? "learned" : "learned, from there";
}

Chart along_input(const Explained& e, Index k) {
  const Vector x = along(e.over);
  const Matrix at = internal::slice_points(Vector::Zero(std::ssize(e.columns)), k, x);
  const Process<Row> prior(e.drawable);
  const Matrix draws = prior.sample(at, e.draws.count, e.draws.seed);
  const Interval ends = Noise::none().predictive(prior.predict(at)).interval(95);
  Chart chart;
  chart.x_label = input_name(e, k), chart.y_label = "f";
  chart.bands = {{x, ends.lower, ends.upper, "95 % band of f"}};
  for (Index i = 0; i < draws.cols(); ++i)
    chart.lines.push_back({x, draws.col(i), i == 0 ? "samples of f" : "", Chart::Style::draw});
  return chart;
}

/// The terms, each under the one it is part of.
void list(const Term& t, size_t depth, std::string& out) {
  const std::string indent(2 * depth, ' ');
  out += fmt::format("{}{}{}\n{}  {}\n", indent, t.path.empty() ? "" : t.path + "  ",
                     internal::rounded_text(t.text), indent, t.words);
  for (const Term& part : t.parts) list(part, depth + 1, out);
}

ordered_json json_of(const Term& t) {
  ordered_json j{{"path", t.path}, {"kernel", t.text}, {"words", t.words}};
  if (t.parts.empty()) return j;
  j["parts"] = ordered_json::array();
  for (const Term& part : t.parts) j["parts"].push_back(json_of(part));
  return j;
}

std::string parameter_table(const Explained& e) {
  const std::vector<Parameter> given = e.kernel.parameters(), used = e.drawable.parameters();
  std::vector<std::vector<std::string>> rows{{"parameter", "role", "given", "in a fit", "drawn with"}};
  for (size_t i = 0; i < given.size(); ++i)
    rows.push_back({path_of(e, given[i]), internal::role_text(given[i].role),
                    std::isnan(given[i].value) ? "\u2013" : internal::rounded(given[i].value), fate(given[i]),
                    internal::rounded(used[i].value)});
  return rows.size() > 1 ? text_table(rows) : "No parameters.\n";
}

ordered_json json_of(const Parameter& p, const std::string& path) {
  return {{"path", path},
          {"role", internal::role_text(p.role)},
          {"value", std::isnan(p.value) ? ordered_json() : ordered_json(p.value)},
          {"fixed", p.fixed}};
}

/// A kernel over texts, sets or graphs, which is no kernel over rows before a column is named.
template <class Y>
ExplainedRecords of_objects(const std::string& expression, const Schema& columns) {
  const Kernel<Y> kernel = parse<Y>(expression).amplified();
  return {kernel.text(), internal::explain_node(kernel.node()), kernel.parameters(), columns};
}

bool any_filled(const Explained& e) {
  const std::vector<Parameter> given = e.kernel.parameters();
  return std::any_of(given.begin(), given.end(), [](const Parameter& p) { return std::isnan(p.value); });
}

}  // namespace

Explained explained_kernel(const std::string& expression, const Draws& draws) {
  std::vector<std::string> columns = internal::named_columns(internal::read_expression(expression));
  if (columns.empty() && expression.find("features") != expression.npos) columns = {"x"};
  const Kernel<Row> typed = parse<Row>(expression, columns).amplified();
  const double half = internal::telling_half_range(typed);
  const Chart::Window over = draws.over.value_or(Chart::Window{-half, half});
  const Index d = internal::least_columns(typed, std::max<Index>(1, std::ssize(columns)), along(over));
  if (columns.empty() && d == 1) columns = {""};
  for (Index k = std::ssize(columns); k < d; ++k) columns.push_back(fmt::format("{}", k + 1));
  const Matrix x = filling(over, d);
  const Kernel<Row> kernel = typed.sized(x);
  const Kernel<Row> full = internal::drawable(kernel, x);
  return {kernel, full, std::move(columns), internal::is_stationary(full, x), draws, over};
}

std::string holds(ColumnType type) {
  switch (type) {
    case ColumnType::category:
      return "categories";
    case ColumnType::text:
      return "text";
    case ColumnType::set:
      return "sets";
    case ColumnType::graph:
      return "graphs";
    case ColumnType::node:
      return "nodes of a network";
    default:
      return "numbers";
  }
}

std::optional<ExplainedRecords> explained_records(const std::string& expression) {
  const Expression tree = internal::read_expression(expression);
  internal::check_names(expression);
  const Schema columns = internal::columns_for(tree);
  if (columns.all_numbers()) return {};
  const bool bare = columns.size() == 1 && internal::named_columns(tree).empty();
  if (bare && columns[0].type == ColumnType::text) return of_objects<std::string>(expression, columns);
  if (bare && columns[0].type == ColumnType::set) return of_objects<ItemSet>(expression, columns);
  if (bare && columns[0].type == ColumnType::graph) return of_objects<Graph>(expression, columns);
  const Kernel<Row> kernel = parse(expression, columns).amplified();
  ExplainedRecords out{kernel.text(), explain(kernel), kernel.parameters(), columns};
  for (Parameter& p : out.parameters) p.path = full_name(p, columns.names());
  return out;
}

std::string reads_of(const ExplainedRecords& e) {
  std::vector<std::string> all;
  for (const TypedColumn& c : e.columns.columns())
    if (std::count(all.begin(), all.end(), holds(c.type)) == 0) all.push_back(holds(c.type));
  const std::string last = all.back();
  all.pop_back();
  return all.empty() ? last : fmt::format("{} and {}", fmt::join(all, ", "), last);
}

std::string text_of(const ExplainedRecords& e) {
  std::string out;
  list(e.terms, 0, out);
  out += fmt::format("\nReads {}. Draws are shown of kernels of numbers alone.\n\n", reads_of(e));
  std::vector<std::vector<std::string>> rows{{"parameter", "role", "given", "in a fit"}};
  for (const Parameter& p : e.parameters)
    rows.push_back({p.path, internal::role_text(p.role),
                    std::isnan(p.value) ? "\u2013" : internal::rounded(p.value), fate(p)});
  return out + (rows.size() > 1 ? text_table(rows) : "No parameters.\n");
}

std::string json_of(const ExplainedRecords& e) {
  ordered_json parameters = ordered_json::array(), reads = ordered_json::object();
  for (const Parameter& p : e.parameters) parameters.push_back(json_of(p, p.path));
  for (const TypedColumn& c : e.columns.columns()) reads[c.name] = text_of(c.type);
  return json_text(ordered_json{
      {"kernel", e.text}, {"reads", reads}, {"terms", json_of(e.terms)}, {"parameters", parameters}});
}

Figure drawn(const Explained& e) {
  Figure figure;
  const Index d = std::ssize(e.columns);
  for (Index k = 0; k < std::min(d, most_drawn_inputs); ++k) figure.panels.push_back(along_input(e, k));
  figure.title =
      counted(e.draws.count, "draw") + " from the prior " + internal::rounded_text(e.drawable.text());
  if (any_filled(e))
    figure.notes.push_back("Parameters that were not given have values chosen for this range.");
  if (d > 1) figure.notes.push_back("Along one input, the others at 0.");
  if (d > most_drawn_inputs)
    figure.notes.push_back(fmt::format("The first {} of {} inputs.", most_drawn_inputs, d));
  return figure;
}

std::string text_of(const Explained& e) {
  std::string out;
  list(explain(e.kernel), 0, out);
  out +=
      e.stationary
          ? "\nStationary: the covariance depends on the distance of two inputs, not on where they are.\n\n"
          : "\nNot stationary: the covariance depends on where the inputs are, not only on their "
            "distance.\n\n";
  out += parameter_table(e);
  if (any_filled(e)) out += "Parameters that were not given are drawn with values chosen for this range.\n";
  Chart chart = along_input(e, 0);
  chart.bands.clear();  // characters are too coarse for lines on a band
  const std::string rest =
      e.columns.size() > 1 ? fmt::format(" along {}, the others at 0", chart.x_label) : "";
  out += fmt::format("\n{} of f from {} to {}{}\n\n", counted(e.draws.count, "draw"),
                     internal::rounded(e.over.low), internal::rounded(e.over.high), rest);
  return out + as_text(chart);
}

std::string json_of(const Explained& e) {
  ordered_json parameters = ordered_json::array();
  const std::vector<Parameter> given = e.kernel.parameters(), used = e.drawable.parameters();
  for (size_t i = 0; i < given.size(); ++i) {
    parameters.push_back(json_of(given[i], path_of(e, given[i])));
    parameters.back()["drawn_with"] = used[i].value;
  }
  const ordered_json all{{"kernel", e.kernel.text()},           {"drawn_kernel", e.drawable.text()},
                         {"stationary", e.stationary},          {"over", {e.over.low, e.over.high}},
                         {"terms", json_of(explain(e.kernel))}, {"parameters", parameters}};
  return json_text(all);
}

}  // namespace covary::cli
