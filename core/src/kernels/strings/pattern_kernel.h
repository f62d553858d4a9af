// The common part of the kernels that count patterns of a text: all but the patterns.
#pragma once
#include "kernels/sets/sparse_kernel.h"
#include "kernels/strings/patterns.h"

namespace covary::internal {

/// k(x, z) = sum_u weight_u c_u(x) c_u(z), normalized or not, or sum_u min(c_u(x), c_u(z))/sum_u max(c_u(x), c_u(z)).
/// No hyper-parameters. `Rule` has
///   name, settings()   of the expression
///   weights()          of the levels of patterns
///   patterns(text)     of one text, in any order, repeated or not
template <class Rule>
struct PatternKernel {
  using Texts = std::span<const std::string>;
  using Counts = std::span<const PatternCounts>;
  Rule rule;
  bool normalized = true;
  bool minmax = false;  // in the place of products

  std::vector<PatternCounts> prepare(Texts x) const {
    std::vector<PatternCounts> all;
    all.reserve(x.size());
    for (const std::string& text : x)
      all.push_back(counted_patterns(rule.patterns(text), rule.weights(), normalized || minmax));
    return all;
  }
  Matrix cross(Counts a, Counts b) const {
    if (minmax) return shares(pattern_minima(a, b), totals(a), totals(b));
    return normalized ? pattern_correlations(a, b, rule.weights()) : pattern_products(a, b, rule.weights());
  }
  Vector diag(Counts a) const {
    Vector d = Vector::Ones(std::ssize(a));
    for (size_t i = 0; i < a.size() && !normalized && !minmax; ++i) d[Index(i)] = a[i].norm2;
    return d;
  }
  Vector pullback(Counts, Counts, const Matrix&) const { return Vector(0); }
  Matrix cross(Texts a, Texts b) const { return cross(Counts(prepare(a)), Counts(prepare(b))); }
  Vector diag(Texts a) const { return diag(Counts(prepare(a))); }
  Vector pullback(Texts, Texts, const Matrix&) const { return Vector(0); }
  Vector theta() const { return Vector(0); }
  PatternKernel with(const Vector&) const { return *this; }
  std::vector<Parameter> parameters() const { return {}; }
  Expression node() const {
    std::vector<Argument> settings = rule.settings();
    if (!normalized) settings.push_back({"normalized", {}, false, {}, "no"});
    if (minmax) settings.push_back({"measure", {}, false, {}, "minmax"});
    return call_node(Rule::name, {}, std::move(settings));
  }

 private:
  static Vector totals(Counts a) {
    Vector t(std::ssize(a));
    for (size_t i = 0; i < a.size(); ++i) t[Index(i)] = a[i].total;
    return t;
  }
};

/// Throws a limit Error for a text of more patterns than fit into some gigabytes.
void check_patterns(const char* kernel, size_t letters, size_t patterns);

}  // namespace covary::internal
