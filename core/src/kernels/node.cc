#include "covary/kernels/node.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "covary/base/names.h"

namespace covary {
using namespace internal;
namespace {

/// One value of an argument: 2, fixed(2), 0.5..4, 2 in 0.5..4; "" for one that was not given.
std::string item_text(double value, const Limits& limits) {
  std::string v = std::isnan(value) ? "" : fmt::format("{}", value);
  if (limits.fixed) return "fixed(" + v + ")";
  if (std::isnan(limits.lower)) return v;
  return fmt::format("{}{}{}..{}", v, v.empty() ? "" : " in ", limits.lower, limits.upper);
}

std::string argument_text(const Argument& a) {
  if (!a.word.empty()) return a.name + "=" + a.word;
  std::vector<std::string> items;
  for (size_t i = 0; i < a.values.size(); ++i)
    items.push_back(item_text(a.values[i], i < a.limits.size() ? a.limits[i] : Limits{}));
  const std::string all = fmt::format("{}", fmt::join(items, ", "));
  return (a.name.empty() ? "" : a.name + "=") + (a.list ? "[" + all + "]" : all);
}

std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string call_text(const Expression& e) {
  std::vector<std::string> inside;
  if (const std::vector<std::string> columns = column_texts(e); !columns.empty()) {
    const std::string list = fmt::format("{}", fmt::join(columns, ", "));
    inside.push_back(columns.size() == 1 ? list : "[" + list + "]");
  }
  for (const Expression& part : e.parts) inside.push_back(text_of(part));
  if (!e.text.empty()) inside.push_back(in_quotes(e.text));
  for (const Argument& a : e.arguments) inside.push_back(argument_text(a));
  return fmt::format("{}({})", e.name, fmt::join(inside, ", "));
}

/// In brackets where it would bind wrongly inside a product.
std::string factor_text(const Expression& e) {
  const bool bare = e.kind == Expression::Kind::scaled && std::isnan(e.value);
  if (bare) return factor_text(e.parts[0]);
  return e.kind == Expression::Kind::sum ? "(" + text_of(e) + ")" : text_of(e);
}

/// The parameters from `at` on that have the name of that one, as one argument. Those that all have the same
/// range and no value are written once. Nothing if one of them was not given.
Argument argument_at(const std::vector<Parameter>& parameters, size_t& at) {
  Argument a{parameters[at].path, {}, false, {}};
  bool given = true, same = true;
  for (const size_t first = at; at < parameters.size() && parameters[at].path == a.name; ++at) {
    const Parameter &p = parameters[at], &q = parameters[first];
    const Limits l{p.fixed, p.lower, p.upper};
    given = given && !(std::isnan(p.value) && !l.any());
    same = same && std::isnan(p.value) && p.lower == q.lower && p.upper == q.upper;
    a.values.push_back(p.value), a.limits.push_back(l);
  }
  if (!given) return {};
  if (same) a.values.resize(1), a.limits.resize(1);
  a.list = a.values.size() > 1;
  return a;
}

}  // namespace

std::string text_of(const Expression& e) {
  using Kind = Expression::Kind;
  switch (e.kind) {
    case Kind::number:
      return fmt::format("{}", e.value);
    case Kind::call:
      return call_text(e);
    case Kind::scaled:
      return std::isnan(e.value) ? text_of(e.parts[0])
                                 : fmt::format("{} * {}", e.value, factor_text(e.parts[0]));
    case Kind::leaf:
      return e.text;
    default:
      break;
  }
  std::string all;
  for (const Expression& part : e.parts) {
    if (!all.empty()) all += e.kind == Kind::sum ? " + " : " * ";
    all += e.kind == Kind::sum ? text_of(part) : factor_text(part);
  }
  return all;
}

std::vector<std::string> internal::column_texts(const Expression& call) {
  std::vector<std::string> all;
  for (const std::string& name : call.columns) all.push_back(quoted_if_needed(name));
  for (size_t i = all.size(); i < call.reads.size(); ++i) all.push_back(std::to_string(call.reads[i] + 1));
  return all;
}

Expression call_node(std::string name, std::vector<Parameter> parameters, std::vector<Argument> first) {
  Expression e;
  e.kind = Expression::Kind::call;
  e.name = std::move(name);
  e.arguments = std::move(first);
  for (size_t i = 0; i < parameters.size();)
    if (Argument a = argument_at(parameters, i); !a.values.empty()) e.arguments.push_back(std::move(a));
  e.parameters = std::move(parameters);
  return e;
}

Expression internal::leaf_node(std::string text, std::vector<Parameter> parameters) {
  Expression e;
  e.kind = Expression::Kind::leaf;
  e.text = std::move(text), e.parameters = std::move(parameters);
  return e;
}

Expression internal::parts_node(Expression::Kind kind, std::vector<Expression> parts, double value) {
  Expression e;
  e.kind = kind, e.value = value, e.parts = std::move(parts);
  return e;
}

Expression internal::combined_node(std::string name, Expression part) {
  Expression e = call_node(std::move(name), {});
  e.parts.push_back(std::move(part));
  return e;
}

}  // namespace covary
