#include "covary/kernels/restricted.h"

#include <fmt/format.h>

#include <algorithm>

namespace covary::internal {
namespace {

bool any_called(const std::vector<Parameter>& all, const std::string& name) {
  return std::any_of(all.begin(), all.end(), [&](const Parameter& p) { return p.path == name; });
}

/// The restriction of parameter i, by its name and by its place in a list.
const Limits* limits_of(const std::vector<Parameter>& all, size_t i, const std::vector<Argument>& limits) {
  const auto place =
      static_cast<size_t>(std::count_if(all.begin(), all.begin() + std::ptrdiff_t(i),
                                        [&](const Parameter& p) { return p.path == all[i].path; }));
  for (const Argument& a : limits)
    if (a.name == all[i].path)
      return a.limits.size() == 1 ? &a.limits[0] : place < a.limits.size() ? &a.limits[place] : nullptr;
  return nullptr;
}

}  // namespace

std::vector<Argument> restrictions(const Arguments& given, const Expression& call,
                                   const std::vector<Parameter>& parameters) {
  std::vector<Argument> out;
  for (const Argument& a : given.all()) {
    const bool says = std::any_of(a.limits.begin(), a.limits.end(), [](const Limits& l) { return l.any(); });
    if (!says) continue;
    const bool learned = any_called(parameters, a.name);
    const bool fixed = std::all_of(a.limits.begin(), a.limits.end(), [](const Limits& l) { return l.fixed; });
    if (!learned && !fixed)
      throw Error(Problem::usage,
                  fmt::format("kernel: {} is not learned, so it cannot have a range", a.name));
    if (learned && call.kind == Expression::Kind::leaf)
      throw Error(Problem::usage, fmt::format("kernel: {} of {} can be neither fixed nor have a range: the "
                                              "kernel has no node()",
                                              a.name, call.text));
    if (learned) out.push_back(a);
  }
  return out;
}

std::vector<Parameter> limited(std::vector<Parameter> parameters, const std::vector<Argument>& limits) {
  const std::vector<Parameter> all = parameters;
  for (size_t i = 0; i < all.size(); ++i)
    if (const Limits* l = limits_of(all, i, limits))
      parameters[i].fixed = l->fixed, parameters[i].lower = l->lower, parameters[i].upper = l->upper;
  return parameters;
}

std::vector<Index> learned_of(const std::vector<Parameter>& parameters, const std::vector<Argument>& limits) {
  std::vector<Index> out;
  for (size_t i = 0; i < parameters.size(); ++i)
    if (const Limits* l = limits_of(parameters, i, limits); !l || !l->fixed) out.push_back(Index(i));
  return out;
}

Expression limited_node(Expression call, std::vector<Parameter> limited) {
  std::erase_if(call.arguments, [&](const Argument& a) { return any_called(limited, a.name); });
  const bool number = call.kind == Expression::Kind::number;
  Expression e = call_node(number ? "constant" : call.name, std::move(limited), std::move(call.arguments));
  e.columns = std::move(call.columns), e.reads = std::move(call.reads), e.text = std::move(call.text);
  e.parts = std::move(call.parts), e.function = std::move(call.function);
  return e;
}

}  // namespace covary::internal
