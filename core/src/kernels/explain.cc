#include "covary/kernels/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "covary/base/random.h"
#include "covary/kernels/graphs/graph.h"
#include "covary/kernels/sets/item_set.h"

namespace covary {
using namespace internal;
namespace {

template <class E>
const E* entry_called(const std::string& name, const std::vector<E>& all) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const E& e) { return e.name == name; });
  return it == all.end() ? nullptr : &*it;
}

std::string short_number(double value) { return fmt::format("{:.4g}", value); }

/// The description of one parameter, all its columns together.
std::string clause(const std::string& name, Role role, const std::vector<double>& values) {
  if (std::isnan(values.front()))
    return fmt::format("its {} is learned", role == Role::period ? "period" : name);
  std::string all;
  for (const double v : values) all += (all.empty() ? "" : ", ") + short_number(v);
  if (role == Role::lengthscale) return fmt::format("changing over distances of about {}", all);
  if (role == Role::period) return fmt::format("every {}", all);
  return fmt::format("{} {}", name, all);
}

/// ", every 12; its lengthscale is learned": the period first.
std::string clauses(std::vector<Parameter> parameters) {
  std::stable_partition(parameters.begin(), parameters.end(),
                        [](const Parameter& p) { return p.role == Role::period; });
  std::string out;
  for (size_t i = 0; i < parameters.size();) {
    const std::string& name = parameters[i].path;
    std::vector<double> values;
    const Role role = parameters[i].role;
    for (; i < parameters.size() && parameters[i].path == name; ++i) values.push_back(parameters[i].value);
    out += (role == Role::period && !std::isnan(values[0]) ? ", " : "; ") + clause(name, role, values);
  }
  return out;
}

std::string variance_clause(double variance) {
  if (std::isnan(variance)) return "; its variance is learned";
  return fmt::format("; variance {} (standard deviation {})", short_number(variance),
                     short_number(std::sqrt(variance)));
}

bool has(const std::vector<Term>& parts, Nature nature) {
  return std::any_of(parts.begin(), parts.end(), [&](const Term& t) { return t.nature == nature; });
}
bool only(const std::vector<Term>& parts, Nature nature) {
  return std::all_of(parts.begin(), parts.end(), [&](const Term& t) { return t.nature == nature; });
}

/// Whether every part names columns, and not all the same ones.
bool of_different_columns(const std::vector<Term>& parts) {
  for (const Term& t : parts)
    if (t.columns.empty()) return false;
  return std::any_of(parts.begin(), parts.end(),
                     [&](const Term& t) { return t.columns != parts[0].columns; });
}

std::string product_words(const std::vector<Term>& parts) {
  if (of_different_columns(parts))
    return "a product: the columns act together, alike only where all of them are";
  const bool local = has(parts, Nature::local), repeating = has(parts, Nature::repeating);
  if (only(parts, Nature::growing)) return "a product: polynomials, one degree from each factor";
  if (has(parts, Nature::growing) && repeating)
    return local ? "a product: a trend times a season whose shape drifts"
                 : "a product: trend times season, a repeating pattern that grows away from 0";
  if (has(parts, Nature::growing)) return "a product: wiggles whose size grows away from 0";
  if (local && repeating)
    return "a product: a repeating pattern whose shape drifts, so that periods far apart differ";
  if (only(parts, Nature::repeating)) return "a product: both patterns at once, as beats";
  if (only(parts, Nature::local))
    return "a product: alike only where every factor is; the shortest reach decides";
  return "a product: alike only where every factor is";
}

/// The nature of a product: growing if any factor grows, local if any factor is local.
Nature product_nature(const std::vector<Term>& parts) {
  for (const Nature n : {Nature::growing, Nature::local, Nature::repeating, Nature::level})
    if (has(parts, n)) return n;
  return Nature::other;
}

/// `sets`: a name that kernels over sets and over rows share is one over sets.
Term term(const Expression& e, const std::string& path, bool sets);

std::vector<Term> terms(const std::vector<Expression>& parts, const std::string& path, bool sets) {
  std::vector<Term> out;
  for (size_t i = 0; i < parts.size(); ++i)
    out.push_back(term(parts[i], fmt::format("{}{}{}", path, path.empty() ? "" : ".", i + 1), sets));
  return out;
}

Term sum_term(const Expression& sum, const std::string& path, bool sets) {
  std::vector<Term> parts = terms(sum.parts, path, sets);
  const Nature nature = only(parts, parts[0].nature) ? parts[0].nature : Nature::other;
  return {path,   text_of(sum), fmt::format("a sum of {} independent parts", parts.size()),
          nature, {},           std::move(parts)};
}

Term product_term(const Expression& product, const std::string& path, bool sets) {
  std::vector<Term> parts = terms(product.parts, path, sets);
  const Nature nature = product_nature(parts);
  return {path, text_of(product), product_words(parts), nature, {}, std::move(parts)};
}

struct EntryWords {
  std::string about;
  Nature nature = Nature::other;
};

/// Of the registry that has it.
EntryWords entry_words(const std::string& name, bool sets) {
  EntryWords out{"a kernel of its own kind"};
  const auto look = [&](const auto& all) {
    const auto* entry = entry_called(name, all);
    if (entry) out = {entry->about, entry->nature};
    return entry != nullptr;
  };
  if (const Combinator<Row>* made = entry_called(name, combinators<Row>())) out.about = made->about;
  (sets && look(registry<ItemSet>())) || look(registry<Row>()) || look(registry<std::string>()) ||
      look(registry<ItemSet>()) || look(registry<Graph>());
  return out;
}

