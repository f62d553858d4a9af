#include "covary/kernels/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "covary/base/names.h"
#include "covary/kernels/registry.h"

namespace covary {
namespace {

struct On {
  std::vector<Index> columns;
  Kernel<Row> inner;
  std::vector<std::string> names;

  Matrix cross(Rows a, Rows b) const { return inner.cross(seen(a), seen(b)); }
  Vector diag(Rows a) const { return inner.diag(seen(a)); }
  Vector pullback(Rows a, Rows b, const Matrix& w) const { return inner.pullback(seen(a), seen(b), w); }
  Matrix pullback_inputs(Rows a, Rows b, const Matrix& w) const {
    const Matrix seen_by_inner = inner.pullback_inputs(seen(a), seen(b), w);
    Matrix out = Matrix::Zero(a.rows(), a.cols());
    for (size_t i = 0; i < columns.size(); ++i) out.col(columns[i]) += seen_by_inner.col(Index(i));
    return out;
  }
  Vector theta() const { return inner.theta(); }
  On with(const Vector& t) const { return {columns, inner.with(t), names}; }
  std::string text() const {
    std::string list;
    for (size_t i = 0; i < columns.size(); ++i) list += (i ? ", " : "") + column_text(i);
    return fmt::format("on({}, {})", columns.size() == 1 ? list : "[" + list + "]", inner.text());
  }
  std::vector<Parameter> parameters() const {
    std::vector<Parameter> all = inner.parameters();
    for (Parameter& p : all) {
      if (p.column >= 0) p.column = columns[static_cast<size_t>(p.column)];
      if (p.column < 0 && columns.size() == 1 && p.path.ends_with("lengthscale")) p.column = columns[0];
      if (p.reads.empty()) {
        p.reads = columns;
      } else {
        for (Index& k : p.reads) k = columns[static_cast<size_t>(k)];
      }
    }
    return all;
  }
  On sized(Rows x) const { return {columns, inner.sized(seen(x)), names}; }
  Vector start(Rows x, double variance) const { return inner.start(seen(x), variance); }
  FeatureMap<Row> features(Random& rng, Index m) const {
    const FeatureMap<Row> f = inner.features(rng, m);
    if (!f) return {};
    return seeing(f);
  }
  Split<Row> split(Rows x) const {
    Split<Row> s = inner.split(seen(x));
    if (!s.off) return {*this, {}, {}};
    if (s.rest) s.rest = On{columns, *s.rest, names};
    return {s.rest, s.center, seeing(s.off)};
  }
  std::string column_text(size_t i) const {
    return i < names.size() ? quoted_if_needed(names[i]) : std::to_string(columns[i] + 1);
  }

 private:
  FeatureMap<Row> seeing(const FeatureMap<Row>& f) const {
    return {f.columns, [this_ = *this, f](Rows x) -> Matrix { return f(this_.seen(x)); }};
  }
  Matrix seen(Rows x) const {
    const Index most = *std::max_element(columns.begin(), columns.end());
    if (most >= x.cols())
      throw Error(Problem::usage,
                  fmt::format("on: column {} was asked for, the points have {} columns", most + 1, x.cols()));
    return x(Eigen::all, columns);
  }
};

}  // namespace

Kernel<Row> on(std::vector<Index> columns, Kernel<Row> inner, std::vector<std::string> names) {
  if (columns.empty()) throw Error(Problem::usage, "on: no column was given");
  return On{std::move(columns), std::move(inner), std::move(names)};
}

namespace entries {
Combinator<Row> on();
Combinator<Row> on() {
  return {"on",
          "k(x_c, z_c)",
          "a kernel of some columns alone: on(temp, se()), on([lat, lon], se())",
          {Form::columns, Form::kernel},
          {},
          [](const Call<Row>& c) { return covary::on(c.columns, c.kernels[0], c.names); }};
}
}  // namespace entries

std::optional<OnParts> on_parts(const Kernel<Row>& k) {
  const On* held = k.as<On>();
  if (!held) return std::nullopt;
  OnParts parts{{}, held->inner};
  for (size_t i = 0; i < held->columns.size(); ++i) parts.columns.push_back(held->column_text(i));
  return parts;
}

}  // namespace covary
