#include "covary/kernels/restricted.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "covary/kernels/expression.h"

namespace covary {
namespace {

struct Restricted {
  Kernel<Row> inner;
  std::vector<Argument> arguments;  // those that restrict

  Matrix cross(Rows a, Rows b) const { return inner.cross(a, b); }
  Vector diag(Rows a) const { return inner.diag(a); }
  Vector pullback(Rows a, Rows b, const Matrix& w) const { return inner.pullback(a, b, w)(free()); }
  Matrix pullback_inputs(Rows a, Rows b, const Matrix& w) const { return inner.pullback_inputs(a, b, w); }
  Vector theta() const { return inner.theta()(free()); }
  Restricted with(const Vector& t) const {
    Vector all = inner.theta();
    all(free()) = t;
    return {inner.with(all), arguments};
  }
  std::vector<Parameter> parameters() const {
    std::vector<Parameter> all = inner.parameters();
    for (size_t i = 0; i < all.size(); ++i)
      if (const Limits* l = limits(all, i))
        all[i].fixed = l->fixed, all[i].lower = l->lower, all[i].upper = l->upper;
    return all;
  }
  Restricted sized(Rows x) const { return {inner.sized(x), arguments}; }
  Vector start(Rows x, double variance) const { return inner.start(x, variance)(free()); }
  Kernel<Row> amplified() const {
    const bool has_variance = inner.amplified().theta().size() == inner.theta().size();
    return has_variance ? Kernel<Row>(*this) : with_variance<Row>(*this);
  }
  FeatureMap<Row> features(Random& rng, Index m) const { return inner.features(rng, m); }
  Split<Row> split(Rows x) const { return inner.split(x); }

  /// The call of `inner` with each parameter as it may be: value, fixed(value), low..high, value in
  /// low..high.
  std::string text() const {
    const std::vector<Parameter> all = parameters();
    const Expression call = read_expression(constant() ? "constant()" : inner.text());
    std::vector<std::string> written;
    for (const Argument& a : call.arguments)  // what is no parameter, as a degree
      if (std::none_of(all.begin(), all.end(), [&](const Parameter& p) { return p.path == a.name; }))
        written.push_back(fmt::format("{}={}", a.name, fmt::join(a.values, ", ")));
    for (size_t i = 0; i < all.size();) {
      std::vector<std::string> items;
      const std::string name = all[i].path;
      for (; i < all.size() && all[i].path == name; ++i) items.push_back(item(all[i]));
      const bool same = std::all_of(items.begin(), items.end(), [&](const auto& s) { return s == items[0]; });
      const bool one = items.size() == 1 || (same && std::isnan(all[i - 1].value));
      if (items[0].empty()) continue;
      written.push_back(one ? name + "=" + items[0] : fmt::format("{}=[{}]", name, fmt::join(items, ", ")));
    }
    return fmt::format("{}({})", call.name, fmt::join(written, ", "));
  }

 private:
  bool constant() const { return inner.as<Constant<Row>>() != nullptr; }
  static std::string item(const Parameter& p) {
    if (p.fixed) return "fixed(" + number_text(p.value) + ")";
    const std::string value = std::isnan(p.value) ? "" : number_text(p.value);
    if (std::isnan(p.lower)) return value;
    return fmt::format("{}{}{}..{}", value, value.empty() ? "" : " in ", p.lower, p.upper);
  }
  /// What is said of parameter i: by its name, and by its place in a list.
  const Limits* limits(const std::vector<Parameter>& all, size_t i) const {
    size_t place = 0;
    for (size_t j = 0; j < i; ++j) place += all[j].path == all[i].path ? 1 : 0;
    for (const Argument& a : arguments)
      if (a.name == all[i].path)
        return a.limits.size() == 1 ? &a.limits[0] : place < a.limits.size() ? &a.limits[place] : nullptr;
    return nullptr;
  }
  /// The entries of inner.theta() that are learned.
  std::vector<Index> free() const {
    std::vector<Index> out;
    const std::vector<Parameter> all = inner.parameters();
    for (size_t i = 0; i < all.size(); ++i)
      if (const Limits* l = limits(all, i); !l || !l->fixed) out.push_back(Index(i));
    return out;
  }
};

}  // namespace

Kernel<Row> restricted(const Kernel<Row>& inner, const Arguments& given) {
  Restricted r{inner, {}};
  const std::vector<Parameter> all = inner.parameters();
  for (const Argument& a : given.all()) {
    const bool says = std::any_of(a.limits.begin(), a.limits.end(), [](const Limits& l) { return l.any(); });
    if (!says) continue;
    const bool learned =
        std::any_of(all.begin(), all.end(), [&](const Parameter& p) { return p.path == a.name; });
    const bool fixed = std::all_of(a.limits.begin(), a.limits.end(), [](const Limits& l) { return l.fixed; });
    if (!learned && !fixed)
      throw Error(Problem::usage,
                  fmt::format("kernel: {} is not learned, so it cannot have a range", a.name));
    if (learned) r.arguments.push_back(a);
  }
  return r.arguments.empty() ? inner : Kernel<Row>(r);
}

}  // namespace covary