Term leaf_term(const Expression& e, const std::string& path, bool sets) {
  const bool number = e.kind == Expression::Kind::number;
  if (number || (e.name == "constant" && e.arguments.empty()))
    return {path, text_of(e),
            "one unknown level for all points" +
                variance_clause(number ? e.value : std::numeric_limits<double>::quiet_NaN()),
            Nature::level};
  const auto [about, nature] = entry_words(e.name, sets);
  return {path, text_of(e), about + clauses(e.parameters), nature};
}

/// fixed(...) and on(...): the term inside, and what they say of it.
Term combined_term(const Expression& e, const std::string& path, bool sets) {
  Term t = term(e.parts[0], path, sets || e.columns.size() == 1);
  t.text = text_of(e);
  if (const std::vector<std::string> columns = column_texts(e); !columns.empty()) {
    t.words = fmt::format("of {} alone: {}", fmt::join(columns, ", "), t.words);
    t.columns = columns;
  }
  if (e.name == "fixed") t.words += "; kept as given";
  if (e.kind == Expression::Kind::scaled) t.words += variance_clause(e.value);
  return t;
}

Term term(const Expression& e, const std::string& path, bool sets) {
  if (e.kind == Expression::Kind::sum) return sum_term(e, path, sets);
  if (e.kind == Expression::Kind::product) return product_term(e, path, sets);
  return e.parts.empty() ? leaf_term(e, path, sets) : combined_term(e, path, sets);
}

/// Rounded to two significant digits.
double two_digits(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1);
  return std::round(value / unit) * unit;
}

Vector ranges(const Rows& x) {
  Vector out = (x.colwise().maxCoeff() - x.colwise().minCoeff()).transpose();
  for (double& r : out) r = r > 0 ? r : 1;
  return out;
}

}  // namespace

Term explain(const Kernel<Row>& kernel) { return term(kernel.node(), "", false); }
Term internal::explain_node(const Expression& node) { return term(node, "", true); }

std::string internal::role_text(Role role) {
  switch (role) {
    case Role::lengthscale:
      return "length-scale";
    case Role::variance:
      return "variance";
    case Role::period:
      return "period";
    case Role::shape:
      return "shape";
    case Role::scale:
      return "scale";
    case Role::noise:
      return "noise variance";
    default:
      return "other";
  }
}

Index internal::least_columns(const Kernel<Row>& kernel, Index least, const Vector& along) {
  constexpr Index most = 64;
  std::string why;
  for (Index d = least; d <= most; ++d) {
    try {
      const Matrix x = along.replicate(1, d);
      (void)drawable(kernel.sized(x), x).cross(x, x);
      return d;
    } catch (const Error& e) {
      if (why.empty() || d == least + 1) why = e.what();
    }
  }
  throw Error(Problem::usage,
              fmt::format("kernel: no number of columns suits it; with {}: {}", least + 1, why));
}

bool internal::is_stationary(const Kernel<Row>& kernel, const Rows& x) {
  const Vector range = ranges(x);
  Random rng(1);
  Matrix points(8, x.cols());  // where x is: a kernel of features may be defined nowhere else
  for (double& p : points.reshaped()) p = rng.uniform();
  points = (points * range.asDiagonal()).rowwise() + x.colwise().minCoeff();
  const Matrix here = kernel.cross(points, points);
  for (const double share : {0.37, 1.9}) {
    const Matrix moved = points.rowwise() + share * range.transpose();
    const Matrix there = kernel.cross(moved, moved);
    const double size = std::max(here.cwiseAbs().maxCoeff(), there.cwiseAbs().maxCoeff());
    if (!((here - there).cwiseAbs().maxCoeff() <= 1e-8 * size)) return false;
  }
  return true;
}

Kernel<Row> internal::drawable(const Kernel<Row>& kernel, const Rows& x) {
  const Vector range = ranges(x);
  Vector theta = kernel.theta();
  const Vector start = kernel.start(x, 1.0);
  Index i = 0;
  for (const Parameter& p : kernel.parameters()) {
    if (p.fixed) continue;
    const double along = p.column >= 0 && p.column < range.size() ? range[p.column] : range.maxCoeff();
    if (std::isnan(theta[i])) {
      const double fitting = p.role == Role::lengthscale ? along / 8 : p.role == Role::period ? along / 4 : 0;
      const double value = fitting > 0 ? fitting : from_theta(p.scale, start[i]);
      theta[i] = to_theta(p.scale, value > 0 ? two_digits(value) : value);
    }
    ++i;
  }
  return kernel.with(theta);
}

double internal::telling_half_range(const Kernel<Row>& kernel) {
  double shortest = std::numeric_limits<double>::infinity(), longest = 0;
  for (const Parameter& p : kernel.parameters()) {
    if (std::isnan(p.value) || (p.role != Role::lengthscale && p.role != Role::period)) continue;
    shortest = std::min(shortest, p.value), longest = std::max(longest, p.value);
  }
  return longest == 0 ? 5 : std::min(2.5 * longest, 15 * shortest);
}

}  // namespace covary
