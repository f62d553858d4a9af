#include "covary/kernels/columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "covary/kernels/registry.h"

namespace covary {
using namespace internal;
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
  Expression node() const {
    Expression e = combined_node("on", inner.node());
    e.columns = names, e.reads = columns;
    return e;
  }
  Prepared<Row> prepare(Rows x) const {
    const auto some = std::make_shared<const Matrix>(seen(x));
    return inner.prepare(*some, some);
  }
  Matrix cross(const Prepared<Row>& a, const Prepared<Row>& b) const { return a.cross(b); }
  Vector diag(const Prepared<Row>& a) const { return a.diag(); }
  Vector pullback(const Prepared<Row>& a, const Prepared<Row>& b, const Matrix& w) const {
    return a.pullback(b, w);
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

 private:
  FeatureMap<Row> seeing(const FeatureMap<Row>& f) const {
    return {f.columns, [this_ = *this, f](Rows x) -> Matrix { return f(this_.seen(x)); }};
  }
  Matrix seen(Rows x) const {
    if (x.rows() == 0) return Matrix(0, std::ssize(columns));  // points to come
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

}  // namespace covary
