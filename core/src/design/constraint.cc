#include "covary/design/constraint.h"

#include <fmt/format.h>

#include <algorithm>

#include "covary/base/error.h"

namespace covary::internal {
namespace {

/// Where the comparison stands, and how many characters it has; quoted names are passed over.
std::pair<size_t, size_t> comparison_in(const std::string& text) {
  std::vector<size_t> found;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (!quoted && (text[i] == '<' || text[i] == '>' ||
                    (text[i] == '=' && (i == 0 || found.empty() || found.back() + 1 != i))))
      found.push_back(i);
  }
  if (found.size() != 1 || text[found[0]] == '=')
    throw Error(
        Problem::usage,
        fmt::format("constraint '{}': expected two formulas with one of <, <=, >, >= between them, as "
                    "temp*ph < 300",
                    text));
  const size_t at = found[0];
  return {at, at + 1 < text.size() && text[at + 1] == '=' ? 2 : 1};
}

Formula side(const std::string& whole, const std::string& part, const std::vector<std::string>& columns) {
  try {
    return parse_formula(part, columns);
  } catch (const Error& e) {
    throw Error(e.problem(), fmt::format("constraint '{}': {}", whole, e.what()));
  }
}

}  // namespace

Constraint::Constraint(const std::string& text, const std::vector<std::string>& columns)
    : text_(text),
      left_(side(text, text.substr(0, comparison_in(text).first), columns)),
      right_(side(text, text.substr(comparison_in(text).first + comparison_in(text).second), columns)),
      less_(text[comparison_in(text).first] == '<'),
      or_equal_(comparison_in(text).second == 2) {}

std::vector<Index> Constraint::columns() const {
  std::vector<Index> all = left_.columns(), more = right_.columns();
  all.insert(all.end(), more.begin(), more.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<char> Constraint::holds(const Rows& x) const {
  const Vector difference = less_ ? Vector(right_(x) - left_(x)) : Vector(left_(x) - right_(x));
  std::vector<char> out(static_cast<size_t>(x.rows()));
  for (Index i = 0; i < x.rows(); ++i)
    out[static_cast<size_t>(i)] = char(or_equal_ ? difference[i] >= 0 : difference[i] > 0);
  return out;
}

std::vector<Constraint> constraints_of(const std::vector<std::string>& texts,
                                       const std::vector<std::string>& columns) {
  std::vector<Constraint> out;
  for (const std::string& t : texts) out.emplace_back(t, columns);
  return out;
}

std::vector<Index> feasible_rows(const std::vector<Constraint>& all, const Rows& x) {
  std::vector<char> good(static_cast<size_t>(x.rows()), 1);
  for (const Constraint& c : all) {
    const std::vector<char> holds = c.holds(x);
    for (size_t i = 0; i < good.size(); ++i) good[i] = char(good[i] && holds[i]);
  }
  std::vector<Index> out;
  for (Index i = 0; i < x.rows(); ++i)
    if (good[static_cast<size_t>(i)]) out.push_back(i);
  return out;
}

void nothing_feasible(const std::vector<Constraint>& all, Index count, const std::string& what) {
  std::string texts;
  for (const Constraint& c : all) texts += (texts.empty() ? "'" : " and '") + c.text() + "'";
  throw Error(Problem::data, fmt::format("none of {} {} satisfies {}", count, what, texts));
}

}  // namespace covary::internal
