// Expressions over records: which columns a kernel reads, by their types.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

#include "covary/base/names.h"
#include "covary/kernels/columns.h"
#include "covary/kernels/expression.h"
#include "covary/kernels/nodes/network.h"
#include "covary/kernels/records/objects.h"

namespace covary {
using namespace internal;
namespace {

constexpr double seconds_in_a_day = 86400;

template <class Y>
bool has_entry(const std::string& name) {
  const auto& all = registry<Y>();
  return std::any_of(all.begin(), all.end(), [&](const Entry<Y>& e) { return e.name == name; });
}

/// The kernels that an expression calls, but for constants and what is made of kernels.
void add_calls(const Expression& e, std::vector<std::string>& out) {
  if (e.kind == Expression::Kind::call && e.parts.empty() && e.name != "constant") out.push_back(e.name);
  for (const Expression& part : e.parts) add_calls(part, out);
}

template <class Y>
bool all_over(const std::vector<std::string>& names) {
  return !names.empty() && std::all_of(names.begin(), names.end(), has_entry<Y>);
}

/// Whether kernels over texts may read a column that on(...) names; a column of its own accord is text alone.
bool holds_text(ColumnType t) {
  return t == ColumnType::text || t == ColumnType::category || t == ColumnType::node;
}
bool holds_set(ColumnType t) { return t == ColumnType::set; }
bool holds_graph(ColumnType t) { return t == ColumnType::graph; }

/// Whether a kernel over rows may read a column that on(...) names.
bool may_read(Reads reads, ColumnType type) {
  if (reads == Reads::numbers) return holds_numbers(type);
  if (reads == Reads::nodes) return type == ColumnType::node;
  return type == ColumnType::category || type == ColumnType::text || type == ColumnType::node ||
         (holds_numbers(type) && !holds_dates(type));
}

/// Whether it reads a column where none is named.
bool reads_unnamed(Reads reads, ColumnType type) {
  if (reads == Reads::categories) return type == ColumnType::category || type == ColumnType::node;
  return may_read(reads, type);
}

template <class Y>
void add_names(std::vector<std::string>& out) {
  for (const Entry<Y>& e : registry<Y>())
    if (e.name != "constant") out.push_back(e.name);
}

/// The kernels that read a column of this type.
std::vector<std::string> readers(ColumnType type) {
  std::vector<std::string> out;
  for (const Entry<Row>& e : registry<Row>())
    if (e.name != "constant" && reads_unnamed(e.reads, type)) out.push_back(e.name);
  if (holds_text(type)) add_names<std::string>(out);
  if (holds_set(type)) add_names<ItemSet>(out);
  if (holds_graph(type)) add_names<Graph>(out);
  if (type == ColumnType::text) out.insert(out.begin(), "category");
  return out;
}

std::string type_words(ColumnType type) {
  switch (type) {
    case ColumnType::number:
    case ColumnType::integer:
    case ColumnType::boolean:
      return "numbers";
    case ColumnType::date:
    case ColumnType::datetime:
      return "dates";
    case ColumnType::category:
      return "categories";
    case ColumnType::text:
      return "text";
    case ColumnType::node:
      return "nodes of a network";
    default:
      return text_of(type) + "s";
  }
}

std::string reads_words(Reads reads) {
  return reads == Reads::numbers ? "numbers" : reads == Reads::nodes ? "nodes of a network" : "categories";
}

Error wrong_type(const std::string& text, const Expression& call, const std::string& reads,
                 const TypedColumn& c) {
  return expression_error(text, call.position,
                          fmt::format("{} reads {}, and column '{}' holds {}, which {} read", call.name,
                                      reads, c.name, type_words(c.type), fmt::join(readers(c.type), ", ")));
}

/// `reads_named`: whether it reads a column of this type where that is named.
Error nothing_to_read(const std::string& text, const Expression& call, const std::string& reads,
                      const Schema& columns, const std::function<bool(ColumnType)>& reads_named = {}) {
  std::vector<std::string> have, readable;
  std::set<ColumnType> types;
  for (const TypedColumn& c : columns.columns()) {
    have.push_back(fmt::format("{} ({})", c.name, text_of(c.type)));
    if (reads_named && reads_named(c.type)) {
      have.back() += fmt::format(", which it reads where it is named: on({}, {}())", quoted_if_needed(c.name),
                                 call.name);
      types.insert(c.type);
    }
    if (types.insert(c.type).second && !holds_numbers(c.type))
      readable.push_back(
          fmt::format("kernels of {}: {}", type_words(c.type), fmt::join(readers(c.type), ", ")));
  }
  return expression_error(
      text, call.position,
      fmt::format("{} reads {}, and there is no such column: the columns are {}{}{}", call.name, reads,
                  fmt::join(have, ", "), readable.empty() ? "" : "; ", fmt::join(readable, "; ")));
}

/// The columns of the scope that the entry reads.
std::vector<Index> readable_columns(const std::string& text, const Expression& e, const Entry<Row>& entry,
                                    const Scope& scope) {
  std::vector<Index> out;
  for (Index k = 0; k < scope.columns.size(); ++k) {
    const TypedColumn& c = scope.columns[k];
    if (scope.named && !may_read(entry.reads, c.type)) throw wrong_type(text, e, reads_words(entry.reads), c);
    if (scope.named || reads_unnamed(entry.reads, c.type)) out.push_back(k);
  }
  const bool untyped = scope.columns.all_numbers() && entry.reads == Reads::categories;
  if (untyped) return all_indices(scope.columns.size());
  if (out.empty() && scope.columns.size() > 0)
    throw nothing_to_read(text, e, reads_words(entry.reads), scope.columns,
                          [&](ColumnType type) { return may_read(entry.reads, type); });
  return out;
}

/// The arguments in the units of the columns: a period of 1 year is 365.2425 of a column of days.
Arguments in_units(const std::string& text, const Expression& e, const Entry<Row>& entry, const Arguments& a,
                   const Schema& columns) {
  std::vector<Argument> all = a.all();
  for (Argument& one : all) {
    if (one.unit.empty() || !entry.units.empty()) continue;  // it reads its own units
    double factor = 0;
    for (const TypedColumn& c : columns.columns())
      if (holds_dates(c.type)) factor = c.type == ColumnType::date ? 1 : seconds_in_a_day;
    for (const TypedColumn& c : columns.columns())
      if (!holds_dates(c.type)) factor = 0;
    if (one.unit != "days" || factor == 0)
      throw expression_error(
          text, e.position,
          fmt::format("{} of {} is given in {}, which {}", one.name, e.name, one.unit,
                      one.unit == "days" ? "only columns of dates have: give it in the unit of the column"
                                         : "this kernel does not take"));
    for (double& v : one.values) v *= factor;
    for (Limits& l : one.limits) l.lower *= factor, l.upper *= factor;
  }
  return Arguments(std::move(all));
}

template <class Y>
std::optional<Kernel<Row>> over(const std::string& text, const Expression& e, const Schema& columns,
                                const std::vector<Index>& which, bool (*holds)(ColumnType),
                                const std::string& reads) {
  std::vector<std::string> calls;
  add_calls(e, calls);
  if (!all_over<Y>(calls)) return {};
  std::vector<Index> found;
  for (const Index k : which)
    if (holds(columns[k].type)) found.push_back(k);
  const bool rows_too = std::all_of(calls.begin(), calls.end(), has_entry<Row>);
  if (found.empty()) {
    if (rows_too) return {};
    if (which.size() == 1) throw wrong_type(text, e, reads, columns[which[0]]);
    throw nothing_to_read(text, e, reads, columns);
  }
  if (found.size() > 1)
    throw expression_error(
        text, e.position,
        fmt::format("{} reads one column of {}: on({}, {}(...)) or another of them names it", e.name, reads,
                    columns[found[0]].name, e.name));
  const TypedColumn& c = columns[found[0]];
  return on<Y>(found[0], build<Y>(text, e, {}, {}), c.codes, c.name);
}

}  // namespace

std::optional<Kernel<Row>> internal::object_kernel(const std::string& text, const Expression& e,
                                                   const Schema& columns, const std::vector<Index>& which) {
  if (auto k = over<ItemSet>(text, e, columns, which, holds_set, "sets")) return k;
  if (auto k = over<Graph>(text, e, columns, which, holds_graph, "graphs")) return k;
  const auto unnamed = [](ColumnType t) { return t == ColumnType::text; };
  const bool named = which.size() == 1;
  return over<std::string>(text, e, columns, which, named ? holds_text : +unnamed, "text");
}

Kernel<Row> internal::row_kernel(const std::string& text, const Expression& e, const Entry<Row>& entry,
                                 const Scope& scope) {
  const Arguments given = named_arguments(text, e, entry.parameters);
  const bool numbers = entry.reads == Reads::numbers && scope.columns.all_numbers();
  // A name of sets too, where there are sets to read.
  if (!numbers && entry.reads == Reads::numbers && has_entry<ItemSet>(entry.name) && entry.name != "constant")
    if (auto k = over<ItemSet>(text, e, scope.columns, all_indices(scope.columns.size()), holds_set, "sets"))
      return *k;
  const bool everything = numbers || entry.name == "constant" || scope.columns.size() == 0;
  const std::vector<Index> reads =
      everything ? std::vector<Index>{} : readable_columns(text, e, entry, scope);
  const Schema seen = everything ? scope.columns : scope.columns.only(reads);
  const Arguments a = in_units(text, e, entry, given, seen);
  Kernel<Row> k = entry.make(a);
  if (entry.reads == Reads::nodes && seen.size() > 0) k = bind_network(k, seen[0].network);
  k = restricted(k, learned_arguments(a, entry));
  if (everything || std::ssize(reads) == scope.columns.size()) return k;
  return on(reads, k, seen.names());
}

}  // namespace covary
